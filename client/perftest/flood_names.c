// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The flood "names": the host has as many and as long names as docad allows, and a second DPU, to
// which it must announce them all, unlinks and links again as soon as it has them.

#include "audience.h"
#include "cleanup.h"
#include "flood_session.h"
#include "flood_share.h"
#include "floods.h"
#include "owned_name.h"
#include "supervisor.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAMES      65536 // publications_per_uid
#define TIMEOUT_MS 60000

// As long as a name can be, and different in the first bytes.
static void name_of(size_t i, char name[OWNED_NAME_MAX + 1])
{
    int n = snprintf(name, OWNED_NAME_MAX + 1, "%zu-", i);
    memset(name + n, 'x', (size_t)(OWNED_NAME_MAX - n));
    name[OWNED_NAME_MAX] = '\0';
}

// ---- the names

struct names {
    const struct flood_export *export;
    Docad__Audience *to;
};

static bool send_publish(int sock, size_t i, void *arg)
{
    const struct names *names = arg;
    char name[OWNED_NAME_MAX + 1];
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    Docad__Message *message = message_of(PUBLISH, publish, &m);

    name_of(i, name);
    m.name = name;
    m.descriptor = (ProtobufCBinaryData){names->export->size, (uint8_t *)names->export->descriptor};
    m.to = names->to;
    message->serial = 1;
    return message_send(sock, message, NULL, 0, MSG_NOSIGNAL) == 0;
}

// Publishes for root, whose session looks the last name up, and for 31 others.
static size_t publish_all(int sock, size_t n, const struct flood_export *export)
{
    uint32_t uids[AUDIENCE_MAX], gids[AUDIENCE_MAX];
    Docad__Audience to = DOCAD__AUDIENCE__INIT;

    for (uint32_t i = 0; i < AUDIENCE_MAX; i++) {
        uids[i] = i == 0 ? 0 : (1u << 31) + i; // large numbers take the most bytes
        gids[i] = (1u << 31) + i;
    }
    to.uids = uids;
    to.gids = gids;
    to.n_uids = to.n_gids = AUDIENCE_MAX;
    return flood_ask_many(sock, n, send_publish, NULL, &(struct names){export, &to});
}

void floods_run_names(const struct flood_targets *at)
{
    static const uint8_t memory[4096];
    struct flood_export export;
    cleanup_fd int sock = flood_session(at->host, false, NULL);

    if (sock < 0 || !flood_open_function(sock) ||
        !flood_export(sock, memory, sizeof(memory), DOCAD__EXPORT_TARGET__TARGET_DPU, &export))
        return;
    size_t n = publish_all(sock, flood_part(at, NAMES), &export);
    if (n == 0)
        return;
    flood_holds(at, n);
    for (;;)
        pause();
}

// ---- the link

static bool set_link(struct supervisor *sup, int sock, bool linked)
{
    Docad__Reload m = DOCAD__RELOAD__INIT;
    struct problem problem;

    sup->unlinked = !linked;
    if (!daemons_configure(sup, NODE_SECOND_DPU, &problem))
        return false;
    cleanup_message Docad__Message *reply =
        flood_ask(sock, message_of(RELOAD, reload, &m), NULL, 0, NULL);
    return reply != NULL;
}

// Waits for the last name that docad granted: docad announces them in the order of publication.
static bool wait_for_last(int sock, size_t n)
{
    char name[OWNED_NAME_MAX + 1], whole[OWNED_NAME_SIZE];
    Docad__Lookup m = DOCAD__LOOKUP__INIT;

    name_of(n - 1, name);
    snprintf(whole, sizeof(whole), "%u/%s", FLOOD_UID, name);
    m.name = whole;
    m.timeout_ms = TIMEOUT_MS;
    cleanup_message Docad__Message *reply =
        flood_ask(sock, message_of(LOOKUP, lookup, &m), NULL, 0, NULL);
    return reply != NULL;
}

void floods_link_for_names(const struct flood_targets *at)
{
    struct supervisor sup = *at->sup;
    cleanup_fd int sock = flood_session(sup.nodes[NODE_SECOND_DPU].socket, true, NULL);
    while (sock >= 0 && wait_for_last(sock, at->held) && set_link(&sup, sock, false)) {
        usleep(at->pause_us);
        if (!set_link(&sup, sock, true))
            return;
    }
}

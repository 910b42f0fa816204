// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The flood "lookups": many sessions wait for one name, which the measured user publishes. What is
// answered waits for the next name; once all lookups wait again, that is published.

#include "cleanup.h"
#include "flood_session.h"
#include "flood_share.h"
#include "floods.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define SESSIONS   16384 // sessions_per_uid
#define EACH       64    // lookups_per_session
#define TIMEOUT_MS 600000
#define NAME_SIZE  48
#define PUBLISHER  0 // its uid

static void name_of(unsigned round, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "flood-%u", round);
}

// ---- waiting lookups

static bool send_lookup(int sock, unsigned round, int flags)
{
    char name[NAME_SIZE], whole[NAME_SIZE + 12];
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    Docad__Message *message = message_of(LOOKUP, lookup, &m);

    name_of(round, name);
    snprintf(whole, sizeof(whole), "%d/%s", PUBLISHER, name);
    m.name = whole;
    m.timeout_ms = TIMEOUT_MS;
    message->serial = 1;
    return message_send(sock, message, NULL, 0, flags | MSG_NOSIGNAL) == 0;
}

// Begins the lookups of a session. docad has read them all when it answers the request after them.
// Returns how many it has not refused.
static size_t begin_lookups(int sock)
{
    Docad__Status m = DOCAD__STATUS__INIT;
    Docad__Message *status = message_of(STATUS, status, &m);
    size_t n = 0, refused = 0;

    while (n < EACH && send_lookup(sock, 0, 0))
        n++;
    status->serial = 2;
    if (message_send(sock, status, NULL, 0, MSG_NOSIGNAL) < 0)
        return 0;
    for (;;) {
        cleanup_message Docad__Message *reply = flood_answer(sock, NULL);
        if (!reply)
            return 0;
        if (reply->serial == status->serial)
            return n - refused;
        refused++;
    }
}

static size_t begin_all(const char *path, size_t sessions, int epoll)
{
    size_t total = 0;
    for (size_t i = 0; i < sessions; i++) {
        int sock = flood_idle_session(path);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = sock};
        size_t n = sock < 0 ? 0 : begin_lookups(sock);
        if (n > 0)
            epoll_ctl(epoll, EPOLL_CTL_ADD, sock, &event);
        total += n;
        if (n < EACH)
            break;
    }
    return total;
}

// Replaces answered lookups by lookups of the next name. Returns how many were answered.
static size_t renew(int sock, unsigned next)
{
    size_t n = 0;
    for (;; n++) {
        cleanup_message Docad__Message *reply = NULL;
        struct fd_list fds;
        if (message_recv(sock, &reply, &fds, MSG_DONTWAIT) != 1)
            return n;
        fd_list_close(&fds);
        if (!send_lookup(sock, next, 0))
            return n;
    }
}

void floods_run_lookups(const struct flood_targets *at)
{
    struct epoll_event events[64];
    cleanup_fd int epoll = epoll_create1(EPOLL_CLOEXEC);
    size_t total = begin_all(at->host, flood_part(at, SESSIONS), epoll), answered = 0;
    unsigned round = 0;

    if (total == 0)
        return;
    flood_holds(at, total);
    eventfd_write(at->refilled, 1);
    for (int n; (n = epoll_wait(epoll, events, 64, -1)) > 0 || errno == EINTR;) {
        for (int i = 0; i < n; i++)
            answered += renew(events[i].data.fd, round + 1);
        if (answered < total)
            continue;
        answered = 0;
        round++;
        eventfd_write(at->refilled, 1);
    }
}

// ---- the publisher

static bool unpublish(int sock, const char *name)
{
    Docad__Unpublish m = DOCAD__UNPUBLISH__INIT;
    m.name = (char *)name;
    cleanup_message Docad__Message *reply =
        flood_ask(sock, message_of(UNPUBLISH, unpublish, &m), NULL, 0, NULL);
    return reply != NULL;
}

void floods_publish_for_lookups(const struct flood_targets *at)
{
    static const uint8_t memory[4096];
    Docad__Audience to = DOCAD__AUDIENCE__INIT;
    struct flood_export export;
    cleanup_fd int sock = flood_session(at->host, false, NULL);
    char name[NAME_SIZE], before[NAME_SIZE];
    eventfd_t value;

    to.all = true;
    if (sock < 0 || !flood_open_function(sock) ||
        !flood_export(sock, memory, sizeof(memory), DOCAD__EXPORT_TARGET__TARGET_RDMA, &export))
        return;
    for (unsigned round = 0; eventfd_read(at->refilled, &value) == 0; round++) {
        name_of(round, name);
        usleep(at->pause_us);
        if (!flood_publish(sock, name, &export, &to))
            return;
        if (round > 0) {
            name_of(round - 1, before);
            if (!unpublish(sock, before))
                return;
        }
    }
}

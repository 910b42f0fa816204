// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_names.h"

#include "node.h"
#include "peer.h"

#include <stdlib.h>

struct peer_names {
    struct peer *peer;
    uint64_t ids[NAMES_LISTS][PEER_NAMES_MAX];
    size_t n[NAMES_LISTS];
    const struct object_kind *const *kind; // whose objects are named next,
    uint64_t after;                        // from this one on
};

struct peer_names *peer_names_new(struct peer *peer)
{
    struct peer_names *names = calloc(1, sizeof(*names));
    if (names)
        *names = (struct peer_names){.peer = peer, .kind = peer->node->kinds};
    return names;
}

struct peer_names *peer_names_free(struct peer_names *names)
{
    free(names);
    return NULL;
}

bool peer_names_add_some(struct peer_names *names, unsigned *steps)
{
    for (; names->kind && *names->kind; names->kind++, names->after = 0)
        if ((*names->kind)->name && !(*names->kind)->name(names->peer, names, &names->after, steps))
            return false;
    return true;
}

static void flush(struct peer_names *names, bool more)
{
    Docad__PeerResume body = DOCAD__PEER_RESUME__INIT;
    struct {
        uint64_t **ids;
        size_t *n;
    } lists[NAMES_LISTS] = {
        [NAMES_GRANTS] = {&body.grants, &body.n_grants},
        [NAMES_QUEUE_PAIRS] = {&body.queue_pairs, &body.n_queue_pairs},
        [NAMES_ENDPOINTS] = {&body.endpoints, &body.n_endpoints},
        [NAMES_ENDPOINTS_THERE] = {&body.endpoints_there, &body.n_endpoints_there},
        [NAMES_CHANNELS] = {&body.channels, &body.n_channels},
    };

    for (size_t i = 0; i < NAMES_LISTS; i++) {
        *lists[i].ids = names->ids[i];
        *lists[i].n = names->n[i];
        names->n[i] = 0;
    }
    body.more = more;
    peer_send(names->peer, message_of(PEER_RESUME, peer_resume, &body));
}

void peer_names_add(struct peer_names *names, enum names list, uint64_t id)
{
    if (names->n[list] == PEER_NAMES_MAX)
        flush(names, true);
    names->ids[list][names->n[list]++] = id;
}

void peer_names_add_endpoint(struct peer_names *names, uint64_t id, uint64_t there)
{
    peer_names_add(names, NAMES_ENDPOINTS, id); // first, so that both go into one message
    peer_names_add(names, NAMES_ENDPOINTS_THERE, there);
}

void peer_names_end(struct peer_names *names, bool more)
{
    flush(names, more);
    free(names);
}

void peer_names_last(struct peer *peer)
{
    Docad__PeerResume body = DOCAD__PEER_RESUME__INIT;
    peer_send(peer, message_of(PEER_RESUME, peer_resume, &body));
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_resume.h"

#include "cleanup.h"
#include "connection.h"
#include "link_queue.h"
#include "node.h"
#include "peer_life.h"
#include "peer_link.h"
#include "peer_names.h"
#include "peer_pieces.h"
#include "peer_request.h"
#include "qpair.h"

#include <event2/event.h>
#include <string.h>

// ---- a node comes back ----------------------------------------------------------

static struct peer *find_away(struct peer *like)
{
    struct peer *peer;
    list_for_each (peer, &like->node->peers, in_node) {
        if (peer->away && memcmp(peer->id_there, like->id_there, NODE_ID_SIZE) == 0)
            return peer;
    }
    return NULL;
}

// Moves everything that depends on the one to the other.
static void adopt(struct peer *to, struct peer *from)
{
    peer_named_adopt(to, from); // before the kinds do
    KINDS_CALL(to->node, adopt, to, from);
    link_queues_adopt(to, from);
    peer_requests_adopt(to, from);
    to->stored = from->stored;
    from->stored = (struct stored){0};
}

bool peer_goes_on(const struct peer *peer, const struct peer *away)
{
    return memcmp(away->run, peer->next_run, NODE_RUN_SIZE) == 0 &&
           away->was_apart == peer->no_descriptors;
}

void peer_returned(struct peer *peer)
{
    struct peer *away = find_away(peer);
    bool same = away && peer_goes_on(peer, away);

    if (away) {
        event_del(away->grace);
        away->away = false;
        if (!same)
            peer_end_objects(away, PEER_RUN_ENDED);
        else if (away != peer)
            adopt(peer, away);
        if (away != peer && !away->config)
            peer_free(away);
    }
    memcpy(peer->run, peer->next_run, NODE_RUN_SIZE);
    // Mark what the node must name; otherwise that has ended. Objects of other nodes may be
    // waiting for their own node.
    if (same) {
        peer_named_mark(peer);
        KINDS_CALL(peer->node, mark, peer);
    }
}

// ---- continued objects ---------------------------------------------------------------------

#define STEPS 64 // objects and requests in one piece

static void end_naming(struct peer *peer)
{
    struct announcement *a = &peer->announcement;
    if (a->behind)
        a->resume_after = peer->node->last_id;
    peer_names_end(steal_ptr(peer->naming), a->behind);
}

static bool take_resume(struct sched_item *turn)
{
    struct peer *peer = container_of(turn, struct peer, resuming);
    unsigned steps = STEPS;

    if (peer->naming) {
        if (!peer_names_add_some(peer->naming, &steps))
            return true;
        end_naming(peer);
    }
    return !peer_requests_send_again(peer, &peer->asked_again, peer->ask_again_until, &steps) ||
           !qpairs_renew(peer, &steps);
}

void peer_resume_begin(struct peer *peer, bool names)
{
    struct sched_item *turn = &peer->resuming;

    peer_resume_stop(peer);
    if (names && !(peer->naming = peer_names_new(peer))) {
        connection_drop(peer->connection, "out of memory");
        return;
    }
    *turn =
        (struct sched_item){.sched = peer->node->sched, .user = &peer->sched, .take = take_resume};
    list_init(&turn->in_user);
    peer->asked_again = 0;
    peer->ask_again_until = peer->last_serial;
    list_append_all(&peer->qpairs_to_renew, &peer->qpairs);
    bool more = take_resume(turn);
    while (more && !turn->sched)
        more = take_resume(turn);
    if (more)
        sched_queue(turn);
}

void peer_resume_stop(struct peer *peer)
{
    sched_dequeue(&peer->resuming);
    peer->naming = peer_names_free(peer->naming);
    list_append_all(&peer->qpairs, &peer->qpairs_to_renew);
}

// A message is handled in one turn.
static bool names_too_many(const Docad__PeerResume *named)
{
    return named->n_grants > PEER_NAMES_MAX || named->n_queue_pairs > PEER_NAMES_MAX ||
           named->n_endpoints > PEER_NAMES_MAX || named->n_channels > PEER_NAMES_MAX;
}

void peer_resume(struct peer *peer, const Docad__Message *message)
{
    const Docad__PeerResume *named = message->peer_resume;

    if (peer->has_resumed || names_too_many(named)) {
        connection_drop(peer->connection, peer->has_resumed
                                              ? "it named twice what it continues with"
                                              : "it named more objects in a message than it may");
        return;
    }
    KINDS_CALL(peer->node, confirm, peer, named);
    if (named->more)
        return;
    peer->has_resumed = true;
    peer_sweep(peer);
}

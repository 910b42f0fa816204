// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_pieces.h"

#include "activity_page.h"
#include "cleanup.h"
#include "node.h"
#include "peer.h"
#include "peer_request.h"

static void turn_init(struct sched_item *turn, struct peer *peer,
                      bool (*take)(struct sched_item *turn))
{
    *turn = (struct sched_item){.sched = peer->node->sched, .user = &peer->sched, .take = take};
    list_init(&turn->in_user);
}

// Takes a piece now, and the others later.
static void begin(struct sched_item *turn)
{
    bool more = turn->take(turn);
    while (more && !turn->sched)
        more = turn->take(turn);
    if (more)
        sched_queue(turn);
}

// ---- what was not named -------------------------------------------------------------------------

static bool sweep_some(struct peer *peer, unsigned *steps)
{
    for (const struct object_kind *const *kind = peer->node->kinds; kind && *kind; kind++)
        if ((*kind)->sweep && !(*kind)->sweep(peer, steps))
            return false;
    return true;
}

static bool take_sweep(struct sched_item *turn)
{
    struct peer *peer = container_of(turn, struct peer, sweeping);
    unsigned steps = PEER_PIECE_STEPS;

    activity_batch_begin(peer->node);
    bool all = sweep_some(peer, &steps);
    activity_batch_end(peer->node);
    return !all;
}

void peer_sweep(struct peer *peer)
{
    peer_sweep_stop(peer);
    turn_init(&peer->sweeping, peer, take_sweep);
    begin(&peer->sweeping);
}

void peer_sweep_stop(struct peer *peer)
{
    sched_dequeue(&peer->sweeping);
}

// ---- all of it ----------------------------------------------------------------------------------

static bool end_some(struct peer *peer, unsigned *steps)
{
    for (const struct object_kind *const *kind = peer->node->kinds; kind && *kind; kind++)
        if ((*kind)->gone && !(*kind)->gone(peer, steps))
            return false;
    return peer_requests_fail_some(peer, peer->lost, steps);
}

static bool take_piece(struct peer *peer)
{
    unsigned steps = PEER_PIECE_STEPS;

    activity_batch_begin(peer->node);
    bool all = end_some(peer, &steps);
    activity_batch_end(peer->node);
    peer->is_ending = !all;
    return !all;
}

static bool take_end(struct sched_item *turn)
{
    struct peer *peer = container_of(turn, struct peer, ending);

    if (take_piece(peer)) {
        peer->node->counters.end_slices++;
        return true;
    }
    if (peer->when_ended)
        peer->when_ended(peer);
    return false;
}

void peer_objects_end(struct peer *peer, const char *why)
{
    peer_sweep_stop(peer);
    copy_text(peer->lost, why);
    if (peer->is_ending)
        return;
    turn_init(&peer->ending, peer, take_end);
    begin(&peer->ending);
}

bool peer_is_ending(const struct peer *peer)
{
    return peer->is_ending;
}

void peer_when_ended(struct peer *peer, void (*ended)(struct peer *peer))
{
    peer->when_ended = ended;
}

void peer_objects_end_now(struct peer *peer)
{
    sched_dequeue(&peer->ending);
    while (peer->is_ending && take_piece(peer)) {
    }
}

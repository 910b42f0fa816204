// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "work_walk.h"

#include "node.h"
#include "session.h"
#include "session_stats.h"

#include <assert.h>
#include <stdlib.h>

#define FEW   64 // sessions; up to this many are read before work_wait_begin() returns
#define PIECE 8  // sessions, or requests that wait for the sum, in one turn

struct work_walk {
    struct node *node;
    struct sched_item turn;
    struct list now, next; // requests that wait for the current sum, and for the next one
    bool is_made;          // there is a sum, and the waits in `now` are being informed of it
    uint64_t after;        // id of the session that was read last
    struct session_work sum, made;
};

// Counts of sessions that end before the walk does: see work_walk_session_ended().
static void begin(struct work_walk *walk)
{
    while (!list_empty(&walk->next)) {
        struct list *first = walk->next.next;
        list_remove(first);
        list_append(&walk->now, first);
    }
    walk->is_made = false;
    walk->after = 0;
    walk->sum = walk->node->counters.ended;
}

static void read_some(struct work_walk *walk, unsigned n)
{
    const struct session *session;

    idmap_for_each_after (session, &walk->node->sessions_by_id, walk->after, by_id) {
        if (n-- == 0)
            return;
        session_work_add(session, &walk->sum);
        walk->after = session->id;
    }
    walk->made = walk->sum;
    walk->is_made = true;
}

static struct work_wait *next_of(struct work_walk *walk)
{
    struct work_wait *wait = list_entry(walk->now.next, struct work_wait, in_walk);
    list_remove(&wait->in_walk);
    return wait;
}

static void inform_some(struct work_walk *walk)
{
    for (unsigned i = 0; i < PIECE && !list_empty(&walk->now); i++)
        sched_queue(&next_of(walk)->turn);
}

static bool take(struct sched_item *turn)
{
    struct work_walk *walk = container_of(turn, struct work_walk, turn);

    if (walk->is_made)
        inform_some(walk);
    else
        read_some(walk, PIECE);
    if (!walk->is_made || !list_empty(&walk->now))
        return true;
    if (list_empty(&walk->next))
        return false;
    begin(walk);
    return true;
}

static struct work_walk *walk_of(struct node *node)
{
    struct work_walk *walk = node->work_walk;
    if (walk || !(walk = calloc(1, sizeof(*walk))))
        return walk;
    walk->node = node;
    walk->is_made = true;
    walk->turn = (struct sched_item){.take = take, .sched = node->sched, .user = &node->work};
    list_init(&walk->turn.in_user);
    list_init(&walk->now);
    list_init(&walk->next);
    return node->work_walk = walk;
}

void work_wait_init(struct work_wait *wait)
{
    list_init(&wait->in_walk);
}

bool work_wait_begin(struct node *node, struct work_wait *wait)
{
    struct work_walk *walk = walk_of(node);

    assert(!work_waits(wait));
    if (!walk)
        return false;
    list_append(&walk->next, &wait->in_walk);
    bool idle = walk->is_made && list_empty(&walk->now);
    if (!idle)
        return true;
    begin(walk);
    if (node->n_sessions <= FEW || !node->sched) {
        struct sched_item *turn = &next_of(walk)->turn;
        read_some(walk, node->n_sessions);
        turn->take(turn);
    } else {
        sched_queue(&walk->turn);
    }
    return true;
}

bool work_waits(const struct work_wait *wait)
{
    return list_linked(&wait->in_walk) || list_linked(&wait->turn.in_user);
}

const struct session_work *work_wait_sum(const struct node *node)
{
    return &node->work_walk->made;
}

void work_wait_end(struct work_wait *wait)
{
    list_remove(&wait->in_walk);
    sched_dequeue(&wait->turn);
}

// A session that the walk has read counts once, and one that it has not read yet is left out.
void work_walk_session_ended(const struct session *session)
{
    struct work_walk *walk = session->node->work_walk;
    if (walk && !walk->is_made && session->id > walk->after)
        session_work_end(session, &walk->sum);
}

struct work_walk *work_walk_free(struct work_walk *walk)
{
    if (!walk)
        return NULL;
    assert(list_empty(&walk->now) && list_empty(&walk->next));
    sched_dequeue(&walk->turn);
    free(walk);
    return NULL;
}

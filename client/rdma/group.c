// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The ends of a context are polled together, so that a poll of many costs little more than a poll
// of one. A poll reads only the heads where messages would arrive, and polls the ends where one has
// arrived. Besides, it polls the end that sent last, whose program may wait for that, and one of
// the others, round robin: other events of an end may be detected some polls later.

#include "rdma_end.h"

#include <stdlib.h>

// ---- polling -----------------------------------------------------------------------------------

// Returns whether a message has arrived, or the rest of one.
static inline bool arrived(const struct rdma_spot *spot)
{
    // Relaxed: it only decides whether to poll.
    return (uint32_t)atomic_load_explicit(spot->head, memory_order_relaxed) == spot->number;
}

// Polls the end with a message. Returns true if a job is done: the next sweep continues behind that
// end, so that each of them gets its share of the receives.
static bool take_at(struct rdma_group *group, uint32_t place)
{
    struct rdma_end *rdma = group->ends[place];

    rdma_poll(&rdma->source);
    if (!rdma->link->executor->done.head)
        return false;
    group->latest = place;
    return true;
}

static inline uint32_t behind(const struct rdma_group *group, uint32_t place)
{
    return place + 1 < group->n ? place + 1 : 0;
}

// After every 8 places the sweep polls where a message is likely: where the latest one was, and
// behind it, if the other sides write in turn. What it finds there does not move the sweep, so that
// no end can keep it from the others.
#define LIKELY_EVERY 8

static bool take_likely(struct rdma_group *group)
{
    uint32_t latest = group->latest, next = behind(group, latest);

    return (arrived(&group->spots[next]) && take_at(group, next)) ||
           (arrived(&group->spots[latest]) && take_at(group, latest));
}

// Sweeps once, until a job is done.
static bool sweep(struct rdma_group *group)
{
    for (uint32_t k = 1; k <= group->n; k++) {
        uint32_t place = group->from;
        group->from = behind(group, place);
        if (__builtin_expect(arrived(&group->spots[place]), 0) && take_at(group, place))
            return true;
        if (k % LIKELY_EVERY == 0 && take_likely(group))
            return true;
    }
    return false;
}

static __attribute__((noinline)) void poll_many(struct rdma_group *group)
{
    struct rdma_end *sender = group->sender;

    if (sweep(group))
        return;
    if (sender && sender->posted.head)
        rdma_poll(&sender->source);
    group->turn = behind(group, group->turn);
    rdma_poll_seldom(group->ends[group->turn]);
}

static void poll_group(struct work_source *source)
{
    struct rdma_group *group = container_of(source, struct rdma_group, source);

    if (group->n == 1)
        rdma_poll(&group->ends[0]->source);
    else
        poll_many(group);
}

// ---- sleeping ----------------------------------------------------------------------------------

static bool arm_group(struct work_source *source)
{
    struct rdma_group *group = container_of(source, struct rdma_group, source);
    bool ready = false;

    for (uint32_t i = 0; i < group->n; i++)
        ready = group->ends[i]->source.arm(&group->ends[i]->source) || ready;
    return ready;
}

static void clear_group(struct work_source *source)
{
    struct rdma_group *group = container_of(source, struct rdma_group, source);

    for (uint32_t i = 0; i < group->n; i++)
        group->ends[i]->source.clear(&group->ends[i]->source);
}

// ---- ends come and go --------------------------------------------------------------------------

void rdma_group_init(struct rdma_group *group)
{
    *group =
        (struct rdma_group){.source = {.poll = poll_group, .arm = arm_group, .clear = clear_group}};
    list_init(&group->source.node);
}

void rdma_group_fini(struct rdma_group *group)
{
    free(group->spots);
    free(group->ends);
}

// Makes room for one more.
static bool grow(struct rdma_group *group)
{
    uint32_t room = group->room ? 2 * group->room : 4;
    struct rdma_end **ends = realloc(group->ends, room * sizeof(struct rdma_end *));
    if (ends)
        group->ends = ends;
    struct rdma_spot *spots = ends ? realloc(group->spots, room * sizeof(*spots)) : NULL;
    if (!spots)
        return false;
    group->spots = spots;
    group->room = room;
    for (uint32_t i = 0; i < group->n; i++)
        group->ends[i]->spot = &spots[i];
    return true;
}

static void put(struct rdma_group *group, struct rdma_end *rdma, uint32_t place)
{
    group->ends[place] = rdma;
    rdma->place = place;
    rdma->spot = &group->spots[place];
    rdma_spot_set(rdma);
}

doca_error_t rdma_group_add(struct rdma_group *group, struct rdma_end *rdma,
                            struct executor *executor, struct errtext *err)
{
    if (group->n == group->room && !grow(group))
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for one more RDMA connection");
    if (group->n++ == 0)
        executor_add_source(executor, &group->source);
    put(group, rdma, group->n - 1);
    return DOCA_SUCCESS;
}

void rdma_group_remove(struct rdma_end *rdma)
{
    struct rdma_group *group = rdma->group;
    struct rdma_end *last = group->ends[--group->n];

    rdma->spot = &rdma->own_spot;
    if (last != rdma)
        put(group, last, rdma->place);
    if (group->sender == rdma)
        group->sender = NULL;
    group->from = group->turn = group->latest = 0;
    if (group->n == 0)
        list_remove(&group->source.node);
}

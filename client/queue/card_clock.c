// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "card_clock.h"

#include <stdatomic.h>
#include <time.h>

static uint64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t (*card_clock_now)(void) = monotonic_ns;

// When each engine will have done its work, in ns. By the first key of its model.
static _Atomic uint64_t engines_free[CARD_KEYS_END];

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t occupy(enum card_key engine, uint64_t now, uint64_t ns)
{
    _Atomic uint64_t *at = &engines_free[engine];
    uint64_t before = atomic_load_explicit(at, memory_order_relaxed), after;

    do
        after = later(before, now) + ns;
    while (!atomic_compare_exchange_weak_explicit(at, &before, after, memory_order_relaxed,
                                                  memory_order_relaxed));
    return after;
}

uint64_t card_clock_due(const struct card *card, const struct card_work *work,
                        struct card_queue *queue)
{
    struct card_times times = card_times(card, work);
    uint64_t now = card_clock_now();

    queue->free = later(queue->free, now) + times.queue_ns;
    uint64_t moved = occupy(work->model, now, times.engine_ns);
    uint64_t due = later(later(queue->free, moved), now + times.latency_ns);
    return queue->due = later(queue->due, due);
}

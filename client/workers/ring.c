// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "workers/ring.h"

#include <stddef.h>

void ring_init(struct ring *ring)
{
    atomic_store(&ring->in, 0);
    atomic_store(&ring->out, 0);
    for (uint32_t i = 0; i < RING_SIZE; i++)
        atomic_store_explicit(&ring->cells[i].seq, i, memory_order_relaxed);
}

// Claims the next cell, whose sequence number must be `behind` its position. Returns NULL if there
// is none. *at is the position.
static struct ring_cell *claim(struct ring *ring, _Atomic uint32_t *end, uint32_t behind,
                               uint32_t *at)
{
    *at = atomic_load_explicit(end, memory_order_relaxed);
    for (;;) {
        struct ring_cell *cell = &ring->cells[*at % RING_SIZE];
        // Sequentially consistent, as is the store in ring_put(): a worker that announces its
        // sleep and finds nothing here is seen by the thread that puts something.
        int32_t ahead = (int32_t)(atomic_load(&cell->seq) - (*at + behind));
        if (ahead < 0)
            return NULL;
        if (ahead > 0)
            *at = atomic_load_explicit(end, memory_order_relaxed);
        else if (atomic_compare_exchange_weak_explicit(end, at, *at + 1, memory_order_relaxed,
                                                       memory_order_relaxed))
            return cell;
    }
}

bool ring_put(struct ring *ring, struct worker_op *op)
{
    uint32_t at;
    struct ring_cell *cell = claim(ring, &ring->in, 0, &at);

    if (!cell)
        return false;
    cell->op = op;
    atomic_store(&cell->seq, at + 1);
    return true;
}

struct worker_op *ring_take(struct ring *ring)
{
    uint32_t at;
    struct ring_cell *cell = claim(ring, &ring->out, 1, &at);

    if (!cell)
        return NULL;
    struct worker_op *op = cell->op;
    atomic_store_explicit(&cell->seq, at + RING_SIZE, memory_order_release);
    return op;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Operations that wait for a worker, from any thread to any worker, in order. A bounded queue
// without locks: each cell has a turn, which says whether the next writer or the next reader may
// use it.
//
// A turn is stored by whoever has claimed the cell, after it is done with `op`, and read by whoever
// claims it next, before it touches `op`: release and acquire. `in` and `out` order nothing. An old
// value of them leads to a cell whose turn has passed, and then they are read again, or to a claim
// that fails, because a claim always sees the latest value.

#ifndef CLIENT_WORKERS_RING_H
#define CLIENT_WORKERS_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RING_SIZE 4096u // a power of two

struct worker_op;

struct ring {
    _Alignas(64) _Atomic uint32_t in;
    _Alignas(64) _Atomic uint32_t out;
    struct ring_cell {
        _Atomic uint32_t turn; // its place: free; one more: full
        struct worker_op *op;
    } cells[RING_SIZE];
};

void ring_init(struct ring *ring);
bool ring_put(struct ring *ring, struct worker_op *op); // false: full
struct worker_op *ring_take(struct ring *ring);         // NULL: empty

#endif

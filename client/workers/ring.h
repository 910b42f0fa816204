// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Operations that wait for a worker: a bounded MPMC queue without locks, after Dmitry Vyukov. Each
// cell has a sequence number, which shows whether the next writer or the next reader may use it.
//
// The thread that has claimed a cell stores its number with a release after it has used `op`, and
// the next one loads it with an acquire before it does. `in` and `out` order nothing. An old value
// of them leads to a cell whose number has changed, and then they are read again, or to a claim
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
        _Atomic uint32_t seq; // the position: free; one more: full
        struct worker_op *op;
    } cells[RING_SIZE];
};

void ring_init(struct ring *ring);
bool ring_put(struct ring *ring, struct worker_op *op); // false: full
struct worker_op *ring_take(struct ring *ring);         // NULL: empty

#endif

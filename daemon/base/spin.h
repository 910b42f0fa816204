// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// When to poll an idle queue for a moment before sleeping. Polling saves a client on another CPU
// the wake-up, but prevents a client on our CPU from running at all. It adapts: after a few spins
// without a request, only one in many is tried again.

#ifndef DAEMON_SPIN_H
#define DAEMON_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#define SPIN_EMPTY_MAX 4  // in succession
#define SPIN_AGAIN     64 // idle periods before one more spin

struct spin {
    uint64_t since; // 0: not idle
    bool on;        // polled while idle
    unsigned empty; // in succession
    unsigned skipped;
};

// The queue has become idle: is it polled?
static inline bool spin_begin(struct spin *spin, uint64_t now)
{
    spin->since = now;
    spin->on = spin->empty < SPIN_EMPTY_MAX || ++spin->skipped % SPIN_AGAIN == 0;
    return spin->on;
}

static inline bool spin_goes_on(const struct spin *spin, uint64_t now, uint64_t limit_ns)
{
    return spin->on && now - spin->since < limit_ns;
}

// Called when no request has come: the queue is not polled any more.
static inline void spin_give_up(struct spin *spin)
{
    spin->empty += spin->on;
}

// Something has come. A spin that lasted longer than its limit was interrupted: it came while other
// processes ran.
static inline void spin_end(struct spin *spin, uint64_t now, uint64_t limit_ns)
{
    spin->empty = spin_goes_on(spin, now, limit_ns) ? 0 : spin->empty + spin->on;
    spin->since = 0;
}

#endif

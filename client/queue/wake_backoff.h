// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// When a thread yields its CPU before it wakes a sleeping engine.
//
// An engine that is woken runs as soon as it can, serves that one request, and sleeps again: two
// context switches and a system call for each request. If more threads poll than there are CPUs, it
// is better that all of them post first. So a thread yields before it rings the doorbell, and then
// rings only if no other thread has: an awake engine polls the queue pairs of all clients that used
// it lately. If the yield did not help, the number of requests without a yield doubles, up to
// WAKE_BACKOFF_SKIP_MAX.

#ifndef CLIENT_QUEUE_WAKE_BACKOFF_H
#define CLIENT_QUEUE_WAKE_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#define WAKE_BACKOFF_SKIP_MAX 4096

// All 0 at first. Belongs to one thread.
struct wake_backoff {
    uint32_t skip; // requests without a yield, after the last yield
    uint32_t left; // of those
};

static inline bool wake_backoff_is_due(struct wake_backoff *backoff)
{
    if (backoff->left == 0)
        return true;
    backoff->left--;
    return false;
}

// Call it after a yield. `helped`: the engine took the request during the yield.
static inline void wake_backoff_update(struct wake_backoff *backoff, bool helped)
{
    uint32_t twice = backoff->skip ? 2 * backoff->skip : 1;

    backoff->skip = helped ? 0 : twice < WAKE_BACKOFF_SKIP_MAX ? twice : WAKE_BACKOFF_SKIP_MAX;
    backoff->left = backoff->skip;
}

#endif

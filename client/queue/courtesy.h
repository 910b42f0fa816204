// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// When to let others run before a sleeping engine is woken.
//
// An engine that is woken runs as soon as it can, serves that one request, and sleeps again: two
// changes of threads and a system call for each request. Where many threads poll, more than there
// are CPUs, it is better that all of them post first. So a thread yields its CPU before it rings,
// and then rings only if nobody else has: an engine that is awake looks for the requests of all who
// used it lately. If that was in vain, nobody else rings here, or this thread is the one who rings
// for the others: it does it half as often the next time.

#ifndef CLIENT_QUEUE_COURTESY_H
#define CLIENT_QUEUE_COURTESY_H

#include <stdbool.h>
#include <stdint.h>

#define COURTESY_SKIP_MAX 4096

// All 0 at first. Belongs to one thread.
struct courtesy {
    uint32_t skip; // after the last one
    uint32_t left; // of them
};

static inline bool courtesy_is_due(struct courtesy *courtesy)
{
    if (courtesy->left == 0)
        return true;
    courtesy->left--;
    return false;
}

// `helped`: the engine has taken the request meanwhile.
static inline void courtesy_learn(struct courtesy *courtesy, bool helped)
{
    uint32_t twice = courtesy->skip ? 2 * courtesy->skip : 1;

    courtesy->skip = helped ? 0 : twice < COURTESY_SKIP_MAX ? twice : COURTESY_SKIP_MAX;
    courtesy->left = courtesy->skip;
}

#endif

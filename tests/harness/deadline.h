// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Time limits for waiting in tests. They are generous: only broken code reaches them.

#ifndef HARNESS_DEADLINE_H
#define HARNESS_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define HARNESS_LIMIT_MS 60000

static inline int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline int64_t deadline_in(int64_t ms)
{
    return now_ms() + ms;
}

// The remaining time, as a time-out for poll(2).
static inline int deadline_left(int64_t deadline)
{
    int64_t left = deadline - now_ms();
    return left > 0 ? (int)left : 0;
}

// Pauses between two checks of something that nobody announces. False when time is up.
static inline bool deadline_pause(int64_t deadline)
{
    if (now_ms() >= deadline)
        return false;
    nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
    return true;
}

#endif

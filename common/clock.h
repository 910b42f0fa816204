// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Clocks, in whole numbers.

#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>
#include <sys/time.h>
#include <time.h>

static inline uint64_t clock_read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Time that never jumps.
static inline uint64_t clock_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC);
}

static inline uint64_t clock_ms(void)
{
    return clock_ns() / 1000000;
}

// The same up to a tick ago, for a tenth of the price.
static inline uint64_t clock_coarse_ms(void)
{
    return clock_read_ns(CLOCK_MONOTONIC_COARSE) / 1000000;
}

// What the calendar shows.
static inline uint64_t clock_wall_us(void)
{
    return clock_read_ns(CLOCK_REALTIME) / 1000;
}

static inline struct timeval ms_to_timeval(uint64_t ms)
{
    return (struct timeval){.tv_sec = (time_t)(ms / 1000), .tv_usec = (long)(ms % 1000) * 1000};
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "latency.h"

#include <stdbool.h>

#define SET_US    10000                 // a clock is adjusted by less between two messages
#define UNSURE_NS UINT64_C(10000000000) // libevent looks at the calendar every five seconds

static struct latency latency;

// Since the last message, or so lately that the loop may not know.
static bool was_set(uint64_t now_us, uint64_t now_ns)
{
    static uint64_t offset_us, unsure_until_ns;
    uint64_t before_us = offset_us;

    offset_us = now_us - now_ns / 1000;
    uint64_t by_us = offset_us - before_us;
    if (before_us && by_us + SET_US > 2 * SET_US) // in either direction
        unsure_until_ns = now_ns + UNSURE_NS;
    return now_ns < unsure_until_ns;
}

void latency_add(uint64_t woken_us, uint64_t now_us, uint64_t now_ns)
{
    unsigned bucket = 0;

    if (was_set(now_us, now_ns))
        return;
    uint64_t us = now_us > woken_us ? now_us - woken_us : 0;
    for (uint64_t bound = 10; us > bound && bucket < LATENCY_BUCKETS - 1; bound *= 10)
        bucket++;
    latency.counts[bucket]++;
    latency.sum_us += us;
}

const struct latency *latency_read(void)
{
    return &latency;
}

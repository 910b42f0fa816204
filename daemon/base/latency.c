// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "latency.h"

static struct latency latency;

void latency_add(uint64_t us)
{
    unsigned bucket = 0;
    for (uint64_t bound = 10; us > bound && bucket < LATENCY_BUCKETS - 1; bound *= 10)
        bucket++;
    latency.counts[bucket]++;
    latency.sum_us += us;
}

const struct latency *latency_read(void)
{
    return &latency;
}

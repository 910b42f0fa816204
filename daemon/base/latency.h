// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How long messages wait after the loop has woken up.

#ifndef DAEMON_LATENCY_H
#define DAEMON_LATENCY_H

#include <stdint.h>

// Upper bounds in microseconds: 10, 100, ... ; the last has none.
#define LATENCY_BUCKETS 7

struct latency {
    uint64_t counts[LATENCY_BUCKETS];
    uint64_t sum_us;
};

// Counts one handled message: `us` microseconds after the loop woke up.
void latency_add(uint64_t us);

const struct latency *latency_read(void);

#endif

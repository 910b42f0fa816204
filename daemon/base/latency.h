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

// Counts one handled message: now, by the calendar, and when the loop woke up. The loop tells that
// time by the calendar alone, and for some seconds after the calendar was set it tells the old one:
// then nothing is counted. `now_ns` is the time of a clock that is never set.
void latency_add(uint64_t woken_us, uint64_t now_us, uint64_t now_ns);

const struct latency *latency_read(void);

#endif

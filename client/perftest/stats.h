// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Medians and percentiles.

#ifndef PERFTEST_STATS_H
#define PERFTEST_STATS_H

#include <stddef.h>
#include <stdint.h>

// Sorts the values. 0 if there are none.
double median(double *values, size_t n);

struct spread {
    double min, p50, p90, p99, p999, max, average, deviation; // in ns
};

// For durations in ticks, which are sorted.
void spread_of(struct spread *out, uint32_t *ticks, size_t n);

#endif

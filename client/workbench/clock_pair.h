// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two clocks at the same time, from which the rate of one in units of the other is computed.

#ifndef WORKBENCH_CLOCK_PAIR_H
#define WORKBENCH_CLOCK_PAIR_H

#include <stdint.h>

struct clock_pair {
    uint64_t counter;
    uint64_t ns;
};

// Reads `ns` between two readings of `counter`, several times, and returns the pair whose two
// readings are closest: a thread that loses its CPU between them makes a pair useless.
struct clock_pair clock_pair_take(uint64_t (*counter)(void), uint64_t (*ns)(void));

// Returns the nanoseconds in one unit of the counter.
double clock_pair_rate(const struct clock_pair *from, const struct clock_pair *to);

#endif

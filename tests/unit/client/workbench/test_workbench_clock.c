// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The rate of a counter, from readings between which the thread loses its CPU.

#include "unit.h"

#include "clock_pair.h"

#include <stdbool.h>

#define PERIOD    3       // ns of one unit of the counter
#define LOST      5000000 // units without the CPU: 15 ms
#define READ_TIME 10      // units

static uint64_t now;          // units since the start
static unsigned reads;        // of either clock
static unsigned undisturbed;  // the only try of 16, of three readings each, with the CPU throughout
static unsigned disturbances; // so far

static bool is_disturbed(void)
{
    return reads++ % 48 / 3 != undisturbed;
}

static uint64_t read_counter(void)
{
    uint64_t value = now;
    bool disturbed = is_disturbed();
    now += disturbed ? LOST : READ_TIME;
    disturbances += disturbed;
    return value;
}

static uint64_t read_ns(void)
{
    uint64_t value = now * PERIOD;
    (void)is_disturbed(); // it counts as a reading
    now += READ_TIME;
    return value;
}

static struct clock_pair take(unsigned which)
{
    reads = 0;
    undisturbed = which;
    return clock_pair_take(read_counter, read_ns);
}

START_TEST(closest_readings_are_taken)
{
    // Only one of sixteen is good, whichever it is.
    for (unsigned i = 0; i < 16; i++) {
        struct clock_pair pair = take(i);
        ck_assert_uint_eq(pair.counter * PERIOD, pair.ns);
    }
    ck_assert_uint_gt(disturbances, 0);
}
END_TEST

START_TEST(rate_of_a_counter)
{
    struct clock_pair from = take(3), to = take(9);
    ck_assert(clock_pair_rate(&from, &to) == PERIOD);
    // A counter that stands still, or goes back.
    ck_assert(clock_pair_rate(&from, &from) == 1);
    ck_assert(clock_pair_rate(&to, &from) == 1);
}
END_TEST

UNIT_MAIN("workbench_clock", closest_readings_are_taken, rate_of_a_counter)

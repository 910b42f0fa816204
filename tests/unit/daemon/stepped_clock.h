// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A clock that advances by 5 us at each reading, so that turns have the same length on each
// machine. For programs that are linked with --wrap=clock_gettime.

#ifndef TESTS_UNIT_STEPPED_CLOCK_H
#define TESTS_UNIT_STEPPED_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_STEP_NS 5000

static _Atomic uint64_t clock_now_ns = 1000000000; // the engine's thread reads the clock, too

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    uint64_t ns = atomic_fetch_add(&clock_now_ns, CLOCK_STEP_NS) + CLOCK_STEP_NS;
    *time = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    return 0;
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// For tests that count the library's log lines: this program replaces the clock by which the
// library folds equal lines, so that between any two readings more time passes than lines are
// folded for. All other clocks are right.

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Visible, so that the shared library finds this function, too.
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
    static _Atomic int looks;
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_MONOTONIC_COARSE)
        now->tv_sec += 10 * ++looks;
    return result;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A made-up time in which other threads run, or do not run, during yields. The program wraps
// clock_gettime() and getrusage(); its own sched_yield() calls yields_ran().

#ifndef TESTS_UNIT_YIELDS_H
#define TESTS_UNIT_YIELDS_H

#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>

static bool made_up, others_run;
static long switches, ran_ns;
static _Atomic unsigned asked; // how often the number of switches was

static inline void yields_ran(void)
{
    if (others_run) {
        switches++;
        ran_ns += 2000;
    }
}

int __real_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
    static struct timespec stopped; // Check asks for the time before and after a test
    int r = __real_clock_gettime(id, ts);
    if (!made_up)
        return r;
    if (!stopped.tv_sec)
        stopped = *ts;
    long ns = stopped.tv_nsec + ran_ns;
    *ts = (struct timespec){.tv_sec = stopped.tv_sec + ns / 1000000000, .tv_nsec = ns % 1000000000};
    return r;
}

int __real_getrusage(__rusage_who_t who, struct rusage *used);
int __wrap_getrusage(__rusage_who_t who, struct rusage *used);
int __wrap_getrusage(__rusage_who_t who, struct rusage *used)
{
    int r = __real_getrusage(who, used);
    asked++;
    if (made_up) {
        used->ru_nvcsw = switches;
        used->ru_nivcsw = 0;
    }
    return r;
}

#endif

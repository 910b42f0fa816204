// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Time: the processor's own counter if it runs at one speed on all cores, otherwise
// CLOCK_MONOTONIC. The cost of reading the clock is subtracted from single events; loops
// are timed as a whole, so that it does not count.

#ifndef PERFTEST_CLOCK_H
#define PERFTEST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

struct clock_source {
    bool counter; // the processor's; otherwise ticks are nanoseconds
    double ticks_per_ns;
    uint64_t overhead; // ticks between two readings
    uint64_t step;     // smallest difference between readings
};

extern struct clock_source clock_source;

// Measures the clock once, before the first reading and before any fork().
void clock_open(void);

const char *clock_name(void);

static inline uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t ticks_now(void)
{
#if defined(__x86_64__)
    unsigned core;
    if (clock_source.counter)
        return __rdtscp(&core); // waits for earlier instructions
#endif
    return clock_ns();
}

static inline double ticks_to_ns(uint64_t ticks)
{
    return (double)ticks / clock_source.ticks_per_ns;
}

// The time between two readings, without the cost of reading.
static inline uint64_t ticks_between(uint64_t before, uint64_t after)
{
    uint64_t apart = after - before;
    return (int64_t)apart > (int64_t)clock_source.overhead ? apart - clock_source.overhead : 0;
}

// Processor time of this process (0) or another in seconds; 0 if it is not available.
double cpu_seconds(pid_t pid);

// Moves the calling thread to a processor; -1 leaves it where it is.
bool cpu_pin(int cpu);
// Returns the nth of the processors that this process may use; -1 if there are fewer.
int cpu_nth(int n);

void sleep_us(unsigned us);

#endif

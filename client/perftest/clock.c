// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "clock.h"

#include "stats.h"

#include <sched.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define CALIBRATION_NS 20000000
#define OVERHEAD_TRIES 1001

struct clock_source clock_source = {.ticks_per_ns = 1};

static bool counter_is_steady(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(d & (1u << 27))) // RDTSCP
        return false;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8)); // invariant TSC
#else
    return false;
#endif
}

void clock_open(void)
{
    clock_source = (struct clock_source){.counter = counter_is_steady(), .ticks_per_ns = 1};
    if (clock_source.counter) {
        uint64_t ns = clock_ns(), ticks = ticks_now(), ns_end;
        do {
            ns_end = clock_ns();
        } while (ns_end - ns < CALIBRATION_NS);
        clock_source.ticks_per_ns = (double)(ticks_now() - ticks) / (double)(ns_end - ns);
    }
    double apart[OVERHEAD_TRIES];
    for (int i = 0; i < OVERHEAD_TRIES; i++) {
        uint64_t before = ticks_now();
        apart[i] = (double)(ticks_now() - before);
    }
    clock_source.overhead = (uint64_t)median(apart, OVERHEAD_TRIES);
    for (int i = 1; i < OVERHEAD_TRIES; i++) { // sorted now
        uint64_t step = (uint64_t)(apart[i] - apart[i - 1]);
        if (step && (!clock_source.step || step < clock_source.step))
            clock_source.step = step;
    }
}

const char *clock_name(void)
{
    return clock_source.counter ? "tsc" : "CLOCK_MONOTONIC";
}

double cpu_seconds(pid_t pid)
{
    clockid_t id = CLOCK_PROCESS_CPUTIME_ID;
    struct timespec t;
    if (pid && clock_getcpuclockid(pid, &id) != 0)
        return 0;
    if (clock_gettime(id, &t) < 0)
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool cpu_pin(int cpu)
{
    cpu_set_t set;
    if (cpu < 0)
        return true;
    if (cpu >= CPU_SETSIZE)
        return false;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof(set), &set) == 0;
}

int cpu_nth(int n)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) < 0)
        return -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set) && n-- == 0)
            return cpu;
    return -1;
}

void sleep_us(unsigned us)
{
    struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000};
    while (nanosleep(&t, &t) < 0)
        ;
}

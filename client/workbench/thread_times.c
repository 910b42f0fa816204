// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "thread_times.h"

#include <sys/resource.h>
#include <time.h>

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t thread_times_wall(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

struct thread_times thread_times_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (struct thread_times){thread_times_wall(), clock_ns(CLOCK_THREAD_CPUTIME_ID),
                                 usage.ru_nvcsw, usage.ru_majflt};
}

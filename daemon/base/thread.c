// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "thread.h"

#include "clock.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

int thread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *), void *arg)
{
    sigset_t all, before;

    // Signals must be blocked from the thread's first instruction on, hence before it
    // exists.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int r = pthread_create(thread, attr, work, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return r;
}

// pthread_timedjoin_np() takes the time of the calendar, which may be set while it waits, and musl
// has no pthread_clockjoin_np().
bool thread_join_until(pthread_t thread, uint64_t until_ms)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    while (pthread_tryjoin_np(thread, NULL) != 0) {
        if (clock_ms() >= until_ms)
            return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

#define KEPT_MAX 8 // a docad has an engine, and three threads for chores

static void *kept[KEPT_MAX] __attribute__((used));
static size_t n_kept;

void thread_keep(void *used)
{
    if (n_kept < KEPT_MAX)
        kept[n_kept++] = used;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "sync_page.h"

#include <errno.h>
#include <sys/timerfd.h>

int sync_timer_new(void)
{
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return timer < 0 ? -errno : timer;
}

bool sync_timer_is(int fd)
{
    struct itimerspec now;
    return timerfd_gettime(fd, &now) == 0; // EINVAL for anything else
}

void sync_timer_wake(int timer)
{
    static const struct itimerspec at_once = {.it_value.tv_nsec = 1};
    // It fails only if the descriptor is not a timer, and then no thread waits for it.
    timerfd_settime(timer, 0, &at_once, NULL);
}

void sync_page_wake(struct sync_page *page, int timer)
{
    // The writer that clears the flag wakes the sleepers. A sleeper that sets it again afterwards
    // reads the counter after that (se_job.c).
    if (!atomic_exchange(&page->sleeping, 0))
        return; // another writer wakes them
    atomic_fetch_add(&page->wakes, 1);
    sync_timer_wake(timer);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "sync_page.h"

#include <errno.h>
#include <sys/socket.h>

#define WAKE_TRIES 64
#define WAKE_QUEUE 1024 // more than a socket can hold

void sync_page_wake(struct sync_page *page, const int wake[2])
{
    const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    char byte = 0;

    if (!atomic_exchange(&page->sleeping, 0))
        return; // another writer wakes them
    atomic_fetch_add(&page->wakes, 1);
    // Each message wakes all sleepers, although none of them reads. When the queue is full
    // we make room; nobody else reads, so that no wake-up is lost between the two. If it is
    // full again and again, another writer sends all the time, which wakes them as well.
    for (unsigned tries = 0; tries < WAKE_TRIES; tries++) {
        if (send(wake[0], &byte, 1, flags) >= 0 || (errno != EAGAIN && errno != ENOBUFS))
            return;
        for (unsigned n = 0; n < WAKE_QUEUE && recv(wake[1], &byte, 1, flags) >= 0; n++)
            ;
    }
}

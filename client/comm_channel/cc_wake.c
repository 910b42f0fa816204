// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Wakes threads that wait for a descriptor: of this endpoint, or on the other side of a channel.

#include "comm_channel.h"

#include <sys/socket.h>
#include <unistd.h>

void cc_event_set(int fd)
{
    uint64_t one = 1;
    // The write fails only when the counter is saturated, and then it is readable.
    ssize_t n = write(fd, &one, sizeof(one));
    (void)n;
}

void cc_event_reset(int fd)
{
    uint64_t count;
    ssize_t n = read(fd, &count, sizeof(count));
    (void)n;
}

void cc_wake(const struct doca_comm_channel_addr_t *a)
{
    // No room: it has unread bytes, which wake the reader as well.
    send(a->wake, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A descriptor whose last close waits for an hour: a TCP socket that lingers over data which
// its other end never reads.

#ifndef INTEGRATION_LINGERING_H
#define INTEGRATION_LINGERING_H

#include <stdbool.h>
#include <stddef.h>

#define LINGERING_MAX 20 // descriptors that are sent at once

struct lingering {
    int listener, other;
    int fd;
};

void lingering_open(struct lingering *l);

// Sends it beside `size` bytes, as the last of `n_fds` descriptors, with these flags. False if the
// kernel refuses, because the receiver takes no descriptors, or has closed its end.
bool lingering_send(struct lingering *l, int sock, size_t size, size_t n_fds, int flags);

// Sends `n` of them beside one byte.
void lingering_send_each(struct lingering *l, size_t n, int sock);

// Closes it in the test process.
void lingering_leave(struct lingering *l);

// Ends the wait of the process that closes it.
void lingering_end(struct lingering *l);

#endif

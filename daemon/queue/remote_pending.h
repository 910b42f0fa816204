// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The requests of a client's queue pair that a remote_client has sent to another machine and that
// are not answered yet, each under its own number. They are in a memory file, so that the next
// docad can send them again. At whatever point docad dies, each request is in the client's ring,
// or here, or completed.

#ifndef DAEMON_REMOTE_PENDING_H
#define DAEMON_REMOTE_PENDING_H

#include "queue_pair.h"

struct remote_pending {
    uint32_t magic;
    _Atomic uint32_t taken;      // requests taken from the ring: entries from here on do not count
    _Atomic uint32_t completed;  // how many of those are completed
    _Atomic uint32_t completing; // the number that is being completed, or REMOTE_NONE
    _Atomic uint64_t used;       // numbers in use, one bit each
    struct remote_entry {
        uint32_t order; // order in which it was taken
        struct qp_request request;
    } entries[QP_ENTRIES]; // by number
};

#define REMOTE_NONE UINT32_MAX

// *fd becomes the file. 0 or -errno.
int remote_pending_new(struct remote_pending **out, int *fd);

// Opens the file of an earlier docad, and repairs it and its ring.
int remote_pending_open(struct remote_pending **out, int fd, struct qp_server *ring);

void remote_pending_close(struct remote_pending *pending); // takes NULL

// REMOTE_NONE if all are in use.
uint32_t remote_pending_free_number(const struct remote_pending *pending);

// Takes the ring's next request, under this number. Returns like qp_server_next().
int remote_pending_take(struct remote_pending *pending, struct qp_server *ring, uint32_t number);

// Returns NULL if there is no such number, or it is free.
const struct qp_request *remote_pending_get(struct remote_pending *pending, uint32_t number);

// Completes it in the ring. Returns like qp_server_complete().
int remote_pending_complete(struct remote_pending *pending, struct qp_server *ring, uint32_t number,
                            uint32_t status);

// Lists the numbers in use, in the order in which they were taken. Returns how many there are.
unsigned remote_pending_list(const struct remote_pending *pending, uint32_t numbers[QP_ENTRIES]);

#endif

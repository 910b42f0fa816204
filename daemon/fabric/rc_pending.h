// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The requests of a client's queue pair that an rc_client has sent to another machine and
// that were not answered yet, each under a number of its own: in a memory file, so that the
// docad after this one sends them again. Each request is in the client's ring, or here, or
// completed, wherever docad dies.

#ifndef DAEMON_RC_PENDING_H
#define DAEMON_RC_PENDING_H

#include "queue_pair.h"

struct rc_pending {
    uint32_t magic;
    _Atomic uint32_t taken;      // of the ring's requests: entries from here on do not count
    _Atomic uint32_t completed;  // of these
    _Atomic uint32_t completing; // the number whose completion comes next, or RC_NONE
    _Atomic uint64_t used;       // numbers: a bit each
    struct rc_entry {
        uint32_t order; // as it was taken
        struct qp_request request;
    } entries[QP_ENTRIES]; // by number
};

#define RC_NONE UINT32_MAX

// *fd is the file. 0 or -errno.
int rc_pending_new(struct rc_pending **out, int *fd);

// That of an earlier docad, and its ring: puts both right.
int rc_pending_open(struct rc_pending **out, int fd, struct qp_server *ring);

void rc_pending_close(struct rc_pending *pending); // takes NULL

// RC_NONE if all are in use.
uint32_t rc_pending_free_number(const struct rc_pending *pending);

// Takes the ring's next request, under this number. As qp_server_next().
int rc_pending_take(struct rc_pending *pending, struct qp_server *ring, uint32_t number);

// NULL if there is no such number, or it is free.
const struct qp_request *rc_pending_get(struct rc_pending *pending, uint32_t number);

// Completes it in the ring. As qp_server_complete().
int rc_pending_complete(struct rc_pending *pending, struct qp_server *ring, uint32_t number,
                        uint32_t status);

// The numbers in use, as they were taken. Returns how many.
unsigned rc_pending_list(const struct rc_pending *pending, uint32_t numbers[QP_ENTRIES]);

#endif

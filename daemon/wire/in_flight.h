// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors that docad has sent and that were not received yet. Linux limits how many docad's
// user may have in flight to RLIMIT_NOFILE; beyond that no packet with descriptors can be sent. So
// users share them: what one of them does not read delays only what is for the same user.

#ifndef DAEMON_IN_FLIGHT_H
#define DAEMON_IN_FLIGHT_H

#include "list.h"

#include <stdbool.h>
#include <sys/types.h>

// Descriptors that were sent over one socket; for an account together with its other sockets.
struct in_flight {
    struct in_flight_account *account;
    struct list in_account; // while there are any
    int sock;
    unsigned count; // may have been received
};

// For a Unix socket to a process of this account. 0 or -errno.
int in_flight_init(struct in_flight *in_flight, int sock, uid_t account);
void in_flight_fini(struct in_flight *in_flight); // if it was initialised, or is zero

// Charges `n` descriptors before they are sent. Returns false if too few would be left for others.
bool in_flight_take(struct in_flight *in_flight, unsigned n);
void in_flight_give(struct in_flight *in_flight, unsigned n); // they were not sent

#endif

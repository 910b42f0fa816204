// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Peers of an endpoint of the Comm Channel, in one process and without docad: the test has the
// other sides of their sockets.

#ifndef TESTS_UNIT_CLIENT_COMM_CHANNEL_CHANNEL_PEERS_H
#define TESTS_UNIT_CLIENT_COMM_CHANNEL_CHANNEL_PEERS_H

#include "comm_channel/comm_channel.h"

#define PEERS      3
#define PEER_QUEUE 512u

// What the other side has.
struct other {
    struct doca_comm_channel_addr_t *address; // this side's
    struct channel_page *page;
    int sock, wake;
    uint64_t sent, seen;
};

extern struct other others[PEERS];

// Opens the endpoint with n peers.
void peers_open(struct doca_comm_channel_ep_t *ep, enum cc_role role, int n);
void peers_close(struct doca_comm_channel_ep_t *ep);

void peers_add(struct doca_comm_channel_ep_t *ep, struct other *other);
void peers_leave(struct other *other);

// Sends n messages. Each is its sender's count.
void peers_say(int who, int n);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Channels between a service and its clients in one process and without docad: the library has both
// sides.

#ifndef TESTS_UNIT_CLIENT_COMM_CHANNEL_CHANNEL_PAIR_H
#define TESTS_UNIT_CLIENT_COMM_CHANNEL_CHANNEL_PAIR_H

#include "comm_channel/comm_channel.h"

#define PAIR_CLIENTS 12

struct channel_pair {
    struct doca_comm_channel_ep_t ep;        // the client's
    struct doca_comm_channel_addr_t *there;  // the service
    struct doca_comm_channel_addr_t *client; // as the service has it
};

struct channel_pairs {
    struct doca_comm_channel_ep_t service;
    struct channel_pair of[PAIR_CLIENTS];
    int n;
};

// Opens the service and n clients, with rings. Queues are of so many messages.
void pairs_open(struct channel_pairs *pairs, int n, uint16_t queue);
void pairs_close(struct channel_pairs *pairs);

// Ends a side as a process that is killed.
void pair_kill(struct doca_comm_channel_addr_t *address);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What libdocad-workbench may do to this library for faults that its user has asked for: break a
// connection of the program, as if the peer had gone. The peer sees that, too. All are called in
// the thread that uses the connection, and return false if it does not stand.

#ifndef CLIENT_INJECTION_LOST_PEERS_H
#define CLIENT_INJECTION_LOST_PEERS_H

#include <stdbool.h>

struct doca_comch_connection;
struct doca_comm_channel_addr_t;
struct doca_task;
struct doca_workq;

struct lost_peers {
    bool (*task)(struct doca_task *task); // its connection, in its completion
    bool (*comch)(struct doca_comch_connection *connection);
    bool (*comm_channel)(struct doca_comm_channel_addr_t *address);
    // Of DOCA 1.5 and 2.2: the connection whose event was retrieved last.
    bool (*rdma)(struct doca_workq *workq);
};

// Defined by libdocad-workbench, if it is preloaded: libdoca-client calls it when it is loaded.
__attribute__((weak, visibility("default"))) void
docad_offer_lost_peers(const struct lost_peers *functions);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Faults that libdocad-workbench may inject into this library: they break a connection of the
// program as if the peer had ended. The peer gets that end, too. All are called on the thread that
// uses the connection, and return false if it is not established.

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
    // For DOCA 1.5 and 2.2: the connection whose event was retrieved last.
    bool (*rdma)(struct doca_workq *workq);
};

// Defined by libdocad-workbench, if it is preloaded: libdoca-client calls it when it is loaded.
__attribute__((weak, visibility("default"))) void
docad_offer_lost_peers(const struct lost_peers *functions);

#endif

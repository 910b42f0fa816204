// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A host whose clients lend memory, queues and connections to linked nodes: imports, grants, queue
// pairs and RDMA connections from the owner's side.

#include "whole_node.h"

static const uint8_t clients[] = {20, 20, 20,  23,  23,  23,  22,  56,  56,  31,
                                  32, 33, 100, 100, 100, 102, 105, 105, 107, 108,
                                  25, 28, 130, 130, 134, 50,  52,  54,  162, 160};
static const uint8_t peers[] = {83,  83,  83,  83,  85,  87,  87,  87,  89,  93,  93,
                                90,  91,  94,  94,  95,  110, 110, 110, 112, 113, 113,
                                113, 114, 140, 140, 142, 143, 144, 2,   3,   211, 213};
const struct whole_node_play whole_node_play = {
    .role = "host",
    .client_bodies = clients,
    .n_client_bodies = sizeof(clients),
    .peer_bodies = peers,
    .n_peer_bodies = sizeof(peers),
    .peers = true,
    .bytes_only = false,
    .keeps = true,
};

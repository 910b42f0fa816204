// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Nodes that are linked to a whole node, over links that carry descriptors, and its clients.

#include "whole_node.h"

static const uint8_t clients[] = {20, 20, 23, 23, 25, 25,  25,  28,  28,  28,  31,  33,  33,  50,
                                  52, 27, 30, 32, 22, 100, 100, 103, 103, 102, 130, 132, 134, 160};
static const uint8_t peers[] = {83,  83,  83,  84,  84,  84,  87,  87,  88,  88,  88,  90,  90,
                                91,  2,   2,   3,   82,  85,  86,  89,  92,  93,  110, 110, 111,
                                111, 112, 140, 140, 141, 141, 142, 143, 144, 145, 211, 213};
const struct whole_node_play whole_node_play = {
    .role = "dpu",
    .client_bodies = clients,
    .n_client_bodies = sizeof(clients),
    .peer_bodies = peers,
    .n_peer_bodies = sizeof(peers),
    .peers = true,
    .bytes_only = false,
};

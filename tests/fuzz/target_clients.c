// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Clients of a whole node: every message that a program or docactl sends.

#include "whole_node.h"

static const uint8_t clients[] = {20,  20,  20,  23,  23,  23,  25,  25,  25,  28,  28,
                                  28,  31,  31,  33,  50,  12,  14,  15,  16,  18,  19,
                                  22,  27,  30,  32,  52,  54,  56,  100, 100, 103, 103,
                                  102, 130, 130, 132, 132, 134, 160, 162, 164};
static const uint8_t peers[] = {80};
const struct whole_node_play whole_node_play = {
    .role = "host",
    .client_bodies = clients,
    .n_client_bodies = sizeof(clients),
    .peer_bodies = peers,
    .n_peer_bodies = sizeof(peers),
    .peers = false,
    .bytes_only = false,
    .keeps = true,
};

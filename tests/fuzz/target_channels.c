// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Services, channels and queue pairs over links that carry bytes alone: relays, and what linked
// nodes send for them.

#include "whole_node.h"

static const uint8_t clients[] = {130, 130, 130, 132, 132, 132, 134, 20,
                                  23,  25,  25,  28,  28,  30,  50,  19};
static const uint8_t peers[] = {140, 140, 140, 141, 141, 141, 143, 143, 143, 143, 144,
                                144, 145, 142, 2,   3,   83,  84,  84,  87,  87,  88,
                                88,  93,  93,  93,  89,  92,  82,  211, 213};
const struct whole_node_play whole_node_play = {
    .role = "dpu",
    .client_bodies = clients,
    .n_client_bodies = sizeof(clients),
    .peer_bodies = peers,
    .n_peer_bodies = sizeof(peers),
    .peers = true,
    .bytes_only = true,
    .keeps = true,
};

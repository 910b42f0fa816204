// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A host as in target_owners.c, over links that carry bytes alone: docad moves the bytes of the
// memory that is lent, request by request.

#include "whole_node.h"

static const uint8_t clients[] = {20, 20, 20,  23,  23,  23,  22,  56,  56,  31,
                                  32, 33, 100, 100, 100, 102, 105, 105, 107, 108,
                                  25, 28, 130, 130, 134, 50,  52,  54,  162, 160};
static const uint8_t peers[] = {83, 83, 83,  87,  87,  87,  93,  93,  93,  93,  93, 89,
                                85, 92, 110, 113, 140, 140, 143, 143, 144, 145, 2,  211};
const struct whole_node_play whole_node_play = {
    .role = "host",
    .client_bodies = clients,
    .n_client_bodies = sizeof(clients),
    .peer_bodies = peers,
    .n_peer_bodies = sizeof(peers),
    .peers = true,
    .bytes_only = true,
};

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The address of a reliable connection's queue pair, which the two sides exchange.

#ifndef COMMON_VERBS_ADDRESS_H
#define COMMON_VERBS_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#define VERBS_GID_SIZE 16

struct verbs_address {
    uint32_t qpn, psn; // 24 bits each; a queue pair's number is never 0
    uint16_t lid;
    uint8_t mtu; // enum ibv_mtu
    bool ethernet;
    uint8_t reads; // RDMA reads and atomics that it serves at a time; 0: unknown
    uint8_t gid[VERBS_GID_SIZE];
};

#endif

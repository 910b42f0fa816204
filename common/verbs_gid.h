// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Chooses the GID of a port that a connection uses.

#ifndef COMMON_VERBS_GID_H
#define COMMON_VERBS_GID_H

#include "verbs_address.h"

#include <stddef.h>

enum verbs_gid_type { // values of enum ibv_gid_type
    VERBS_GID_IB = 0,
    VERBS_GID_ROCE_V1 = 1,
    VERBS_GID_ROCE_V2 = 2,
};

struct verbs_gid {
    uint32_t index; // in the port's table
    uint8_t raw[VERBS_GID_SIZE];
    uint32_t type; // enum verbs_gid_type
};

#define VERBS_GID_TEXT_SIZE 80

// "GID 1 (10.0.0.1, RoCE v2)".
const char *verbs_gid_format(const struct verbs_gid *gid, char text[VERBS_GID_TEXT_SIZE]);

// The GID with this IPv4 (4 bytes) or IPv6 (16 bytes) address, best type first. Without an
// address (0 bytes) the best GID: RoCE v2 before v1, IPv4 before IPv6, and an address that
// is valid beyond the network segment before one that is not. Returns NULL if there is none.
const struct verbs_gid *verbs_gid_choose(const struct verbs_gid *gids, size_t n,
                                         const uint8_t *address, size_t size);

const struct verbs_gid *verbs_gid_by_index(const struct verbs_gid *gids, size_t n, uint32_t index);

#endif

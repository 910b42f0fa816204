// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "address_space.h"

#include "limit.h"
#include "user.h"

// A process has 128 TiB of addresses, and about 65,000 mappings, which sessions also need.
#define BYTES    ((uint64_t)32 << 40)
#define MAPPINGS 16384u

static struct {
    uint64_t bytes, mappings;
} taken; // by all users

bool address_space_take(struct user *user, uint64_t bytes)
{
    uint64_t share = limit_share(BYTES, taken.bytes - user->mapped_bytes);

    if (user->mapped_bytes > share || bytes > share - user->mapped_bytes ||
        user->mappings >= limit_share(MAPPINGS, taken.mappings - user->mappings))
        return false;
    user->mapped_bytes += bytes;
    taken.bytes += bytes;
    user->mappings++;
    taken.mappings++;
    return true;
}

void address_space_give(struct user *user, uint64_t bytes)
{
    limit_give(&user->mapped_bytes, bytes);
    limit_give(&taken.bytes, bytes);
    limit_give(&user->mappings, 1);
    limit_give(&taken.mappings, 1);
}

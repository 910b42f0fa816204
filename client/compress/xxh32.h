// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// xxHash-32 with seed 0: the checksum of LZ4 frames. liblz4 keeps its own to itself.

#ifndef CLIENT_COMPRESS_XXH32_H
#define CLIENT_COMPRESS_XXH32_H

#include <stddef.h>
#include <stdint.h>

struct xxh32 {
    uint32_t lanes[4];
    uint64_t total;
    uint8_t rest[16]; // of the last, incomplete stripe
};

void xxh32_begin(struct xxh32 *hash);
void xxh32_update(struct xxh32 *hash, const uint8_t *data, size_t size);
uint32_t xxh32_value(const struct xxh32 *hash); // of everything so far

#endif

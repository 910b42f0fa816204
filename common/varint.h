// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Numbers in the encoding of protobuf.

#ifndef COMMON_VARINT_H
#define COMMON_VARINT_H

#include <stdbool.h>
#include <stdint.h>

// Reads a number. False at the end of the bytes, or if it is too long.
static inline bool varint_take(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    uint64_t number = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *out = number;
            return true;
        }
    }
    return false;
}

// Writes a number, at most 10 bytes. Returns the place behind it.
static inline uint8_t *varint_put(uint8_t *at, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        *at++ = (uint8_t)(number | 0x80);
    *at++ = (uint8_t)number;
    return at;
}

#endif

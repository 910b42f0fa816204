// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Copies of a few bytes, for which calling memcpy() takes longer than copying.

#ifndef CLIENT_WORK_SHORT_H
#define CLIENT_WORK_SHORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void copy_short(uint8_t *to, const uint8_t *from, size_t n)
{
    // The two copies of a length between two sizes overlap.
    if (n >= 16) {
        for (size_t at = 0; at + 16 < n; at += 16)
            memcpy(to + at, from + at, 16);
        memcpy(to + n - 16, from + n - 16, 16);
    } else if (n >= 8) {
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, from + n - 8, 8);
        memcpy(to, &first, 8);
        memcpy(to + n - 8, &last, 8);
    } else if (n >= 4) {
        uint32_t first, last;
        memcpy(&first, from, 4);
        memcpy(&last, from + n - 4, 4);
        memcpy(to, &first, 4);
        memcpy(to + n - 4, &last, 4);
    } else {
        for (size_t at = 0; at < n; at++)
            to[at] = from[at];
    }
}

#endif

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

// The most that move_short() moves.
#define MOVE_SHORT_MAX 64

// The same for ranges that may overlap: everything is read before anything is written.
static inline __attribute__((always_inline)) void move_short(uint8_t *to, const uint8_t *from,
                                                             size_t n)
{
    typedef uint8_t vector __attribute__((vector_size(16), aligned(1), may_alias));

    if (n > 32) {
        vector a = *(const vector *)from, b = *(const vector *)(from + 16);
        vector c = *(const vector *)(from + n - 32), d = *(const vector *)(from + n - 16);
        *(vector *)to = a;
        *(vector *)(to + 16) = b;
        *(vector *)(to + n - 32) = c;
        *(vector *)(to + n - 16) = d;
    } else if (n >= 16) {
        vector first = *(const vector *)from, last = *(const vector *)(from + n - 16);
        *(vector *)to = first;
        *(vector *)(to + n - 16) = last;
    } else if (n >= 4) {
        copy_short(to, from, n); // two words, both read first
    } else if (n) {
        uint8_t first = from[0], middle = from[n / 2], last = from[n - 1];
        to[0] = first;
        to[n / 2] = middle;
        to[n - 1] = last;
    }
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An array of buffers, of every interface.

#ifndef CLIENT_BUF_BUF_ARRAY_H
#define CLIENT_BUF_BUF_ARRAY_H

#include "core/alive.h"
#include "mmap/memory.h"

enum arr_state { ARR_NEW, ARR_STARTED, ARR_STOPPED };

struct doca_buf_arr {
    struct doca_mmap *mmap; // DOCA 3: NULL until the parameters are set
    bool doca_3;
    size_t length; // of the map
    enum arr_state state;
    size_t size; // of an element; 0: not set
    size_t num_elem;
    uint64_t start_offset;
    struct alive alive;
};

// Returns whether the array's elements of that size fit into a map of `length` bytes.
static inline bool buf_arr_fits(size_t length, size_t size, size_t num_elem, uint64_t start_offset)
{
    size_t end;

    return !__builtin_mul_overflow(size, num_elem, &end) &&
           !__builtin_add_overflow(end, start_offset, &end) && end <= length;
}

#endif

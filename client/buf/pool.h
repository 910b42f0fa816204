// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Pools of buffers of every interface.

#ifndef CLIENT_BUF_POOL_H
#define CLIENT_BUF_POOL_H

#include "buf_allocator.h"
#include "core/alive.h"

struct buf_pool {
    struct buf_allocator allocator;
    struct doca_mmap *mmap;
    size_t element_size;
    size_t alignment;
    struct alive alive;
};

// Makes a pool whose elements have no address yet. INVALID_VALUE if there can be no such elements,
// or NO_MEMORY.
doca_error_t pool_new(const union doca_data *user_data, size_t num_elements, uint32_t extensions,
                      size_t element_size, struct doca_mmap *mmap, struct buf_pool **out,
                      struct errtext *err);

// 0 means 1. INVALID_VALUE if it is not a power of two.
doca_error_t pool_align(struct buf_pool *pool, size_t alignment, struct errtext *err);

// Gives each element an address in the range: all must be free. INVALID_VALUE if the range is too
// short.
doca_error_t pool_carve(struct buf_pool *pool, uintptr_t start, size_t length, struct errtext *err);

// IN_USE while buffers are out.
doca_error_t pool_check_allocator(const struct buf_pool *pool, struct errtext *err);

// Takes NULL.
void pool_free(struct buf_pool *pool);

// The pool and its map are started. Returns NULL if all buffers are out.
struct doca_buf *pool_take(struct buf_pool *pool);

#endif

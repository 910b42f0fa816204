// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "plural.h"
#include "pool.h"

#include <stdlib.h>

static bool power_of_two(size_t n)
{
    return n && !(n & (n - 1));
}

doca_error_t pool_new(const union doca_data *user_data, size_t num_elements, uint32_t extensions,
                      size_t element_size, struct doca_mmap *mmap, struct buf_pool **out,
                      struct errtext *err)
{
    if (element_size == 0)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the size of elements is 0");
    struct buf_pool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a pool");
    pool->mmap = mmap;
    pool->element_size = element_size;
    pool->alignment = 1;
    doca_error_t r = buf_allocator_init(&pool->allocator, user_data, num_elements, extensions, err);
    if (r != DOCA_SUCCESS) {
        free(pool);
        return r;
    }
    buf_allocator_make_all(&pool->allocator); // each has a fixed address
    pool->allocator.fixed = true;
    alive_begin(&pool->alive);
    *out = pool;
    return DOCA_SUCCESS;
}

doca_error_t pool_align(struct buf_pool *pool, size_t alignment, struct errtext *err)
{
    if (alignment == 0)
        alignment = 1;
    if (!power_of_two(alignment))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "alignment %zu is not a power of two",
                           alignment);
    pool->alignment = alignment;
    return DOCA_SUCCESS;
}

doca_error_t pool_carve(struct buf_pool *pool, uintptr_t start, size_t length, struct errtext *err)
{
    size_t size = pool->element_size, n = pool->allocator.total, mask = pool->alignment - 1, stride,
           end;
    size_t gap = -start & mask;

    if (__builtin_add_overflow(size, mask, &stride) ||
        __builtin_mul_overflow(stride & ~mask, n - 1, &end) ||
        __builtin_add_overflow(end, size, &end) || __builtin_add_overflow(end, gap, &end) ||
        end > length)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%zu elements of %zu bytes, aligned to %zu, do not fit into the map's "
                           "%zu bytes",
                           n, size, pool->alignment, length);
    uintptr_t at = start + gap;
    for (struct doca_buf *buf = pool->allocator.free; buf; buf = buf->next, at += stride & ~mask) {
        buf->head = (uint8_t *)at;
        buf->len = size;
    }
    return DOCA_SUCCESS;
}

doca_error_t pool_check_allocator(const struct buf_pool *pool, struct errtext *err)
{
    const struct buf_allocator *allocator = &pool->allocator;

    if (!buf_allocator_busy(allocator))
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_IN_USE, "%u of %u buffer%s %s in use; release them first",
                       allocator->total - allocator->n_free, allocator->total,
                       PLURAL(allocator->total), IS_ARE(allocator->total - allocator->n_free));
}

void pool_free(struct buf_pool *pool)
{
    if (!pool)
        return;
    buf_allocator_fini(&pool->allocator);
    alive_end(&pool->alive);
    free(pool);
}

struct doca_buf *pool_take(struct buf_pool *pool)
{
    struct doca_buf *taken = buf_allocator_take(&pool->allocator, pool->mmap);
    if (taken)
        buf_place(taken, pool->mmap, taken->head, pool->element_size, taken->head, 0);
    return taken;
}

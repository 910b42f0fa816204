// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_bufpool: buffers of one size, cut from one memory map.

#include "buf_home.h"
#include "cleanup.h"
#include "core/refused.h"

#include <doca_bufpool.h>
#include <doca_mmap.h>

struct doca_bufpool {
    struct buf_home home;
    struct doca_mmap *mmap;
    size_t element_size;
};

static bool power_of_two(size_t n)
{
    return n && !(n & (n - 1));
}

// Cuts the elements: the place of each buffer never changes.
static doca_error_t carve(struct doca_bufpool *pool, uintptr_t start, size_t length,
                          size_t alignment, struct errtext *err)
{
    size_t size = pool->element_size, n = pool->home.total, stride, end;
    size_t gap = -start & (alignment - 1);

    if (__builtin_add_overflow(size, alignment - 1, &stride) ||
        __builtin_mul_overflow(stride & ~(alignment - 1), n - 1, &end) ||
        __builtin_add_overflow(end, size, &end) || __builtin_add_overflow(end, gap, &end) ||
        end > length)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%zu elements of %zu bytes, aligned to %zu, do not fit into the map's "
                           "%zu bytes",
                           n, size, alignment, length);
    stride &= ~(alignment - 1);
    for (size_t i = 0; i < n; i++) {
        pool->home.bufs[i].head = (uint8_t *)(start + gap + i * stride);
        pool->home.bufs[i].len = size;
    }
    return DOCA_SUCCESS;
}

static doca_error_t pool_create(size_t num_elements, uint32_t extensions, size_t element_size,
                                size_t element_alignment, const union doca_data *user_data,
                                const struct doca_mmap *mmap, uintptr_t start, size_t length,
                                struct doca_bufpool **out, struct errtext *err)
{
    if (element_size == 0)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the size of elements is 0");
    if (element_alignment == 0)
        element_alignment = 1;
    if (!power_of_two(element_alignment))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "alignment %zu is not a power of two",
                           element_alignment);
    if (num_elements > length) // before memory is allocated for them
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%zu elements do not fit into a map of %zu bytes", num_elements, length);
    cleanup_free struct doca_bufpool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a pool");
    pool->mmap = (struct doca_mmap *)mmap;
    pool->element_size = element_size;
    doca_error_t r = buf_home_init(&pool->home, user_data, num_elements, extensions, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = carve(pool, start, length, element_alignment, err);
    if (r != DOCA_SUCCESS) {
        buf_home_fini(&pool->home);
        return r;
    }
    *out = steal_ptr(pool);
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_create(const union doca_data *user_data, size_t num_elements,
                                 uint32_t extensions, size_t element_size, size_t element_alignment,
                                 const struct doca_mmap *mmap, struct doca_bufpool **bufpool)
{
    struct errtext err;
    void *start;
    size_t length;

    if (!mmap || !bufpool)
        return REFUSED_NULL(mmap, bufpool);
    doca_error_t r = doca_mmap_get_memrange(mmap, &start, &length);
    if (r != DOCA_SUCCESS)
        return r; // BAD_STATE: no range yet, reported in doca_mmap_get_memrange()
    r = pool_create(num_elements, extensions, element_size, element_alignment, user_data, mmap,
                    (uintptr_t)start, length, bufpool, &err);
    return report(__func__, r, &err);
}

doca_error_t doca_bufpool_destroy(struct doca_bufpool *bufpool)
{
    struct errtext err;

    if (!bufpool)
        return REFUSED_NULL(bufpool);
    if (buf_home_busy(&bufpool->home))
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_IN_USE,
                                  "%u of %u buffers are out; give them back first",
                                  bufpool->home.total - bufpool->home.n_free, bufpool->home.total),
                      &err);
    buf_home_fini(&bufpool->home);
    free(bufpool);
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_start(struct doca_bufpool *bufpool)
{
    struct errtext err;

    if (!bufpool)
        return REFUSED_NULL(bufpool);
    if (!mmap_usable(bufpool->mmap))
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_BAD_STATE,
                                  "the memory map is not started; start it first"),
                      &err);
    bufpool->home.started = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_stop(struct doca_bufpool *bufpool)
{
    if (!bufpool)
        return REFUSED_NULL(bufpool);
    bufpool->home.started = false;
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_buf_alloc(struct doca_bufpool *bufpool, struct doca_buf **buf)
{
    struct errtext err;

    if (!bufpool || !buf)
        return REFUSED_NULL(bufpool, buf);
    if (!bufpool->home.started || !mmap_usable(bufpool->mmap))
        return report(
            __func__,
            errtext_set(&err, DOCA_ERROR_BAD_STATE, "the pool or its memory map is not started"),
            &err);
    struct doca_buf *taken = buf_home_take(&bufpool->home, bufpool->mmap);
    if (!taken)
        return report_often(__func__, DOCA_ERROR_NO_MEMORY,
                            "all buffers of the pool are out; give some back first, or make a "
                            "larger pool");
    buf_place(taken, bufpool->mmap, taken->head, bufpool->element_size, taken->head, 0);
    *buf = taken;
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_get_num_elements(const struct doca_bufpool *bufpool,
                                           uint32_t *num_of_elements)
{
    if (!bufpool || !num_of_elements)
        return REFUSED_NULL(bufpool, num_of_elements);
    *num_of_elements = bufpool->home.total;
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_get_num_free_elements(const struct doca_bufpool *bufpool,
                                                uint32_t *num_of_free_elements)
{
    if (!bufpool || !num_of_free_elements)
        return REFUSED_NULL(bufpool, num_of_free_elements);
    *num_of_free_elements = bufpool->home.n_free;
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_get_user_data(const struct doca_bufpool *bufpool,
                                        union doca_data *user_data)
{
    if (!bufpool || !user_data)
        return REFUSED_NULL(bufpool, user_data);
    *user_data = bufpool->home.user_data;
    return DOCA_SUCCESS;
}

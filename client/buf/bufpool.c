// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_bufpool: buffers of one size, cut from one memory map.

#include "cleanup.h"
#include "core/refused.h"
#include "pool.h"

#include <doca_bufpool.h>
#include <doca_mmap.h>

struct doca_bufpool {
    struct buf_pool pool;
};

static doca_error_t make(size_t num_elements, uint32_t extensions, size_t element_size,
                         size_t element_alignment, const union doca_data *user_data,
                         const struct doca_mmap *mmap, struct buf_pool **out, struct errtext *err)
{
    const struct memory *memory = mmap_memory(mmap);
    struct buf_pool *pool = NULL;

    if (num_elements > memory->length) // before memory is allocated for them
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%zu elements do not fit into a map of %zu bytes", num_elements,
                           memory->length);
    doca_error_t r = pool_new(user_data, num_elements, extensions, element_size,
                              (struct doca_mmap *)mmap, &pool, err);
    if (r == DOCA_SUCCESS)
        r = pool_align(pool, element_alignment, err);
    if (r == DOCA_SUCCESS)
        r = pool_carve(pool, memory->start, memory->length, err);
    if (r == DOCA_SUCCESS)
        *out = steal_ptr(pool);
    pool_free(pool);
    return r;
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
    struct buf_pool *made = NULL;
    r = make(num_elements, extensions, element_size, element_alignment, user_data, mmap, &made,
             &err);
    if (r == DOCA_SUCCESS)
        *bufpool = (struct doca_bufpool *)made;
    return report(__func__, r, &err);
}

doca_error_t doca_bufpool_destroy(struct doca_bufpool *bufpool)
{
    struct errtext err;

    if (!bufpool)
        return REFUSED_NULL(bufpool);
    if (!alive_now(&bufpool->pool.alive))
        return refused(__func__, ENDED_ALREADY);
    doca_error_t r = pool_check_allocator(&bufpool->pool, &err);
    if (r == DOCA_SUCCESS)
        pool_free(&bufpool->pool);
    return report(__func__, r, &err);
}

doca_error_t doca_bufpool_start(struct doca_bufpool *bufpool)
{
    struct errtext err;

    if (!bufpool)
        return REFUSED_NULL(bufpool);
    if (!mmap_usable(bufpool->pool.mmap))
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_BAD_STATE,
                                  "the memory map is not started; start it first"),
                      &err);
    bufpool->pool.allocator.started = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_stop(struct doca_bufpool *bufpool)
{
    if (!bufpool)
        return REFUSED_NULL(bufpool);
    bufpool->pool.allocator.started = false;
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_buf_alloc(struct doca_bufpool *bufpool, struct doca_buf **buf)
{
    struct errtext err;

    if (!bufpool || !buf)
        return REFUSED_NULL(bufpool, buf);
    if (!bufpool->pool.allocator.started || !mmap_usable(bufpool->pool.mmap))
        return report(
            __func__,
            errtext_set(&err, DOCA_ERROR_BAD_STATE, "the pool or its memory map is not started"),
            &err);
    struct doca_buf *taken = pool_take(&bufpool->pool);
    if (!taken)
        return report_often(__func__, DOCA_ERROR_NO_MEMORY,
                            "all buffers of the pool are in use; release some first, or make a "
                            "larger pool");
    *buf = taken;
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_get_num_elements(const struct doca_bufpool *bufpool,
                                           uint32_t *num_of_elements)
{
    if (!bufpool || !num_of_elements)
        return REFUSED_NULL(bufpool, num_of_elements);
    *num_of_elements = bufpool->pool.allocator.total;
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_get_num_free_elements(const struct doca_bufpool *bufpool,
                                                uint32_t *num_of_free_elements)
{
    if (!bufpool || !num_of_free_elements)
        return REFUSED_NULL(bufpool, num_of_free_elements);
    *num_of_free_elements = bufpool->pool.allocator.n_free;
    return DOCA_SUCCESS;
}

doca_error_t doca_bufpool_get_user_data(const struct doca_bufpool *bufpool,
                                        union doca_data *user_data)
{
    if (!bufpool || !user_data)
        return REFUSED_NULL(bufpool, user_data);
    *user_data = bufpool->pool.allocator.user_data;
    return DOCA_SUCCESS;
}

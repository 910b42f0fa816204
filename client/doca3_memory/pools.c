// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Pools: DOCA 3 cuts the elements when a pool starts, so that their alignment can still be set.

#include "buf/pool.h"
#include "core/refused.h"

#include <doca_buf_pool.h>

struct doca_buf_pool {
    struct buf_pool pool;
};

doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
                                  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool)
{
    struct errtext err;
    struct buf_pool *made = NULL;

    if (!mmap || !buf_pool)
        return REFUSED_NULL(mmap, buf_pool);
    if (!mmap_memory(mmap)->length)
        return refused(__func__,
                       "the memory map has no range; call doca_mmap_set_memrange() first");
    doca_error_t r =
        pool_new(NULL, num_elements, 0, element_size, (struct doca_mmap *)mmap, &made, &err);
    if (r == DOCA_SUCCESS)
        *buf_pool = (struct doca_buf_pool *)made;
    return report(__func__, r, &err);
}

doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool)
{
    struct errtext err;

    if (!buf_pool)
        return REFUSED_NULL(buf_pool);
    if (!alive_now(&buf_pool->pool.alive))
        return refused(__func__, ENDED_ALREADY);
    doca_error_t r = pool_check_allocator(&buf_pool->pool, &err);
    if (r == DOCA_SUCCESS)
        pool_free(&buf_pool->pool);
    return report(__func__, r, &err);
}

doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool)
{
    struct errtext err;

    if (!buf_pool)
        return REFUSED_NULL(buf_pool);
    struct buf_pool *pool = &buf_pool->pool;
    if (!mmap_usable(pool->mmap))
        return report_why(__func__, DOCA_ERROR_BAD_STATE,
                          "the memory map is not started; start it first");
    if (pool->allocator.started)
        return DOCA_SUCCESS;
    const struct memory *memory = mmap_memory(pool->mmap);
    if (pool_carve(pool, memory->start, memory->length, &err) != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_INITIALIZATION, &err);
    pool->allocator.started = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool)
{
    struct errtext err;

    if (!buf_pool)
        return REFUSED_NULL(buf_pool);
    doca_error_t r = pool_check_allocator(&buf_pool->pool, &err);
    if (r == DOCA_SUCCESS)
        buf_pool->pool.allocator.started = false;
    return report(__func__, r, &err);
}

doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf)
{
    if (!buf_pool || !buf)
        return REFUSED_NULL(buf_pool, buf);
    if (!buf_pool->pool.allocator.started || !mmap_usable(buf_pool->pool.mmap))
        return report_why(__func__, DOCA_ERROR_BAD_STATE,
                          "the pool or its memory map is not started");
    struct doca_buf *taken = pool_take(&buf_pool->pool);
    if (!taken)
        return report_often(__func__, DOCA_ERROR_EMPTY,
                            "all buffers of the pool are in use; release some first, or make a "
                            "larger pool");
    *buf = taken;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data)
{
    if (!buf_pool)
        return REFUSED_NULL(buf_pool);
    if (buf_pool->pool.allocator.started)
        return report_why(__func__, DOCA_ERROR_BAD_STATE, "the pool is started; stop it first");
    buf_pool->pool.allocator.user_data = user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
                                                 size_t element_alignment)
{
    struct errtext err;

    if (!buf_pool || !element_alignment)
        return REFUSED_NULL(buf_pool, element_alignment);
    if (buf_pool->pool.allocator.started)
        return report_why(__func__, DOCA_ERROR_BAD_STATE, "the pool is started; stop it first");
    return report(__func__, pool_align(&buf_pool->pool, element_alignment, &err), &err);
}

doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
                                            uint32_t *num_of_elements)
{
    if (!buf_pool || !num_of_elements)
        return REFUSED_NULL(buf_pool, num_of_elements);
    *num_of_elements = buf_pool->pool.allocator.total;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
                                                 uint32_t *num_of_free_elements)
{
    if (!buf_pool || !num_of_free_elements)
        return REFUSED_NULL(buf_pool, num_of_free_elements);
    *num_of_free_elements = buf_pool->pool.allocator.n_free;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
                                         union doca_data *user_data)
{
    if (!buf_pool || !user_data)
        return REFUSED_NULL(buf_pool, user_data);
    *user_data = buf_pool->pool.allocator.user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
                                                 size_t *element_alignment)
{
    if (!buf_pool || !element_alignment)
        return REFUSED_NULL(buf_pool, element_alignment);
    *element_alignment = buf_pool->pool.alignment;
    return DOCA_SUCCESS;
}

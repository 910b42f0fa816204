// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Pools and arrays of DOCA 3: elements get their places when the pool starts.

#include "buf/buf.h"
#include "fake_core.h"
#include "unit.h"

#include <doca_buf.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>

static _Alignas(4096) uint8_t memory[8192];
static struct doca_mmap map;

static struct doca_buf_pool *pool_of(size_t n, size_t size)
{
    struct doca_buf_pool *pool = NULL;
    map = fake_map(memory + 8, 1000, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    ck_assert_int_eq(doca_buf_pool_create(n, size, &map, &pool), DOCA_SUCCESS);
    return pool;
}

START_TEST(null_is_refused)
{
    struct doca_buf_pool *pool = NULL;
    struct doca_buf *buf;
    union doca_data data = {0};
    uint32_t n;
    size_t size;
    struct doca_mmap without_range = {.usable = false};

    map = fake_map(memory, 1000, 0);
    ck_assert_int_eq(doca_buf_pool_create(1, 1, NULL, &pool), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_create(1, 1, &map, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_create(0, 1, &map, &pool), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_create(1, 0, &map, &pool), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_create(1, 1, &without_range, &pool), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_start(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_stop(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_buf_alloc(NULL, &buf), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_set_user_data(NULL, data), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_set_element_alignment(NULL, 8), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_get_num_elements(NULL, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_get_num_free_elements(NULL, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_get_user_data(NULL, &data), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_get_element_alignment(NULL, &size), DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(pool);
}
END_TEST

START_TEST(elements_are_cut_at_the_start)
{
    static const struct {
        size_t n, size, alignment;
        doca_error_t start;
    } cases[] = {
        {10, 100, 1, DOCA_SUCCESS},
        {11, 100, 1, DOCA_ERROR_INITIALIZATION},
        {7, 100, 128, DOCA_SUCCESS}, // from the first multiple of 128 on
        {8, 100, 128, DOCA_ERROR_INITIALIZATION},
        {1, SIZE_MAX, 1, DOCA_ERROR_INITIALIZATION},
        {2, SIZE_MAX / 2 + 1, 1, DOCA_ERROR_INITIALIZATION},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct doca_buf_pool *pool = pool_of(cases[i].n, cases[i].size);
        ck_assert_int_eq(doca_buf_pool_set_element_alignment(pool, cases[i].alignment),
                         DOCA_SUCCESS);
        ck_assert_int_eq(doca_buf_pool_start(pool), cases[i].start);
        ck_assert_int_eq(doca_buf_pool_destroy(pool), DOCA_SUCCESS);
    }
}
END_TEST

START_TEST(states)
{
    struct doca_buf_pool *pool = pool_of(2, 64);
    struct doca_buf *a = NULL, *b = NULL, *c = NULL;
    union doca_data data = {.u64 = 5}, got;
    size_t n;
    void *head;

    ck_assert_int_eq(doca_buf_pool_get_element_alignment(pool, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(doca_buf_pool_set_element_alignment(pool, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_set_element_alignment(pool, 48), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_set_element_alignment(pool, 64), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_pool_set_user_data(pool, data), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_pool_buf_alloc(pool, &a), DOCA_ERROR_BAD_STATE);
    map.usable = false;
    ck_assert_int_eq(doca_buf_pool_start(pool), DOCA_ERROR_BAD_STATE);
    map.usable = true;
    ck_assert_int_eq(doca_buf_pool_start(pool), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_pool_set_element_alignment(pool, 64), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_buf_pool_set_user_data(pool, data), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_buf_pool_get_user_data(pool, &got), DOCA_SUCCESS);
    ck_assert_uint_eq(got.u64, 5);
    ck_assert_int_eq(doca_buf_pool_buf_alloc(pool, &a), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_pool_buf_alloc(pool, &b), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_pool_buf_alloc(pool, &c), DOCA_ERROR_EMPTY);
    ck_assert_ptr_null(c);
    ck_assert_int_eq(doca_buf_get_head(a, &head), DOCA_SUCCESS);
    ck_assert_uint_eq((uintptr_t)head % 64, 0);
    ck_assert_int_eq(doca_buf_get_data_len(a, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 0);
    // A pool's buffers keep their places.
    ck_assert_int_eq(doca_buf_inventory_buf_reuse_by_addr(a, memory + 100, 8),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_pool_stop(pool), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_buf_pool_destroy(pool), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_buf_dec_refcount(a, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_dec_refcount(b, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_pool_stop(pool), DOCA_SUCCESS);
    // It is cut anew.
    ck_assert_int_eq(doca_buf_pool_set_element_alignment(pool, 256), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_pool_start(pool), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_pool_buf_alloc(pool, &a), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_get_head(a, &head), DOCA_SUCCESS);
    ck_assert_uint_eq((uintptr_t)head % 256, 0);
    ck_assert_int_eq(doca_buf_dec_refcount(a, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_pool_destroy(pool), DOCA_SUCCESS);
}
END_TEST

START_TEST(arrays_are_configured_and_checked)
{
    struct doca_buf_arr *arr = NULL;

    map = fake_map(memory, 1000, 0);
    ck_assert_int_eq(doca_buf_arr_create(0, &arr), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_create(10, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_create(10, &arr), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_arr_start(arr), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_buf_arr_set_params(NULL, &map, 10, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, NULL, 10, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, &map, 0, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, &map, 100, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, &map, 10, UINT64_MAX), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, &map, 100, 0), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_arr_start(arr), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, &map, 100, 0), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_buf_arr_stop(arr), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_arr_destroy(arr), DOCA_SUCCESS);
}
END_TEST

UNIT_MAIN("doca3_pools", null_is_refused, elements_are_cut_at_the_start, states,
          arrays_are_configured_and_checked)

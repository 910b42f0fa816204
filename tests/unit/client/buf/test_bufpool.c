// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_bufpool and doca_buf_arr: how a map is cut, and when.

#include "buf/buf.h"
#include "fake_core.h"
#include "unit.h"

#include <doca_buf_array.h>
#include <doca_bufpool.h>

static _Alignas(4096) uint8_t memory[8192];
static struct doca_mmap map;

static struct doca_bufpool *pool_of(size_t n, size_t size, size_t alignment)
{
    struct doca_bufpool *pool = NULL;
    ck_assert_int_eq(doca_bufpool_create(NULL, n, 0, size, alignment, &map, &pool), DOCA_SUCCESS);
    return pool;
}

static void use(size_t offset, size_t length)
{
    map = fake_map(memory + offset, length, DOCA_ACCESS_LOCAL_READ_WRITE);
}

START_TEST(wrong_arguments_are_refused)
{
    struct doca_bufpool *pool = NULL;
    struct doca_mmap without_range = {.usable = false};
    static const struct {
        size_t n, size, alignment;
        bool fits;
    } cases[] = {
        {10, 100, 0, true},
        {10, 100, 1, true},
        {0, 100, 0, false},
        {10, 0, 0, false},
        {11, 100, 0, false},
        {10, 101, 0, false},
        {10, 100, 3, false},
        {10, 100, 48, false},
        {7, 100, 128, true}, // from the first multiple of 128 on
        {8, 100, 128, false},
        {1, SIZE_MAX, 0, false},
        {2, SIZE_MAX / 2 + 1, 0, false},
        {SIZE_MAX, 1, 0, false},
        {1, 1, (size_t)1 << 63, false},
        {2, SIZE_MAX - 10, 64, false},
    };
    use(8, 1000);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        doca_error_t r = doca_bufpool_create(NULL, cases[i].n, 0, cases[i].size, cases[i].alignment,
                                             &map, &pool);
        ck_assert_int_eq(r, cases[i].fits ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
        if (cases[i].fits) {
            ck_assert_int_eq(doca_bufpool_destroy(pool), DOCA_SUCCESS);
            pool = NULL;
        }
        ck_assert_ptr_null(pool);
    }
    ck_assert_int_eq(doca_bufpool_create(NULL, 1, 1, 1, 0, &map, &pool), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_create(NULL, 1, 0, 1, 0, NULL, &pool), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_create(NULL, 1, 0, 1, 0, &map, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_create(NULL, 1, 0, 1, 0, &without_range, &pool),
                     DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_bufpool_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_start(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_stop(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(pool);
}
END_TEST

START_TEST(states)
{
    struct doca_bufpool *pool;
    struct doca_buf *buf = NULL;

    use(0, 1000);
    map.usable = false; // has its range, is not started
    pool = pool_of(10, 100, 0);
    ck_assert_int_eq(doca_bufpool_start(pool), DOCA_ERROR_BAD_STATE);
    map.usable = true;
    ck_assert_int_eq(doca_bufpool_buf_alloc(pool, &buf), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_bufpool_start(pool), DOCA_SUCCESS);
    ck_assert_int_eq(doca_bufpool_start(pool), DOCA_SUCCESS);
    ck_assert_int_eq(doca_bufpool_buf_alloc(pool, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_buf_alloc(NULL, &buf), DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(buf);
    ck_assert_int_eq(doca_bufpool_buf_alloc(pool, &buf), DOCA_SUCCESS);
    ck_assert_int_eq(doca_bufpool_stop(pool), DOCA_SUCCESS); // with a buffer out
    struct doca_buf *other = NULL;
    ck_assert_int_eq(doca_bufpool_buf_alloc(pool, &other), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_bufpool_destroy(pool), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_buf_refcount_rm(buf, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_bufpool_start(pool), DOCA_SUCCESS);
    ck_assert_int_eq(doca_bufpool_destroy(pool), DOCA_SUCCESS);
}
END_TEST

START_TEST(elements_are_aligned_and_apart)
{
    static const size_t alignments[] = {0, 1, 2, 64, 256};
    for (size_t a = 0; a < ARRAY_SIZE(alignments); a++) {
        size_t alignment = alignments[a] ? alignments[a] : 1;
        enum { N = 10 };
        struct doca_buf *buf[N], *more = NULL;
        uint32_t n;

        use(3, 8000);
        struct doca_bufpool *pool = pool_of(N, 200, alignments[a]);
        ck_assert_int_eq(doca_bufpool_start(pool), DOCA_SUCCESS);
        for (int round = 0; round < 2; round++) {
            for (size_t i = 0; i < N; i++) {
                ck_assert_int_eq(doca_bufpool_buf_alloc(pool, &buf[i]), DOCA_SUCCESS);
                ck_assert_uint_eq((uintptr_t)buf[i]->head % alignment, 0);
                ck_assert(buf[i]->head >= memory + 3);
                ck_assert(buf[i]->head + 200 <= memory + 8003);
                ck_assert_uint_eq(buf[i]->len, 200);
                ck_assert_ptr_eq(buf[i]->data, buf[i]->head);
                ck_assert_uint_eq(buf[i]->data_len, 0);
                for (size_t k = 0; k < i; k++)
                    ck_assert(buf[k]->head + 200 <= buf[i]->head ||
                              buf[i]->head + 200 <= buf[k]->head);
                ck_assert_int_eq(doca_bufpool_get_num_free_elements(pool, &n), DOCA_SUCCESS);
                ck_assert_uint_eq(n, N - 1 - i);
            }
            ck_assert_int_eq(doca_bufpool_buf_alloc(pool, &more), DOCA_ERROR_NO_MEMORY);
            ck_assert_ptr_null(more);
            ck_assert_uint_eq(map.bufs, N);
            for (size_t i = 0; i < N; i++) {
                ck_assert_int_eq(doca_buf_set_data(buf[i], buf[i]->head + 1, 7), DOCA_SUCCESS);
                ck_assert_int_eq(doca_buf_refcount_rm(buf[i], NULL), DOCA_SUCCESS);
            }
        }
        ck_assert_int_eq(doca_bufpool_destroy(pool), DOCA_SUCCESS);
        ck_assert_uint_eq(map.bufs, 0);
    }
}
END_TEST

START_TEST(properties_are_as_created)
{
    union doca_data data = {.u64 = 99}, got;
    struct doca_bufpool *pool;
    uint32_t n;
    use(0, 1000);
    ck_assert_int_eq(doca_bufpool_create(&data, 3, 0, 10, 0, &map, &pool), DOCA_SUCCESS);
    ck_assert_int_eq(doca_bufpool_get_user_data(pool, &got), DOCA_SUCCESS);
    ck_assert_uint_eq(got.u64, 99);
    ck_assert_int_eq(doca_bufpool_get_num_elements(pool, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(doca_bufpool_get_num_elements(pool, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_get_num_elements(NULL, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_get_num_free_elements(pool, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_get_num_free_elements(NULL, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_get_user_data(pool, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_get_user_data(NULL, &got), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_bufpool_destroy(pool), DOCA_SUCCESS);
}
END_TEST

START_TEST(arrays_are_configured_and_checked)
{
    struct doca_buf_arr *arr = NULL;
    struct doca_gpu_buf_arr *gpu_arr = NULL;
    struct doca_gpu *gpu = (struct doca_gpu *)memory;
    struct doca_mmap without_range = {.usable = false};

    use(0, 1000);
    map.usable = false;
    ck_assert_int_eq(doca_buf_arr_create(NULL, &arr), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_create(&map, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_create(&without_range, &arr), DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(arr);
    ck_assert_int_eq(doca_buf_arr_create(&map, &arr), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_arr_set_params(NULL, 10, 10, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, 0, 10, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, 10, 0, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, 10, 101, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, 10, 100, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, SIZE_MAX, 2, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_start(arr), DOCA_ERROR_BAD_STATE); // no parameters
    ck_assert_int_eq(doca_buf_arr_set_params(arr, 10, 99, 10), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_arr_start(arr), DOCA_ERROR_BAD_STATE); // map not started
    ck_assert_int_eq(doca_buf_arr_set_target_gpu(arr, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_target_gpu(NULL, gpu), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_set_target_gpu(arr, gpu), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_buf_arr_get_gpu_handle(arr, &gpu_arr), DOCA_ERROR_BAD_STATE);
    map.usable = true;
    ck_assert_int_eq(doca_buf_arr_start(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_start(arr), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_arr_start(arr), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_buf_arr_set_params(arr, 10, 10, 0), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_buf_arr_set_target_gpu(arr, gpu), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_buf_arr_get_gpu_handle(arr, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_get_gpu_handle(NULL, &gpu_arr), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_get_gpu_handle(arr, &gpu_arr), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_ptr_null(gpu_arr);
    ck_assert_int_eq(doca_buf_arr_stop(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_stop(arr), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_arr_stop(arr), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_arr_start(arr), DOCA_ERROR_NOT_PERMITTED); // once only
    ck_assert_int_eq(doca_buf_arr_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_buf_arr_destroy(arr), DOCA_SUCCESS);
}
END_TEST

UNIT_MAIN("bufpool", wrong_arguments_are_refused, states, elements_are_aligned_and_apart,
          properties_are_as_created, arrays_are_configured_and_checked)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "absent_3.h"

#include <check.h>
#include <doca_compress.h>
#include <doca_dev.h>
#include <doca_erasure_coding.h>

#define COMPRESSION(name)                                                                          \
    static void name##_over(struct doca_compress_task_##name *task, union doca_data data,          \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        (void)task;                                                                                \
        (void)data;                                                                                \
        (void)ctx_data;                                                                            \
    }                                                                                              \
    static void expect_##name(struct doca_devinfo *info, struct doca_compress *lib,                \
                              doca_error_t expected)                                               \
    {                                                                                              \
        uint64_t size = 7;                                                                         \
        ck_assert_int_eq(doca_compress_cap_task_##name##_is_supported(info), expected);            \
        ck_assert_int_eq(doca_compress_cap_task_##name##_get_max_buf_size(info, &size), expected); \
        ck_assert_int_eq(size == 7, expected != DOCA_SUCCESS);                                     \
        ck_assert_int_eq(doca_compress_task_##name##_set_conf(lib, name##_over, name##_over, 1),   \
                         expected);                                                                \
    }

COMPRESSION(compress_deflate)
COMPRESSION(decompress_deflate)
COMPRESSION(decompress_lz4_stream)
COMPRESSION(decompress_lz4_block)

#define CODING(name)                                                                               \
    static void name##_over(struct doca_ec_task_##name *task, union doca_data data,                \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        (void)task;                                                                                \
        (void)data;                                                                                \
        (void)ctx_data;                                                                            \
    }                                                                                              \
    static void expect_##name(struct doca_devinfo *info, struct doca_ec *lib,                      \
                              doca_error_t expected)                                               \
    {                                                                                              \
        ck_assert_int_eq(doca_ec_cap_task_##name##_is_supported(info), expected);                  \
        ck_assert_int_eq(doca_ec_task_##name##_set_conf(lib, name##_over, name##_over, 1),         \
                         expected);                                                                \
    }

CODING(galois_mul)
CODING(create)
CODING(update)
CODING(recover)

void absent_of_3(struct doca_dev *dev, bool has_deflate)
{
    doca_error_t expected = has_deflate ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
    struct doca_devinfo *info = (struct doca_devinfo *)dev;
    struct doca_ec_matrix *matrix = NULL;
    struct doca_compress *compress;
    struct doca_ec *ec;

    ck_assert_int_eq(doca_compress_create(dev, &compress), DOCA_SUCCESS);
    expect_compress_deflate(info, compress, expected);
    expect_decompress_deflate(info, compress, expected);
    expect_decompress_lz4_stream(info, compress, DOCA_ERROR_NOT_SUPPORTED);
    expect_decompress_lz4_block(info, compress, DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_compress_destroy(compress), DOCA_SUCCESS);

    ck_assert_int_eq(doca_ec_create(dev, &ec), DOCA_SUCCESS);
    expect_galois_mul(info, ec, expected);
    expect_create(info, ec, expected);
    expect_update(info, ec, expected);
    expect_recover(info, ec, expected);
    ck_assert_int_eq(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 2, 2, &matrix),
                     expected);
    if (matrix)
        ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_destroy(ec), DOCA_SUCCESS);
}

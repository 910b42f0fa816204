// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A library that was built without ISA-L, or without liblz4: what it lacks is a capability that
// says no, in both interfaces, and nothing can be submitted that would need it.

#include "absent_3.h"

#include "../dma/dma_rig.h"
#include "unit.h"

#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_erasure_coding.h>

static const enum doca_compress_job_types types[] = {
    DOCA_COMPRESS_DEFLATE_JOB, DOCA_DECOMPRESS_DEFLATE_JOB, DOCA_DECOMPRESS_LZ4_JOB};
#define N_TYPES 3

// What this build has.
#ifdef DOCAD_HAVE_ISAL
static const bool has_deflate = true;
#else
static const bool has_deflate = false;
#endif

static doca_error_t expected(enum doca_compress_job_types type)
{
    return has_deflate && type != DOCA_DECOMPRESS_LZ4_JOB ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

static struct doca_devinfo *devinfo(void)
{
    return (struct doca_devinfo *)&fake_dev; // as the fake core has it
}

START_TEST(capabilities_of_2_2)
{
    uint64_t size = 7;
    uint32_t n = 7;

    for (unsigned i = 0; i < N_TYPES; i++) {
        ck_assert_int_eq(doca_compress_job_get_supported(devinfo(), types[i]), expected(types[i]));
        ck_assert_int_eq(doca_compress_get_max_buf_size(devinfo(), types[i], &size),
                         expected(types[i]));
    }
    for (int type = DOCA_EC_JOB_GALOIS_MUL; type <= DOCA_EC_JOB_RECOVER; type++) {
        doca_error_t r = has_deflate ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
        ck_assert_int_eq(doca_ec_job_get_supported(devinfo(), (enum doca_ec_job_types)type), r);
        ck_assert_int_eq(doca_ec_get_max_buffer_size(devinfo(), (enum doca_ec_job_types)type, &n),
                         r);
    }
    ck_assert(has_deflate || (size == 7 && n == 7));
}
END_TEST

// Contexts can be made, started and stopped; their jobs are refused.
START_TEST(jobs_of_2_2)
{
    static uint8_t memory[256];
    struct doca_mmap map = local_map(memory, sizeof(memory));
    struct doca_compress *lib;

    ck_assert_int_eq(doca_compress_create(&lib), DOCA_SUCCESS);
    struct doca_ctx *lib_ctx = doca_compress_as_ctx(lib);
    ck_assert_int_eq(doca_ctx_dev_add(lib_ctx, &fake_dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(lib_ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(lib_ctx, workq), DOCA_SUCCESS);
    for (unsigned i = 0; i < N_TYPES; i++) {
        struct doca_event event;
        struct doca_compress_deflate_job job = {.base = {.type = types[i], .ctx = lib_ctx},
                                                .src_buff = buffer(&map, memory, 64, 64),
                                                .dst_buff = buffer(&map, memory + 64, 192, 5)};
        ck_assert_int_eq(doca_workq_submit(workq, &job.base), expected(types[i]));
        while (expected(types[i]) == DOCA_SUCCESS &&
               doca_workq_progress_retrieve(workq, &event, 0) == DOCA_ERROR_AGAIN)
            ;
        if (expected(types[i]) != DOCA_SUCCESS)
            ck_assert_uint_eq(job.dst_buff->data_len, 5);
        drop((struct doca_buf *)(uintptr_t)job.src_buff);
        drop(job.dst_buff);
    }
    ck_assert_int_eq(doca_ctx_workq_rm(lib_ctx, workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_compress_destroy(lib), DOCA_SUCCESS);
}
END_TEST

START_TEST(matrices_of_2_2)
{
    uint8_t raw[] = {1, 2, 3, 4};
    struct doca_matrix *matrix = NULL;
    struct doca_ec *lib;

    ck_assert_int_eq(doca_ec_create(&lib), DOCA_SUCCESS);
    doca_error_t r = has_deflate ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
    ck_assert_int_eq(doca_ec_matrix_create(lib, DOCA_CODING_MATRIX_CAUCHY, 2, 2, &matrix), r);
    if (matrix)
        ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_from_raw(lib, raw, 2, 2, &matrix), r);
    if (has_deflate)
        ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_SUCCESS);
    else
        ck_assert_ptr_null(matrix);
    ck_assert_int_eq(doca_ec_destroy(lib), DOCA_SUCCESS);
}
END_TEST

START_TEST(all_of_3)
{
    absent_of_3(&fake_dev, has_deflate);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("absent");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, capabilities_of_2_2);
    tcase_add_test(tcase, jobs_of_2_2);
    tcase_add_test(tcase, matrices_of_2_2);
    tcase_add_test(tcase, all_of_3);
    return unit_run_case("absent", tcase);
}

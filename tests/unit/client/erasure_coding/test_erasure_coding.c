// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Erasure coding jobs of the 2.2 interface. What is computed is tested with the tasks of DOCA 3.

#include "../dma/dma_rig.h"
#include "unit.h"

#include <doca_ctx.h>
#include <doca_erasure_coding.h>
#include <string.h>

#define N_DATA 4
#define N_RDNC 2
#define BLOCK  128

static struct doca_ec *ec;
static struct doca_matrix *coding;
static uint8_t from[8 * BLOCK], to[8 * BLOCK];
static struct doca_mmap from_map, to_map;

static void setup_jobs(void)
{
    setup(); // buffers and the work queue come from there
    from_map = local_map(from, sizeof(from));
    to_map = local_map(to, sizeof(to));
    fill(from, sizeof(from), 1);
    memset(to, 0, sizeof(to));
    ck_assert_int_eq(doca_ec_create(&ec), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_dev_add(doca_ec_as_ctx(ec), &fake_dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(doca_ec_as_ctx(ec)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(doca_ec_as_ctx(ec), workq), DOCA_SUCCESS);
    ck_assert_int_eq(
        doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_VANDERMONDE, N_DATA, N_RDNC, &coding),
        DOCA_SUCCESS);
}

static void teardown_jobs(void)
{
    ck_assert_int_eq(doca_ec_matrix_destroy(coding), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_destroy(ec), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_ctx_workq_rm(doca_ec_as_ctx(ec), workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(doca_ec_as_ctx(ec)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_destroy(ec), DOCA_SUCCESS);
    teardown();
}

static doca_error_t submit_job(enum doca_ec_job_types type, struct doca_matrix *matrix,
                               const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_ec_job job = {.base = {.type = (int)type, .ctx = doca_ec_as_ctx(ec)},
                              .coding_matrix = matrix,
                              .src_buff = src,
                              .dst_buff = dst};
    return doca_workq_submit(workq, &job.base);
}

// The job's result.
static doca_error_t run(enum doca_ec_job_types type, struct doca_matrix *matrix,
                        const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_event event;
    ck_assert_int_eq(submit_job(type, matrix, src, dst), DOCA_SUCCESS);
    doca_error_t r = doca_workq_progress_retrieve(workq, &event, 0);
    ck_assert_int_eq(event.type, (int)type);
    ck_assert_int_eq(r, event.result.u64 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS);
    return (doca_error_t)event.result.u64;
}

START_TEST(blocks_are_lost_and_recovered)
{
    uint32_t missing[] = {0, 3};
    uint8_t data[N_DATA * BLOCK];
    struct doca_matrix *recovery;
    struct doca_buf *src = buffer(&from_map, from, N_DATA * BLOCK, N_DATA * BLOCK);
    struct doca_buf *dst = buffer(&to_map, to, N_RDNC * BLOCK, 0);

    memcpy(data, from, sizeof(data));
    ck_assert_int_eq(run(DOCA_EC_JOB_CREATE, coding, src, dst), DOCA_SUCCESS);
    ck_assert_uint_eq(dst->data_len, N_RDNC * BLOCK);
    memmove(from, from + BLOCK, 2 * BLOCK);
    memcpy(from + 2 * BLOCK, to, N_RDNC * BLOCK);
    dst->data_len = 0;
    ck_assert_int_eq(doca_ec_recover_matrix_create(coding, ec, missing, 2, &recovery),
                     DOCA_SUCCESS);
    ck_assert_int_eq(run(DOCA_EC_JOB_RECOVER, recovery, src, dst), DOCA_SUCCESS);
    ck_assert_mem_eq(to, data, BLOCK);
    ck_assert_mem_eq(to + BLOCK, data + 3 * BLOCK, BLOCK);
    ck_assert_int_eq(doca_ec_matrix_destroy(recovery), DOCA_SUCCESS);
    drop(src);
    drop(dst);
}
END_TEST

START_TEST(an_update_and_a_product)
{
    uint32_t changed[] = {2};
    struct doca_matrix *change;
    struct doca_buf *src = buffer(&from_map, from, N_DATA * BLOCK, N_DATA * BLOCK);
    struct doca_buf *few = buffer(&from_map, from + 4 * BLOCK, 4 * BLOCK, 4 * BLOCK);
    struct doca_buf *dst = buffer(&to_map, to, N_RDNC * BLOCK, 0);
    struct doca_buf *again = buffer(&to_map, to + 4 * BLOCK, N_RDNC * BLOCK, 0);

    ck_assert_int_eq(run(DOCA_EC_JOB_GALOIS_MUL, coding, src, dst), DOCA_SUCCESS);
    memcpy(from + 4 * BLOCK, from + 2 * BLOCK, BLOCK);
    fill(from + 2 * BLOCK, BLOCK, 99);
    memcpy(from + 5 * BLOCK, from + 2 * BLOCK, BLOCK);
    memcpy(from + 6 * BLOCK, to, N_RDNC * BLOCK);
    ck_assert_int_eq(doca_ec_update_matrix_create(coding, ec, changed, 1, &change), DOCA_SUCCESS);
    ck_assert_int_eq(run(DOCA_EC_JOB_UPDATE, change, few, again), DOCA_SUCCESS);
    dst->data_len = 0;
    ck_assert_int_eq(run(DOCA_EC_JOB_CREATE, coding, src, dst), DOCA_SUCCESS);
    ck_assert_mem_eq(to, to + 4 * BLOCK, N_RDNC * BLOCK);
    ck_assert_int_eq(doca_ec_matrix_destroy(change), DOCA_SUCCESS);
    drop(src);
    drop(few);
    drop(dst);
    drop(again);
}
END_TEST

START_TEST(jobs_that_are_refused_or_fail)
{
    struct doca_buf *src = buffer(&from_map, from, N_DATA * BLOCK, N_DATA * BLOCK);
    struct doca_buf *dst = buffer(&to_map, to, N_RDNC * BLOCK, 0);
    struct doca_buf *small = buffer(&to_map, to, N_RDNC * BLOCK - 1, 0);
    struct doca_matrix *gone;

    ck_assert_int_eq(doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_CAUCHY, N_DATA, N_RDNC, &gone),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_destroy(gone), DOCA_SUCCESS);
    ck_assert_int_eq(submit_job(DOCA_EC_JOB_CREATE, gone, src, dst), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(
        submit_job((enum doca_ec_job_types)(DOCA_EC_JOB_RECOVER + 1), coding, src, dst),
        DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(submit_job(DOCA_EC_JOB_CREATE, NULL, src, dst), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(submit_job(DOCA_EC_JOB_CREATE, coding, NULL, dst), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(submit_job(DOCA_EC_JOB_CREATE, coding, src, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(run(DOCA_EC_JOB_UPDATE, coding, src, dst), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(run(DOCA_EC_JOB_CREATE, coding, src, small), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(small->data_len, 0);
    drop(src);
    drop(dst);
    drop(small);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("erasure_coding");
    tcase_add_checked_fixture(tcase, setup_jobs, teardown_jobs);
    tcase_add_test(tcase, blocks_are_lost_and_recovered);
    tcase_add_test(tcase, an_update_and_a_product);
    tcase_add_test(tcase, jobs_that_are_refused_or_fail);
    return unit_run_case("erasure_coding", tcase);
}

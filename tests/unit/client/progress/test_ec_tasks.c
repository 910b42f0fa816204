// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Erasure coding tasks of DOCA 3 on local, imported and brokered memory: redundancy that is made,
// changed, and used to recover blocks.

#include "../dma/dma_rig.h"
#include "../worker_watch.h"
#include "erasure_coding/ec_job.h"
#include "task_runs.h"
#include "unit.h"

#include <doca_erasure_coding.h>
#include <stdlib.h>
#include <string.h>

#define N_DATA     5
#define N_RDNC     3
#define BLOCK      700
#define BLOCKS_MAX (2 * N_DATA + N_RDNC)

static struct doca_ec *lib;
static struct doca_ec_matrix *coding;
static uint8_t from[BLOCKS_MAX * BLOCK], to[BLOCKS_MAX * BLOCK];
static struct doca_mmap from_map, to_map;

TASK_CALLBACKS(doca_ec, galois_mul)
TASK_CALLBACKS(doca_ec, create)
TASK_CALLBACKS(doca_ec, update)
TASK_CALLBACKS(doca_ec, recover)

static void setup_tasks(void)
{
    setup(); // buffers come from there
    from_map = local_map(from, sizeof(from));
    to_map = local_map(to, sizeof(to));
    fill(from, sizeof(from), 1);
    memset(to, 0, sizeof(to));
    ck_assert_int_eq(doca_ec_create(&fake_dev, &lib), DOCA_SUCCESS);
    setup_runs(doca_ec_as_ctx(lib));
    ck_assert_int_eq(doca_ec_task_galois_mul_set_conf(lib, galois_mul_done, galois_mul_failed, 4),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_task_create_set_conf(lib, create_done, create_failed, 4),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_task_update_set_conf(lib, update_done, update_failed, 4),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_task_recover_set_conf(lib, recover_done, recover_failed, 4),
                     DOCA_SUCCESS);
    start_with_workers(0);
    ck_assert_int_eq(
        doca_ec_matrix_create(lib, DOCA_EC_MATRIX_TYPE_CAUCHY, N_DATA, N_RDNC, &coding),
        DOCA_SUCCESS);
}

static void teardown_tasks(void)
{
    ck_assert_int_eq(doca_ec_matrix_destroy(coding), DOCA_SUCCESS);
    stop_runs();
    ck_assert_int_eq(doca_ec_destroy(lib), DOCA_SUCCESS);
    teardown_runs();
    teardown();
}

#define RUN(kind)                                                                                  \
    static doca_error_t kind(const struct doca_ec_matrix *matrix, const struct doca_buf *src,      \
                             struct doca_buf *dst)                                                 \
    {                                                                                              \
        struct doca_ec_task_##kind *task;                                                          \
        ck_assert_int_eq(doca_ec_task_##kind##_allocate_init(lib, matrix, src, dst,                \
                                                             (union doca_data){.u64 = 1}, &task),  \
                         DOCA_SUCCESS);                                                            \
        return run_and_free(doca_ec_task_##kind##_as_task(task));                                  \
    }

RUN(galois_mul)
RUN(create)
RUN(update)
RUN(recover)

// Multiplication in the field, bit by bit: not how the library does it.
static uint8_t times(uint8_t a, uint8_t b)
{
    unsigned product = 0, factor = a;

    for (; b; b >>= 1, factor <<= 1) {
        if (factor & 0x100)
            factor ^= 0x11d;
        if (b & 1)
            product ^= factor;
    }
    return (uint8_t)product;
}

static void check_product(const uint8_t *rows, size_t n_in, size_t n_out)
{
    for (size_t i = 0; i < n_out; i++)
        for (size_t at = 0; at < BLOCK; at++) {
            uint8_t sum = 0;
            for (size_t j = 0; j < n_in; j++)
                sum ^= times(rows[i * n_in + j], from[j * BLOCK + at]);
            ck_assert_uint_eq(to[i * BLOCK + at], sum);
        }
}

START_TEST(products_are_those_of_the_field)
{
    uint8_t rows[N_DATA * N_RDNC];
    struct doca_ec_matrix *matrix;
    struct doca_buf *src = buffer(&from_map, from, N_DATA * BLOCK, N_DATA * BLOCK);
    struct doca_buf *dst = buffer(&to_map, to, N_RDNC * BLOCK, 0);

    fill(rows, sizeof(rows), 5);
    ck_assert_int_eq(doca_ec_matrix_create_from_raw(lib, rows, N_DATA, N_RDNC, &matrix),
                     DOCA_SUCCESS);
    ck_assert_int_eq(galois_mul(matrix, src, dst), DOCA_SUCCESS);
    ck_assert_uint_eq(dst->data_len, N_RDNC * BLOCK);
    check_product(rows, N_DATA, N_RDNC);
    memset(to, 0, sizeof(to));
    dst->data_len = 0;
    ck_assert_int_eq(create(matrix, src, dst), DOCA_SUCCESS);
    check_product(rows, N_DATA, N_RDNC);
    ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_SUCCESS);
    drop(src);
    drop(dst);
}
END_TEST

// Keeps the data, and has its redundancy at the end of `whole`.
static void encode(const struct doca_ec_matrix *matrix, uint8_t *whole)
{
    struct doca_buf *src = buffer(&from_map, from, N_DATA * BLOCK, N_DATA * BLOCK);
    struct doca_buf *dst = buffer(&to_map, to, N_RDNC * BLOCK, 0);

    ck_assert_int_eq(create(matrix, src, dst), DOCA_SUCCESS);
    memcpy(whole, from, N_DATA * BLOCK);
    memcpy(whole + N_DATA * BLOCK, to, N_RDNC * BLOCK);
    memset(to, 0, sizeof(to));
    drop(src);
    drop(dst);
}

// Any three missing blocks of eight, redundancy blocks among them.
START_TEST(every_loss_is_recovered)
{
    uint8_t whole[(N_DATA + N_RDNC) * BLOCK];

    encode(coding, whole);
    for (uint32_t a = 0; a < N_DATA + N_RDNC; a++)
        for (uint32_t b = a + 1; b < N_DATA + N_RDNC; b++)
            for (uint32_t c = b + 1; c < N_DATA + N_RDNC; c++) {
                uint32_t missing[] = {a, b, c};
                struct doca_ec_matrix *matrix;
                size_t n = 0;
                for (uint32_t i = 0; n < N_DATA; i++)
                    if (i != a && i != b && i != c)
                        memcpy(from + n++ * BLOCK, whole + i * BLOCK, BLOCK);
                struct doca_buf *src = buffer(&from_map, from, N_DATA * BLOCK, N_DATA * BLOCK);
                struct doca_buf *dst = buffer(&to_map, to, 3 * BLOCK, 0);
                ck_assert_int_eq(doca_ec_matrix_create_recover(lib, coding, missing, 3, &matrix),
                                 DOCA_SUCCESS);
                ck_assert_int_eq(recover(matrix, src, dst), DOCA_SUCCESS);
                for (size_t i = 0; i < 3; i++)
                    ck_assert_mem_eq(to + i * BLOCK, whole + missing[i] * BLOCK, BLOCK);
                ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_SUCCESS);
                drop(src);
                drop(dst);
            }
}
END_TEST

// The one redundancy block of a Vandermonde matrix is the sum of the data, so the matrix that made
// it also recovers any block from the others.
START_TEST(one_redundancy_block_needs_no_other_matrix)
{
    uint8_t whole[3 * BLOCK];
    struct doca_ec_matrix *sum;
    struct doca_buf *src = buffer(&from_map, from, 2 * BLOCK, 2 * BLOCK);
    struct doca_buf *dst = buffer(&to_map, to, BLOCK, 0);

    ck_assert_int_eq(doca_ec_matrix_create(lib, DOCA_EC_MATRIX_TYPE_VANDERMONDE, 2, 1, &sum),
                     DOCA_SUCCESS);
    ck_assert_int_eq(create(sum, src, dst), DOCA_SUCCESS);
    memcpy(whole, from, 2 * BLOCK);
    memcpy(whole + 2 * BLOCK, to, BLOCK);
    for (size_t lost = 0; lost < 2; lost++) {
        memcpy(from, whole + (1 - lost) * BLOCK, BLOCK);
        memcpy(from + BLOCK, whole + 2 * BLOCK, BLOCK);
        dst->data_len = 0;
        ck_assert_int_eq(recover(sum, src, dst), DOCA_SUCCESS);
        ck_assert_mem_eq(to, whole + lost * BLOCK, BLOCK);
    }
    ck_assert_int_eq(doca_ec_matrix_destroy(sum), DOCA_SUCCESS);
    drop(src);
    drop(dst);
}
END_TEST

START_TEST(an_update_is_as_good_as_new_redundancy)
{
    uint8_t before[(N_DATA + N_RDNC) * BLOCK], after[(N_DATA + N_RDNC) * BLOCK];
    uint32_t changed[] = {1, 4};
    struct doca_ec_matrix *matrix;

    encode(coding, before);
    for (size_t i = 0; i < 2; i++)
        fill(from + changed[i] * BLOCK, BLOCK, 77 + (unsigned)i);
    encode(coding, after);
    for (size_t i = 0; i < 2; i++) {
        memcpy(from + i * BLOCK, before + changed[i] * BLOCK, BLOCK);
        memcpy(from + (2 + i) * BLOCK, after + changed[i] * BLOCK, BLOCK);
    }
    memcpy(from + 4 * BLOCK, before + N_DATA * BLOCK, N_RDNC * BLOCK);
    struct doca_buf *src = buffer(&from_map, from, 7 * BLOCK, 7 * BLOCK);
    struct doca_buf *dst = buffer(&to_map, to, N_RDNC * BLOCK, 0);
    ck_assert_int_eq(doca_ec_matrix_create_update(lib, coding, changed, 2, &matrix), DOCA_SUCCESS);
    ck_assert_int_eq(update(matrix, src, dst), DOCA_SUCCESS);
    ck_assert_mem_eq(to, after + N_DATA * BLOCK, N_RDNC * BLOCK);
    ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_SUCCESS);
    drop(src);
    drop(dst);
}
END_TEST

// The same redundancy from lists that are cut within blocks, and through engines.
START_TEST(wherever_the_bytes_are)
{
    uint8_t whole[(N_DATA + N_RDNC) * BLOCK];
    struct doca_mmap source, target;
    struct doca_buf *src, *dst;

    encode(coding, whole);
    if (_i == 0) {
        src = buffer(&from_map, from, 1000, 1000);
        dst = buffer(&to_map, to, 300, 0);
        chain(src, buffer(&from_map, from + 1000, N_DATA * BLOCK - 1000, N_DATA * BLOCK - 1000));
        chain(dst, buffer(&to_map, to + 300, N_RDNC * BLOCK - 300, 0));
    } else {
        size_t head = _i == 1 ? sizeof(from) : 1000, tail = _i == 1 ? 0 : 5000;
        brokered_import(&source, from, sizeof(from), head, tail, node_a);
        brokered_import(&target, to, sizeof(to), head, tail, node_b);
        src = buffer(&source, shifted(from), N_DATA * BLOCK, N_DATA * BLOCK);
        dst = buffer(&target, shifted(to), N_RDNC * BLOCK, 0);
    }
    ck_assert_int_eq(create(coding, src, dst), DOCA_SUCCESS);
    ck_assert_mem_eq(to, whole + N_DATA * BLOCK, N_RDNC * BLOCK);
    for (size_t i = N_RDNC * BLOCK; i < sizeof(to); i++)
        ck_assert_uint_eq(to[i], 0);
    drop(src);
    drop(dst);
    if (_i) {
        release(&source);
        release(&target);
    }
}
END_TEST

START_TEST(what_fails_changes_nothing)
{
    struct doca_buf *src = buffer(&from_map, from, N_DATA * BLOCK, N_DATA * BLOCK);
    struct doca_buf *odd = buffer(&from_map, from, N_DATA * BLOCK - 1, N_DATA * BLOCK - 1);
    struct doca_buf *empty = buffer(&from_map, from, 64, 0);
    struct doca_buf *dst = buffer(&to_map, to, N_RDNC * BLOCK, 0);
    struct doca_buf *small = buffer(&to_map, to, N_RDNC * BLOCK - 1, 0);
    struct doca_mmap read_only = fake_map(to, sizeof(to), 0);
    struct doca_buf *closed = buffer(&read_only, to, N_RDNC * BLOCK, 0);
    struct doca_ec_matrix *recovery, *changes;
    uint32_t one[] = {0};

    ck_assert_int_eq(doca_ec_matrix_create_recover(lib, coding, one, 1, &recovery), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_create_update(lib, coding, one, 1, &changes), DOCA_SUCCESS);
    ck_assert_int_eq(create(NULL, src, dst), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(create(coding, NULL, dst), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(create(coding, src, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(create(coding, odd, dst), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(create(coding, empty, dst), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(create(coding, src, small), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(create(coding, src, closed), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(update(coding, src, dst), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(create(recovery, src, dst), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(recover(changes, src, dst), DOCA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < sizeof(to); i++)
        ck_assert_uint_eq(to[i], 0);
    ck_assert_uint_eq(dst->data_len, 0);
    ck_assert_int_eq(create(coding, src, dst), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_destroy(recovery), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_destroy(changes), DOCA_SUCCESS);
    drop(src);
    drop(odd);
    drop(empty);
    drop(dst);
    drop(small);
    drop(closed);
}
END_TEST

// Submits without waiting for the end.
static struct doca_ec_task_create *begin(const struct doca_ec_matrix *matrix,
                                         const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_ec_task_create *task;

    ck_assert_int_eq(doca_ec_task_create_allocate_init(lib, matrix, src, dst,
                                                       (union doca_data){.u64 = 1}, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit(doca_ec_task_create_as_task(task)), DOCA_SUCCESS);
    return task;
}

START_TEST(a_matrix_outlives_the_tasks_that_are_at_work_with_it)
{
    struct doca_mmap source;
    struct doca_ec_matrix *matrix;
    struct doca_buf *dst = buffer(&to_map, to, N_RDNC * BLOCK, 0);

    brokered_import(&source, from, sizeof(from), sizeof(from), 0, node_a);
    struct doca_buf *src = buffer(&source, shifted(from), N_DATA * BLOCK, N_DATA * BLOCK);
    ck_assert_int_eq(
        doca_ec_matrix_create(lib, DOCA_EC_MATRIX_TYPE_CAUCHY, N_DATA, N_RDNC, &matrix),
        DOCA_SUCCESS);
    struct doca_ec_task_create *task = begin(matrix, src, dst);
    doca_pe_progress(pe); // it waits for an engine
    ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_ERROR_INVALID_VALUE);
    while (n_over == 0)
        if (!doca_pe_progress(pe))
            serve_all();
    ck_assert_int_eq(last, DOCA_SUCCESS);
    doca_task_free(doca_ec_task_create_as_task(task));
    ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_ERROR_INVALID_VALUE);
    drop(src);
    drop(dst);
    release(&source);
}
END_TEST

// Also when another matrix has its memory.
START_TEST(tasks_with_a_matrix_that_was_destroyed_fail)
{
    struct doca_buf *src = buffer(&from_map, from, N_DATA * BLOCK, N_DATA * BLOCK);
    struct doca_buf *dst = buffer(&to_map, to, N_RDNC * BLOCK, 0);
    struct doca_ec_matrix *matrix, *other;
    struct doca_ec_task_create *task;

    ck_assert_int_eq(
        doca_ec_matrix_create(lib, DOCA_EC_MATRIX_TYPE_CAUCHY, N_DATA, N_RDNC, &matrix),
        DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_task_create_allocate_init(lib, matrix, src, dst,
                                                       (union doca_data){.u64 = 1}, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_create(lib, DOCA_EC_MATRIX_TYPE_CAUCHY, N_DATA, N_RDNC, &other),
                     DOCA_SUCCESS);
    ck_assert_ptr_eq(matrix, other);
    ck_assert_int_eq(run(doca_ec_task_create_as_task(task)), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(dst->data_len, 0);
    ck_assert_int_eq(create(other, src, dst), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_destroy(other), DOCA_SUCCESS);
    drop(src);
    drop(dst);
}
END_TEST

// Handed over, and more than one slice.
#define LONG (EC_STAGE_SIZE / 5)

static uint8_t long_from[N_DATA * LONG], long_to[4][N_RDNC * LONG];

static void check_long(const uint8_t *made)
{
    struct ec_matrix *matrix = (struct ec_matrix *)coding;
    uint8_t *in[N_DATA], *out[N_RDNC];
    uint8_t *expected = malloc(N_RDNC * LONG);

    for (size_t i = 0; i < N_DATA; i++)
        in[i] = long_from + i * LONG;
    for (size_t i = 0; i < N_RDNC; i++)
        out[i] = expected + i * LONG;
    ec_matrix_multiply(matrix, LONG, in, out);
    ck_assert_mem_eq(made, expected, N_RDNC * LONG);
    free(expected);
}

// Local memory, in one piece and in several, and imported memory. A task is handed over when it is
// submitted: its matrix is held.
START_TEST(on_workers)
{
    struct doca_mmap source = local_map(long_from, sizeof(long_from)), target;
    size_t cut = _i == 1 ? LONG + 333 : 0;

    use_workers(2);
    fill(long_from, sizeof(long_from), 4);
    if (_i == 2)
        brokered_import(&target, long_to[0], sizeof(long_to[0]), 0, 0, node_a);
    else
        target = local_map(long_to[0], sizeof(long_to[0]));
    struct doca_buf *src =
        buffer(&source, long_from, sizeof(long_from) - cut, sizeof(long_from) - cut);
    if (cut)
        chain(src, buffer(&source, long_from + sizeof(long_from) - cut, cut, cut));
    struct doca_buf *dst =
        buffer(&target, _i == 2 ? shifted(long_to[0]) : long_to[0], sizeof(long_to[0]), 0);
    struct doca_ec_task_create *task = begin(coding, src, dst);
    ck_assert_int_eq(doca_ec_matrix_destroy(coding), DOCA_ERROR_INVALID_VALUE);
    while (!n_over)
        doca_pe_progress(pe);
    ck_assert_int_eq(last, DOCA_SUCCESS);
    doca_task_free(doca_ec_task_create_as_task(task));
    ck_assert_uint_eq(dst->data_len, N_RDNC * LONG);
    check_long(long_to[0]);
    drop(src);
    drop(dst);
    if (_i == 2)
        release(&target);
}
END_TEST

// In the thread (0), and on a worker.
START_TEST(a_stop_ends_all_tasks)
{
    struct doca_mmap source = local_map(long_from, sizeof(long_from));
    struct doca_mmap target = local_map(long_to, sizeof(long_to));
    struct doca_buf *src = buffer(&source, long_from, sizeof(long_from), sizeof(long_from));
    struct doca_ec_task_create *tasks[4];
    struct doca_buf *dst[4];
    enum doca_ctx_states state;

    use_workers(_i);
    if (_i)
        busy_worker_begin();
    for (unsigned i = 0; i < 4; i++) {
        dst[i] = buffer(&target, long_to[i], sizeof(long_to[i]), 0);
        tasks[i] = begin(coding, src, dst[i]);
    }
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    if (_i)
        busy_worker_end();
    do {
        doca_pe_progress(pe);
        ck_assert_int_eq(doca_ctx_get_state(lib_ctx, &state), DOCA_SUCCESS);
    } while (state != DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(n_over, 4);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_int_eq(doca_task_get_status(doca_ec_task_create_as_task(tasks[i])),
                         DOCA_ERROR_SHUTDOWN);
        ck_assert_uint_eq(dst[i]->data_len, 0);
        doca_task_free(doca_ec_task_create_as_task(tasks[i]));
        drop(dst[i]);
    }
    drop(src);
}
END_TEST

// On workers, and without any; through the stage, too.
START_TEST(touches_are_announced)
{
    const size_t size = (N_RDNC * LONG + 4095) / 4096 * 4096, cut = _i > 1 ? 4096 : 0;
    struct doca_mmap source = local_map(long_from, sizeof(long_from)), target;

    use_workers(_i == 1);
    uint8_t *pages = watched_pages(size);
    brokered_import(&target, pages, size, cut, 0, node_a);
    struct doca_buf *src = buffer(&source, long_from, sizeof(long_from), sizeof(long_from));
    struct doca_buf *dst = buffer(&target, shifted(pages), N_RDNC * LONG, 0);
    watch_begin(pages + cut, size - cut, target.memory.import_id);
    ck_assert_int_eq(create(coding, src, dst), DOCA_SUCCESS);
    ck_assert_uint_ge(watch_touches(), (N_RDNC * LONG - cut) / 4096);
    ck_assert_uint_eq(watch_end(), 0);
    check_long(pages);
    drop(src);
    drop(dst);
    release(&target);
}
END_TEST

// A list of two imports: each is announced when it is touched.
START_TEST(imports_of_one_list)
{
    const size_t size = (N_RDNC * LONG + 4095) / 4096 * 4096, half = size / 2 / 4096 * 4096;
    struct doca_mmap source = local_map(long_from, sizeof(long_from)), first, second;

    use_workers(_i);
    uint8_t *pages = watched_pages(size);
    brokered_import(&first, pages, half, 0, 0, node_a);
    brokered_import(&second, pages + half, size - half, 0, 0, node_a);
    struct doca_buf *src = buffer(&source, long_from, sizeof(long_from), sizeof(long_from));
    struct doca_buf *dst = buffer(&first, shifted(pages), half, 0);
    chain(dst, buffer(&second, shifted(pages) + half, N_RDNC * LONG - half, 0));
    watch_begin(pages + half, size - half, second.memory.import_id);
    ck_assert_int_eq(create(coding, src, dst), DOCA_SUCCESS);
    ck_assert_uint_gt(watch_touches(), 0);
    ck_assert_uint_eq(watch_end(), 0);
    check_long(pages);
    drop(src);
    drop(dst);
    release(&first);
    release(&second);
}
END_TEST

// Blocks that are too long for the stage, through engines.
START_TEST(slices_of_long_blocks)
{
    struct doca_mmap source, target;

    fill(long_from, sizeof(long_from), 6);
    brokered_import(&source, long_from, sizeof(long_from), sizeof(long_from) - 70001, 0, node_a);
    brokered_import(&target, long_to[0], sizeof(long_to[0]), 70001, 0, node_a);
    struct doca_buf *src =
        buffer(&source, shifted(long_from), sizeof(long_from), sizeof(long_from));
    struct doca_buf *dst = buffer(&target, shifted(long_to[0]), sizeof(long_to[0]), 0);
    ck_assert_int_eq(create(coding, src, dst), DOCA_SUCCESS);
    check_long(long_to[0]);
    drop(src);
    drop(dst);
    release(&source);
    release(&target);
}
END_TEST

START_TEST(matrices_that_there_are_not)
{
    uint32_t twice[] = {1, 1}, far[] = {N_DATA + N_RDNC}, four[] = {0, 1, 2, 3}, one[] = {0};
    uint8_t zeroes[N_DATA * N_RDNC] = {0};
    struct doca_ec_matrix *matrix = NULL, *useless;

    ck_assert_int_eq(doca_ec_matrix_create(lib, (enum doca_ec_matrix_type)3, 2, 2, &matrix),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ec_matrix_create(lib, DOCA_EC_MATRIX_TYPE_CAUCHY, 0, 2, &matrix),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ec_matrix_create(lib, DOCA_EC_MATRIX_TYPE_CAUCHY, 128, 128, &matrix),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ec_matrix_create_recover(lib, coding, twice, 2, &matrix),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ec_matrix_create_recover(lib, coding, far, 1, &matrix),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ec_matrix_create_recover(lib, coding, four, 4, &matrix),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ec_matrix_create_update(lib, coding, far, 1, &matrix),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ec_matrix_create_update(lib, coding, one, 0, &matrix),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ec_matrix_create_from_raw(lib, zeroes, N_DATA, N_RDNC, &useless),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_create_recover(lib, useless, one, 1, &matrix),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(matrix);
    ck_assert_int_eq(doca_ec_matrix_destroy(useless), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_create(lib, DOCA_EC_MATRIX_TYPE_VANDERMONDE, 128, 127, &matrix),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_SUCCESS);
}
END_TEST

START_TEST(limits_of_a_card)
{
    const struct doca_devinfo *info = (const struct doca_devinfo *)&fake_dev;
    struct doca_buf *src = buffer(&from_map, from, N_DATA * BLOCK, N_DATA * BLOCK);
    struct doca_buf *dst = buffer(&to_map, to, N_RDNC * BLOCK, 0);
    struct doca_ec_matrix *matrix = NULL;
    uint64_t size;
    uint32_t length;

    fake_card.values[CARD_OVER_LIMIT] = 1;
    fake_card.values[CARD_EC_BLOCK_SIZE] = BLOCK;
    ck_assert_int_eq(create(coding, src, dst), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_cap_get_max_block_size(info, &size), DOCA_SUCCESS);
    ck_assert_uint_eq(size, BLOCK);
    fake_card.values[CARD_EC_BLOCK_SIZE] = BLOCK - 1;
    dst->data_len = 0;
    ck_assert_int_eq(create(coding, src, dst), DOCA_ERROR_IO_FAILED);
    fake_card.values[CARD_EC_DATA] = 8;
    fake_card.values[CARD_EC_RDNC] = 2;
    ck_assert_int_eq(doca_ec_matrix_create(lib, DOCA_EC_MATRIX_TYPE_CAUCHY, 8, 2, &matrix),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_destroy(matrix), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ec_matrix_create(lib, DOCA_EC_MATRIX_TYPE_CAUCHY, 9, 2, &matrix),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ec_matrix_create(lib, DOCA_EC_MATRIX_TYPE_CAUCHY, 8, 3, &matrix),
                     DOCA_ERROR_INVALID_VALUE);
    fake_card.values[CARD_EC_BLOCK_SIZE] = BLOCK;
    fake_card.values[CARD_EC_DATA] = fake_card.values[CARD_EC_RDNC] = CARD_UNLIMITED;
    fake_card.values[CARD_EC_MULTIPLE] = 2 * BLOCK;
    dst->data_len = 0;
    ck_assert_int_eq(create(coding, src, dst), DOCA_ERROR_INVALID_VALUE);
    fake_card.values[CARD_EC_MULTIPLE] = BLOCK;
    dst->data_len = 0;
    ck_assert_int_eq(create(coding, src, dst), DOCA_SUCCESS);
    fake_card.values[CARD_EC_DATA] = 1; // of a matrix that was made before
    dst->data_len = 0;
    ck_assert_int_eq(create(coding, src, dst), DOCA_ERROR_INVALID_VALUE);
    fake_card.values[CARD_EC] = 0;
    ck_assert_int_eq(doca_ec_cap_get_max_buf_list_len(info, &length), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_ec_cap_task_create_is_supported(info), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_ec_cap_get_max_block_size(info, &size), DOCA_ERROR_NOT_SUPPORTED);
    card_init(&fake_card);
    drop(src);
    drop(dst);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("ec_tasks");
    tcase_add_checked_fixture(tcase, setup_tasks, teardown_tasks);
    tcase_add_test(tcase, products_are_those_of_the_field);
    tcase_add_test(tcase, every_loss_is_recovered);
    tcase_add_test(tcase, one_redundancy_block_needs_no_other_matrix);
    tcase_add_test(tcase, an_update_is_as_good_as_new_redundancy);
    tcase_add_loop_test(tcase, wherever_the_bytes_are, 0, 3);
    tcase_add_test(tcase, what_fails_changes_nothing);
    tcase_add_test(tcase, a_matrix_outlives_the_tasks_that_are_at_work_with_it);
    tcase_add_test(tcase, tasks_with_a_matrix_that_was_destroyed_fail);
    tcase_add_loop_test(tcase, on_workers, 0, 3);
    tcase_add_loop_test(tcase, touches_are_announced, 0, 3);
    tcase_add_loop_test(tcase, a_stop_ends_all_tasks, 0, 2);
    tcase_add_loop_test(tcase, imports_of_one_list, 0, 2);
    tcase_add_test(tcase, slices_of_long_blocks);
    tcase_add_test(tcase, matrices_that_there_are_not);
    tcase_add_test(tcase, limits_of_a_card);
    return unit_run_case("ec_tasks", tcase);
}

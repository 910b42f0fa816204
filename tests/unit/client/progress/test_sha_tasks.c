// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA tasks of DOCA 3 on local, imported and brokered memory: digests, messages in parts, and what
// fails. The hashing itself is tested with jobs.

#include "../dma/dma_rig.h"
#include "../worker_watch.h"
#include "sha/sha_job.h"
#include "task_runs.h"
#include "unit.h"

#include <doca_sha.h>
#include <openssl/evp.h>
#include <string.h>

static struct doca_sha *lib;
static uint8_t from[4096], to[64];
static struct doca_mmap from_map, to_map;

TASK_CALLBACKS(doca_sha, hash)
TASK_CALLBACKS(doca_sha, partial_hash)

static void setup_tasks(void)
{
    setup(); // buffers come from there
    from_map = local_map(from, sizeof(from));
    to_map = local_map(to, sizeof(to));
    fill(from, sizeof(from), 1);
    memset(to, 0, sizeof(to));
    ck_assert_int_eq(doca_sha_create(&fake_dev, &lib), DOCA_SUCCESS);
    setup_runs(doca_sha_as_ctx(lib));
    ck_assert_int_eq(doca_sha_task_hash_set_conf(lib, hash_done, hash_failed, 1), DOCA_SUCCESS);
    ck_assert_int_eq(
        doca_sha_task_partial_hash_set_conf(lib, partial_hash_done, partial_hash_failed, 0),
        DOCA_SUCCESS);
    start_with_workers(0);
}

static void teardown_tasks(void)
{
    stop_runs();
    ck_assert_int_eq(doca_sha_destroy(lib), DOCA_SUCCESS);
    teardown_runs();
    teardown();
}

static void check_digest(enum doca_sha_algorithm algorithm, const void *bytes, size_t n)
{
    static const EVP_MD *(*const md[])(void) = {EVP_sha1, EVP_sha256, EVP_sha512};
    uint8_t expected[EVP_MAX_MD_SIZE];
    unsigned size;

    ck_assert_int_eq(EVP_Digest(bytes, n, expected, &size, md[algorithm](), NULL), 1);
    ck_assert_mem_eq(to, expected, size);
}

static struct doca_sha_task_hash *hash_task(enum doca_sha_algorithm algorithm, struct doca_buf *src,
                                            struct doca_buf *dst)
{
    struct doca_sha_task_hash *task;
    ck_assert_int_eq(
        doca_sha_task_hash_alloc_init(lib, algorithm, src, dst, (union doca_data){.u64 = 1}, &task),
        DOCA_SUCCESS);
    return task;
}

static struct doca_sha_task_partial_hash *part_task(enum doca_sha_algorithm algorithm,
                                                    struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_sha_task_partial_hash *task;
    ck_assert_int_eq(doca_sha_task_partial_hash_alloc_init(lib, algorithm, src, dst,
                                                           (union doca_data){.u64 = 1}, &task),
                     DOCA_SUCCESS);
    return task;
}

START_TEST(digests_are_those_of_openssl)
{
    enum doca_sha_algorithm algorithm = (enum doca_sha_algorithm)_i;
    struct doca_buf *src = buffer(&from_map, from, 3000, 3000), *dst = buffer(&to_map, to, 64, 0);
    const struct doca_devinfo *info = (const struct doca_devinfo *)&fake_dev;
    uint32_t size;

    chain(src, buffer(&from_map, from + 3000, 333, 333));
    struct doca_sha_task_hash *task = hash_task(algorithm, src, dst);
    ck_assert_int_eq(run(doca_sha_task_hash_as_task(task)), DOCA_SUCCESS);
    check_digest(algorithm, from, 3333);
    ck_assert_int_eq(doca_sha_cap_get_min_dst_buf_size(info, algorithm, &size), DOCA_SUCCESS);
    ck_assert_uint_eq(dst->data_len, size);
    doca_task_free(doca_sha_task_hash_as_task(task));
    drop(src);
    drop(dst);
}
END_TEST

START_TEST(imported_and_brokered_sources)
{
    struct doca_mmap import;
    brokered_import(&import, from, sizeof(from), 1000, 500, node_a);
    struct doca_buf *src = buffer(&import, shifted(from), 4000, 4000);
    struct doca_buf *dst = buffer(&to_map, to, 64, 0);
    struct doca_sha_task_hash *task = hash_task(DOCA_SHA_ALGORITHM_SHA256, src, dst);

    ck_assert_int_eq(run(doca_sha_task_hash_as_task(task)), DOCA_SUCCESS);
    check_digest(DOCA_SHA_ALGORITHM_SHA256, from, 4000);
    doca_task_free(doca_sha_task_hash_as_task(task));
    drop(src);
    drop(dst);
    release(&import);
}
END_TEST

// A message in three parts, twice by the same task.
START_TEST(parts_make_a_message)
{
    struct doca_buf *dst = buffer(&to_map, to, 64, 0), *parts[3];
    size_t sizes[3] = {128, 1280, 77}, at = 0;

    for (size_t i = 0; i < 3; i++) {
        parts[i] = buffer(&from_map, from + at, sizes[i], sizes[i]);
        at += sizes[i];
    }
    struct doca_sha_task_partial_hash *task = part_task(DOCA_SHA_ALGORITHM_SHA512, parts[0], dst);
    for (unsigned round = 0; round < 2; round++) {
        memset(to, 0, sizeof(to));
        for (size_t i = 0; i < 3; i++) {
            ck_assert_int_eq(doca_sha_task_partial_hash_set_src(task, parts[i]), DOCA_SUCCESS);
            ck_assert_int_eq(doca_sha_task_partial_hash_set_is_final_buf(task),
                             i == 0 ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS);
            if (i == 1) // not yet: begin again
                ck_assert_int_eq(doca_sha_task_partial_hash_reset(task), DOCA_SUCCESS);
            if (i == 1) {
                ck_assert_int_eq(doca_sha_task_partial_hash_set_src(task, parts[0]), DOCA_SUCCESS);
                ck_assert_int_eq(run(doca_sha_task_partial_hash_as_task(task)), DOCA_SUCCESS);
                ck_assert_int_eq(doca_sha_task_partial_hash_set_src(task, parts[1]), DOCA_SUCCESS);
            }
            ck_assert_uint_eq(doca_sha_task_partial_hash_get_is_final(task), i == 2);
            ck_assert_int_eq(run(doca_sha_task_partial_hash_as_task(task)), DOCA_SUCCESS);
            ck_assert_uint_eq(doca_sha_task_partial_hash_get_has_result(task), i == 2);
        }
        check_digest(DOCA_SHA_ALGORITHM_SHA512, from, at);
        // The message has ended.
        ck_assert_int_eq(doca_task_try_submit(doca_sha_task_partial_hash_as_task(task)),
                         DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(run(doca_sha_task_partial_hash_as_task(task)), DOCA_ERROR_BAD_STATE);
        check_digest(DOCA_SHA_ALGORITHM_SHA512, from, at);
        ck_assert_int_eq(doca_sha_task_partial_hash_reset(task), DOCA_SUCCESS);
    }
    doca_task_free(doca_sha_task_partial_hash_as_task(task));
    for (size_t i = 0; i < 3; i++)
        drop(parts[i]);
    drop(dst);
}
END_TEST

static uint8_t long_text[4 * SHA_STEP];

START_TEST(on_workers)
{
    struct doca_mmap long_map = local_map(long_text, sizeof(long_text));
    struct doca_buf *dst = buffer(&to_map, to, 64, 0), *parts[2];

    use_workers(2);
    fill(long_text, sizeof(long_text), 3);
    for (size_t i = 0; i < 2; i++)
        parts[i] = buffer(&long_map, long_text + i * 2 * SHA_STEP, 2 * SHA_STEP, 2 * SHA_STEP);
    struct doca_sha_task_hash *hash = hash_task(DOCA_SHA_ALGORITHM_SHA1, parts[0], dst);
    ck_assert_int_eq(run(doca_sha_task_hash_as_task(hash)), DOCA_SUCCESS);
    check_digest(DOCA_SHA_ALGORITHM_SHA1, long_text, 2 * SHA_STEP);
    doca_task_free(doca_sha_task_hash_as_task(hash));
    struct doca_sha_task_partial_hash *part = part_task(DOCA_SHA_ALGORITHM_SHA256, parts[0], dst);
    ck_assert_int_eq(run(doca_sha_task_partial_hash_as_task(part)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_task_partial_hash_set_src(part, parts[1]), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_task_partial_hash_set_is_final_buf(part), DOCA_SUCCESS);
    ck_assert_int_eq(run(doca_sha_task_partial_hash_as_task(part)), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_sha_task_partial_hash_get_has_result(part), 1);
    check_digest(DOCA_SHA_ALGORITHM_SHA256, long_text, sizeof(long_text));
    ck_assert_int_eq(run(doca_sha_task_partial_hash_as_task(part)), DOCA_ERROR_BAD_STATE);
    doca_task_free(doca_sha_task_partial_hash_as_task(part));
    drop(parts[0]);
    drop(parts[1]);
    drop(dst);
}
END_TEST

// In the thread (0), and on a worker. A part that was flushed leaves its message as it was.
START_TEST(a_stop_ends_all_tasks)
{
    size_t size = _i ? 2 * SHA_STEP : 64;
    struct doca_mmap long_map = local_map(long_text, sizeof(long_text));
    struct doca_buf *src = buffer(&long_map, long_text, size, size);
    struct doca_buf *dst = buffer(&to_map, to, 64, 0), *other = buffer(&to_map, to, 64, 0);
    enum doca_ctx_states state;

    use_workers(_i);
    struct doca_sha_task_hash *first = hash_task(DOCA_SHA_ALGORITHM_SHA512, src, other);
    struct doca_sha_task_partial_hash *part = part_task(DOCA_SHA_ALGORITHM_SHA256, src, dst);
    ck_assert_int_eq(run(doca_sha_task_partial_hash_as_task(part)), DOCA_SUCCESS);
    if (_i)
        busy_worker_begin();
    ck_assert_int_eq(doca_task_submit(doca_sha_task_hash_as_task(first)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_task_partial_hash_set_is_final_buf(part), DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit(doca_sha_task_partial_hash_as_task(part)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    if (_i)
        busy_worker_end();
    do {
        doca_pe_progress(pe);
        ck_assert_int_eq(doca_ctx_get_state(lib_ctx, &state), DOCA_SUCCESS);
    } while (state != DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(n_over, 3);
    ck_assert_int_eq(doca_task_get_status(doca_sha_task_hash_as_task(first)), DOCA_ERROR_SHUTDOWN);
    ck_assert_int_eq(doca_task_get_status(doca_sha_task_partial_hash_as_task(part)),
                     DOCA_ERROR_SHUTDOWN);
    ck_assert_uint_eq(doca_sha_task_partial_hash_get_has_result(part), 0);
    ck_assert_int_eq(doca_ctx_start(lib_ctx), DOCA_SUCCESS);
    ck_assert_int_eq(run(doca_sha_task_partial_hash_as_task(part)), DOCA_SUCCESS);
    memcpy(long_text + size, long_text, size);
    check_digest(DOCA_SHA_ALGORITHM_SHA256, long_text, 2 * size);
    doca_task_free(doca_sha_task_hash_as_task(first));
    doca_task_free(doca_sha_task_partial_hash_as_task(part));
    drop(src);
    drop(dst);
    drop(other);
}
END_TEST

START_TEST(a_part_must_be_whole_blocks)
{
    struct doca_buf *odd = buffer(&from_map, from, 100, 100), *dst = buffer(&to_map, to, 64, 0);
    struct doca_buf *block = buffer(&from_map, from, 64, 64);
    struct doca_sha_task_partial_hash *task = part_task(DOCA_SHA_ALGORITHM_SHA1, odd, dst);

    ck_assert_int_eq(run(doca_sha_task_partial_hash_as_task(task)), DOCA_ERROR_INVALID_VALUE);
    // Nothing has begun: the algorithm may still change, and another first part comes.
    ck_assert_int_eq(doca_sha_task_partial_hash_set_algorithm(task, DOCA_SHA_ALGORITHM_SHA256),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_task_partial_hash_set_src(task, block), DOCA_SUCCESS);
    ck_assert_int_eq(run(doca_sha_task_partial_hash_as_task(task)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_task_partial_hash_set_algorithm(task, DOCA_SHA_ALGORITHM_SHA1),
                     DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_sha_task_partial_hash_set_src(task, odd), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_task_partial_hash_set_is_final_buf(task), DOCA_SUCCESS);
    ck_assert_int_eq(run(doca_sha_task_partial_hash_as_task(task)), DOCA_SUCCESS);
    uint8_t message[164];
    memcpy(message, from, 64);
    memcpy(message + 64, from, 100);
    check_digest(DOCA_SHA_ALGORITHM_SHA256, message, sizeof(message));
    doca_task_free(doca_sha_task_partial_hash_as_task(task));
    drop(odd);
    drop(block);
    drop(dst);
}
END_TEST

START_TEST(what_cannot_be_hashed_fails_alone)
{
    struct doca_buf *src = buffer(&from_map, from, 64, 64), *dst = buffer(&to_map, to, 64, 0);
    struct doca_buf *empty = buffer(&from_map, from, 64, 0), *small = buffer(&to_map, to, 31, 0);
    struct doca_mmap read_only = fake_map(to, sizeof(to), 0);
    struct doca_buf *closed = buffer(&read_only, to, 64, 0);
    const struct {
        const struct doca_buf *src;
        struct doca_buf *dst;
        doca_error_t expected;
    } bad[] = {{empty, dst, DOCA_ERROR_INVALID_VALUE},
               {src, small, DOCA_ERROR_INVALID_VALUE},
               {src, closed, DOCA_ERROR_NOT_PERMITTED}};
    struct doca_sha_task_hash *task = hash_task(DOCA_SHA_ALGORITHM_SHA256, NULL, NULL);
    enum doca_ctx_states state;

    ck_assert_int_eq(run(doca_sha_task_hash_as_task(task)), DOCA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_int_eq(doca_sha_task_hash_set_src(task, bad[i].src), DOCA_SUCCESS);
        ck_assert_int_eq(doca_sha_task_hash_set_dst(task, bad[i].dst), DOCA_SUCCESS);
        ck_assert_int_eq(run(doca_sha_task_hash_as_task(task)), bad[i].expected);
        ck_assert_uint_eq(bad[i].dst->data_len, 0);
    }
    ck_assert_int_eq(doca_ctx_get_state(lib_ctx, &state), DOCA_SUCCESS);
    ck_assert_int_eq(state, DOCA_CTX_STATE_RUNNING);
    ck_assert_int_eq(doca_sha_task_hash_set_dst(task, dst), DOCA_SUCCESS);
    ck_assert_int_eq(run(doca_sha_task_hash_as_task(task)), DOCA_SUCCESS);
    doca_task_free(doca_sha_task_hash_as_task(task));
    drop(empty);
    drop(small);
    drop(closed);
    drop(src);
    drop(dst);
}
END_TEST

START_TEST(a_stop_waits_for_an_engine)
{
    struct doca_mmap import;
    brokered_import(&import, from, sizeof(from), sizeof(from), 0, node_a);
    struct doca_buf *src = buffer(&import, shifted(from), 300, 300);
    struct doca_buf *dst = buffer(&to_map, to, 64, 0);
    struct doca_sha_task_hash *task = hash_task(DOCA_SHA_ALGORITHM_SHA1, src, dst);

    ck_assert_int_eq(doca_task_submit(doca_sha_task_hash_as_task(task)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_task_hash_set_src(task, src), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    serve_all();
    while (doca_pe_progress(pe))
        ;
    ck_assert_uint_eq(n_over, 1);
    check_digest(DOCA_SHA_ALGORITHM_SHA1, from, 300);
    doca_task_free(doca_sha_task_hash_as_task(task));
    drop(src);
    drop(dst);
    release(&import);
}
END_TEST

START_TEST(tasks_run_out)
{
    struct doca_sha_task_hash *tasks[2], *more = NULL;

    tasks[0] = hash_task(DOCA_SHA_ALGORITHM_SHA1, NULL, NULL);
    tasks[1] = hash_task(DOCA_SHA_ALGORITHM_SHA1, NULL, NULL);
    ck_assert_int_eq(doca_sha_task_hash_alloc_init(lib, DOCA_SHA_ALGORITHM_SHA1, NULL, NULL,
                                                   (union doca_data){.u64 = 1}, &more),
                     DOCA_ERROR_NO_MEMORY);
    ck_assert_ptr_null(more);
    ck_assert_int_eq(doca_sha_task_hash_alloc_init(lib, (enum doca_sha_algorithm)3, NULL, NULL,
                                                   (union doca_data){.u64 = 1}, &more),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_task_hash_set_conf(lib, hash_done, hash_failed, 1),
                     DOCA_ERROR_BAD_STATE);
    for (size_t i = 0; i < 2; i++)
        doca_task_free(doca_sha_task_hash_as_task(tasks[i]));
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_task_hash_set_conf(lib, hash_done, hash_failed, 17),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_task_hash_set_conf(lib, hash_done, hash_failed, 200),
                     DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(limits_of_a_card)
{
    const struct doca_devinfo *info = (const struct doca_devinfo *)&fake_dev;
    struct doca_buf *src = buffer(&from_map, from, 3000, 128), *dst = buffer(&to_map, to, 64, 0);
    struct doca_task *task =
        doca_sha_task_hash_as_task(hash_task(DOCA_SHA_ALGORITHM_SHA256, src, dst));
    uint64_t size;

    fake_card.values[CARD_SHA_BUF_SIZE] = 128;
    fake_card.values[CARD_OVER_LIMIT] = 1;
    ck_assert_int_eq(run(task), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_cap_get_max_src_buf_size(info, &size), DOCA_SUCCESS);
    ck_assert_uint_eq(size, 128);
    src->data_len = 129;
    dst->data_len = 0;
    ck_assert_int_eq(run(task), DOCA_ERROR_IO_FAILED);
    fake_card.values[CARD_SHA] = 0;
    ck_assert_int_eq(doca_sha_cap_get_max_src_buf_size(info, &size), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_sha_cap_task_hash_get_supported(info, DOCA_SHA_ALGORITHM_SHA1),
                     DOCA_ERROR_NOT_SUPPORTED);
    card_init(&fake_card);
    doca_task_free(task);
    drop(src);
    drop(dst);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("sha_tasks");
    tcase_add_checked_fixture(tcase, setup_tasks, teardown_tasks);
    tcase_add_loop_test(tcase, digests_are_those_of_openssl, DOCA_SHA_ALGORITHM_SHA1,
                        DOCA_SHA_ALGORITHM_SHA512 + 1);
    tcase_add_test(tcase, imported_and_brokered_sources);
    tcase_add_test(tcase, parts_make_a_message);
    tcase_add_test(tcase, on_workers);
    tcase_add_loop_test(tcase, a_stop_ends_all_tasks, 0, 2);
    tcase_add_test(tcase, a_part_must_be_whole_blocks);
    tcase_add_test(tcase, what_cannot_be_hashed_fails_alone);
    tcase_add_test(tcase, a_stop_waits_for_an_engine);
    tcase_add_test(tcase, tasks_run_out);
    tcase_add_test(tcase, limits_of_a_card);
    return unit_run_case("sha_tasks", tcase);
}

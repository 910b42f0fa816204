// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA tasks on local, imported and brokered memory: what is copied, and what fails. The moving of
// bytes itself is tested with jobs.

#include "../dma/dma_rig.h"
#include "unit.h"

#include <doca_ctx.h>
#include <doca_pe.h>
#include <string.h>

#define N_TASKS 8

static struct doca_pe *pe;
static struct doca_dma *lib;
static struct doca_ctx *lib_ctx;
static unsigned n_done, n_failed;
static doca_error_t last;
static uint8_t from[512], to[512];
static struct doca_mmap from_map, to_map;

static void done(struct doca_dma_task_memcpy *task, union doca_data data, union doca_data ctx_data)
{
    ck_assert_uint_eq(data.u64, 3);
    ck_assert_uint_eq(ctx_data.u64, 4);
    last = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    ck_assert_int_eq(last, DOCA_SUCCESS);
    n_done++;
}

static void failed(struct doca_dma_task_memcpy *task, union doca_data data,
                   union doca_data ctx_data)
{
    ck_assert_uint_eq(data.u64, 3);
    ck_assert_uint_eq(ctx_data.u64, 4);
    last = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    ck_assert_int_ne(last, DOCA_SUCCESS);
    n_failed++;
}

static void setup_tasks(void)
{
    setup(); // buffers come from there
    from_map = local_map(from, sizeof(from));
    to_map = local_map(to, sizeof(to));
    n_done = n_failed = 0;
    fill(from, sizeof(from), 1);
    memset(to, 0, sizeof(to));
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_create(&fake_dev, &lib), DOCA_SUCCESS);
    lib_ctx = doca_dma_as_ctx(lib);
    ck_assert_int_eq(doca_pe_connect_ctx(pe, lib_ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_task_memcpy_set_conf(lib, done, failed, N_TASKS), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_set_user_data(lib_ctx, (union doca_data){.u64 = 4}), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(lib_ctx), DOCA_SUCCESS);
}

static void teardown_tasks(void)
{
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_destroy(lib), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
    teardown();
}

static enum doca_ctx_states state(void)
{
    enum doca_ctx_states now;
    ck_assert_int_eq(doca_ctx_get_state(lib_ctx, &now), DOCA_SUCCESS);
    return now;
}

static struct doca_dma_task_memcpy *task_for(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_dma_task_memcpy *task;
    ck_assert_int_eq(
        doca_dma_task_memcpy_alloc_init(lib, src, dst, (union doca_data){.u64 = 3}, &task),
        DOCA_SUCCESS);
    return task;
}

// Copies by a task of its own; DOCA_SUCCESS, or the task's status.
static doca_error_t copy_by_task(const struct doca_buf *src, struct doca_buf *dst)
{
    struct doca_dma_task_memcpy *task = task_for(src, dst);
    unsigned before = n_done + n_failed;

    if (state() != DOCA_CTX_STATE_RUNNING)
        ck_assert_int_eq(doca_ctx_start(lib_ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit(doca_dma_task_memcpy_as_task(task)), DOCA_SUCCESS);
    while (n_done + n_failed == before)
        if (!doca_pe_progress(pe))
            serve_all();
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    return last;
}

// The same for a task that must fail, which stops the context.
static void check_fails(const struct doca_buf *src, struct doca_buf *dst, doca_error_t expected)
{
    struct doca_dma_task_memcpy *task = task_for(src, dst);
    unsigned before = n_failed;

    ck_assert_int_eq(doca_task_try_submit(doca_dma_task_memcpy_as_task(task)),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_task_submit(doca_dma_task_memcpy_as_task(task)), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(n_failed, before + 1);
    ck_assert_int_eq(last, expected);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_IDLE);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    ck_assert_int_eq(doca_ctx_start(lib_ctx), DOCA_SUCCESS);
}

START_TEST(data_is_appended)
{
    struct doca_buf *src = buffer(&from_map, from, 64, 48), *dst = buffer(&to_map, to, 128, 8);
    ck_assert_int_eq(copy_by_task(src, dst), DOCA_SUCCESS);
    ck_assert_mem_eq(to + 8, from, 48);
    ck_assert_uint_eq(dst->data_len, 56);
    ck_assert_int_eq(copy_by_task(src, dst), DOCA_SUCCESS);
    ck_assert_uint_eq(dst->data_len, 104);
    drop(src);
    drop(dst);
}
END_TEST

START_TEST(lists_are_gathered_and_scattered)
{
    struct doca_buf *src = buffer(&from_map, from, 100, 100), *dst = buffer(&to_map, to, 60, 0);
    chain(src, buffer(&from_map, from + 100, 100, 100));
    chain(dst, buffer(&to_map, to + 60, 200, 0));
    ck_assert_int_eq(copy_by_task(src, dst), DOCA_SUCCESS);
    ck_assert_mem_eq(to, from, 200);
    ck_assert_uint_eq(dst->data_len, 60);
    ck_assert_uint_eq(dst->next->data_len, 140);
    drop(src);
    drop(dst);
}
END_TEST

START_TEST(what_cannot_be_copied_stops_the_context)
{
    struct doca_buf *src = buffer(&from_map, from, 64, 64), *dst = buffer(&to_map, to, 128, 0);
    struct doca_buf *empty = buffer(&from_map, from, 64, 0), *small = buffer(&to_map, to, 32, 0);
    struct doca_mmap read_only = fake_map(to, sizeof(to), 0);
    struct doca_buf *closed = buffer(&read_only, to, 128, 0);

    check_fails(empty, dst, DOCA_ERROR_INVALID_VALUE);
    check_fails(src, small, DOCA_ERROR_INVALID_VALUE);
    check_fails(NULL, dst, DOCA_ERROR_INVALID_VALUE);
    check_fails(src, NULL, DOCA_ERROR_INVALID_VALUE);
    check_fails(src, closed, DOCA_ERROR_NOT_PERMITTED);
    drop(closed);
    check_fails(src, closed, DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(copy_by_task(src, dst), DOCA_SUCCESS);
    drop(empty);
    drop(small);
    drop(src);
    drop(dst);
}
END_TEST

START_TEST(tasks_behind_a_failure_are_flushed)
{
    struct doca_buf *src = buffer(&from_map, from, 64, 64), *dst = buffer(&to_map, to, 512, 0);
    struct doca_buf *empty = buffer(&from_map, from, 64, 0);
    struct doca_dma_task_memcpy *tasks[N_TASKS];

    for (unsigned i = 0; i < N_TASKS; i++) {
        tasks[i] = task_for(i == 2 ? empty : src, dst);
        ck_assert_int_eq(doca_task_submit(doca_dma_task_memcpy_as_task(tasks[i])), DOCA_SUCCESS);
    }
    for (unsigned i = 0; i < N_TASKS; i++)
        ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(n_done, 2);
    ck_assert_uint_eq(n_failed, N_TASKS - 2);
    // All of them were submitted with an empty destination.
    ck_assert_uint_eq(dst->data_len, 64);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    for (unsigned i = 0; i < N_TASKS; i++)
        doca_task_free(doca_dma_task_memcpy_as_task(tasks[i]));
    drop(empty);
    drop(src);
    drop(dst);
}
END_TEST

START_TEST(fields_change_while_a_task_is_the_programs)
{
    struct doca_buf *src = buffer(&from_map, from, 64, 64), *dst = buffer(&to_map, to, 64, 0);
    struct doca_buf *src2 = buffer(&from_map, from + 64, 64, 64);
    struct doca_buf *dst2 = buffer(&to_map, to + 64, 64, 0);
    struct doca_dma_task_memcpy *task = task_for(src, dst);

    ck_assert_ptr_eq(doca_dma_task_memcpy_get_src(task), src);
    ck_assert_ptr_eq(doca_dma_task_memcpy_get_dst(task), dst);
    ck_assert_int_eq(doca_task_submit(doca_dma_task_memcpy_as_task(task)), DOCA_SUCCESS);
    doca_dma_task_memcpy_set_src(task, src2); // it is in flight
    doca_dma_task_memcpy_set_dst(task, dst2);
    ck_assert_ptr_eq(doca_dma_task_memcpy_get_src(task), src);
    ck_assert_ptr_eq(doca_dma_task_memcpy_get_dst(task), dst);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    doca_dma_task_memcpy_set_src(task, src2);
    doca_dma_task_memcpy_set_dst(task, dst2);
    ck_assert_int_eq(doca_task_submit(doca_dma_task_memcpy_as_task(task)), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_mem_eq(to, from, 128);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    drop(src);
    drop(dst);
    drop(src2);
    drop(dst2);
}
END_TEST

START_TEST(imported_memory_until_it_is_revoked)
{
    struct doca_mmap import;
    fake_import(&import, from, sizeof(from), 32, SHIFT); // readable and writable
    struct doca_buf *src = buffer(&import, shifted(from), 64, 64);
    struct doca_buf *dst = buffer(&to_map, to, 512, 0);

    ck_assert_int_eq(copy_by_task(src, dst), DOCA_SUCCESS);
    ck_assert_mem_eq(to, from, 64);
    fake_set_state(import.memory.import_id, SLOT_REVOKED);
    check_fails(src, dst, DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(dst->data_len, 64);
    drop(src);
    drop(dst);
}
END_TEST

START_TEST(brokered_memory_goes_through_an_engine)
{
    struct doca_mmap import;
    brokered_import(&import, from, sizeof(from), sizeof(from), 0, node_a);
    struct doca_buf *src = buffer(&import, shifted(from), 300, 300);
    struct doca_buf *dst = buffer(&to_map, to, 512, 0);
    struct doca_dma_task_memcpy *task = task_for(src, dst);

    ck_assert_int_eq(copy_by_task(src, dst), DOCA_SUCCESS);
    ck_assert_mem_eq(to, from, 300);
    // A stop waits for the engine: it writes to the buffer.
    dst->data_len = 0;
    ck_assert_int_eq(doca_task_submit(doca_dma_task_memcpy_as_task(task)), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_STOPPING);
    serve_all();
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(n_done, 2);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_IDLE);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    release(&import);
    drop(src);
    drop(dst);
}
END_TEST

// A copy that waits for an engine, and one that does not.
static void submit_both(bool ordered)
{
    static struct doca_mmap import;
    struct doca_dma_task_memcpy *tasks[2];
    struct doca_buf *bufs[4];

    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_set_ordered_completions(lib, ordered), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(lib_ctx), DOCA_SUCCESS);
    brokered_import(&import, from, sizeof(from), sizeof(from), 0, node_a);
    bufs[0] = buffer(&import, shifted(from), 100, 100);
    bufs[1] = buffer(&to_map, to, 100, 0);
    bufs[2] = buffer(&from_map, from + 100, 100, 100);
    bufs[3] = buffer(&to_map, to + 100, 100, 0);
    for (size_t i = 0; i < 2; i++) {
        tasks[i] = task_for(bufs[2 * i], bufs[2 * i + 1]);
        ck_assert_int_eq(doca_task_submit(doca_dma_task_memcpy_as_task(tasks[i])), DOCA_SUCCESS);
    }
    ck_assert_uint_eq(doca_pe_progress(pe), !ordered);
    ck_assert_uint_eq(n_done, !ordered);
    serve_all();
    while (doca_pe_progress(pe))
        ;
    ck_assert_uint_eq(n_done, 2);
    ck_assert_mem_eq(to, from, 200);
    for (size_t i = 0; i < 2; i++)
        doca_task_free(doca_dma_task_memcpy_as_task(tasks[i]));
    for (size_t i = 0; i < 4; i++)
        drop(bufs[i]);
    release(&import);
}

START_TEST(a_task_that_waits_lets_others_pass)
{
    submit_both(false);
}
END_TEST

START_TEST(unless_completions_are_ordered)
{
    uint8_t ordered;
    submit_both(true);
    ck_assert_int_eq(doca_dma_get_ordered_completions(lib, &ordered), DOCA_SUCCESS);
    ck_assert_uint_eq(ordered, 1);
    ck_assert_int_eq(doca_dma_set_ordered_completions(lib, 0), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_set_ordered_completions(lib, 2), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(a_device_without_dma_has_no_tasks)
{
    struct doca_dma *plain;
    uint32_t n;
    uint64_t size;
    const struct doca_devinfo *info = (const struct doca_devinfo *)&fake_dev;
    const struct doca_devinfo *without = (const struct doca_devinfo *)&fake_plain_dev;

    ck_assert_int_eq(doca_dma_create(&fake_plain_dev, &plain), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_task_memcpy_set_conf(plain, done, failed, 1),
                     DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_dma_cap_get_max_num_tasks(plain, &n), DOCA_SUCCESS);
    ck_assert_uint_ge(n, 255);
    ck_assert_int_eq(doca_dma_destroy(plain), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_cap_task_memcpy_is_supported(info), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_cap_task_memcpy_is_supported(without), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_dma_cap_task_memcpy_get_max_buf_list_len(info, &n), DOCA_SUCCESS);
    ck_assert_uint_gt(n, 1);
    ck_assert_int_eq(doca_dma_cap_task_memcpy_get_max_buf_list_len(without, &n),
                     DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_dma_cap_task_memcpy_get_max_buf_size(info, &size), DOCA_SUCCESS);
    ck_assert_uint_eq(size, 2u << 20); // programs allocate that many bytes for each task
    ck_assert_int_eq(doca_dma_cap_task_memcpy_get_max_buf_size(without, &size),
                     DOCA_ERROR_NOT_SUPPORTED);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        data_is_appended,
        lists_are_gathered_and_scattered,
        what_cannot_be_copied_stops_the_context,
        tasks_behind_a_failure_are_flushed,
        fields_change_while_a_task_is_the_programs,
        imported_memory_until_it_is_revoked,
        brokered_memory_goes_through_an_engine,
        a_task_that_waits_lets_others_pass,
        unless_completions_are_ordered,
        a_device_without_dma_has_no_tasks,
    };
    TCase *tcase = tcase_create("dma_tasks");
    tcase_add_checked_fixture(tcase, setup_tasks, teardown_tasks);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case("dma_tasks", tcase);
}

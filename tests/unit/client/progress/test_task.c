// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks: their pools, who they belong to, and the ways of submitting them.

#include "../counted.h"
#include "fake_kind.h"
#include "unit.h"

#include <string.h>

static struct doca_pe *pe;
static struct fake *fake;

static void setup(void)
{
    fake_reset();
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
}

static void teardown(void)
{
    while (doca_ctx_stop(&fake->ctx) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(pe);
    fake_free(fake);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
}

static void progress_all(void)
{
    while (doca_pe_progress(pe))
        ;
}

// ---- pools ---------------------------------------------------------------------------------

START_TEST(a_pool_has_as_many_tasks_as_asked_for)
{
    struct doca_task *tasks[5];

    fake = fake_new_started(pe, 5);
    for (unsigned type = FAKE_PLAIN; type <= FAKE_FATAL; type++) {
        for (unsigned i = 0; i < 5; i++) {
            tasks[i] = task_take(&fake->ctx, type, (union doca_data){.u64 = i});
            ck_assert_ptr_nonnull(tasks[i]);
            ck_assert_uint_eq((uintptr_t)tasks[i] % 64, 0);
            ck_assert_ptr_eq(doca_task_get_ctx(tasks[i]), &fake->ctx);
            ck_assert_uint_eq(doca_task_get_user_data(tasks[i]).u64, i);
            ck_assert_int_eq(doca_task_get_status(tasks[i]), DOCA_SUCCESS);
        }
        ck_assert_ptr_null(task_take(&fake->ctx, type, (union doca_data){0}));
        ck_assert_int_eq(task_not_taken("take", &fake->ctx, type), DOCA_ERROR_NO_MEMORY);
        doca_task_free(tasks[3]);
        ck_assert_ptr_eq(task_take(&fake->ctx, type, (union doca_data){0}), tasks[3]);
        for (unsigned i = 0; i < 5; i++)
            doca_task_free(tasks[i]);
    }
}
END_TEST

START_TEST(tasks_are_configured_before_start)
{
    struct errtext err;
    struct doca_ctx *ctx;

    fake = fake_new(pe, 2);
    ctx = &fake->ctx;
#define CONFIGURE(n) task_configure(ctx, FAKE_PLAIN, fake_done, fake_failed, n, &err)
    ck_assert_int_eq(CONFIGURE(0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(CONFIGURE(65), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(CONFIGURE(64), DOCA_SUCCESS);
    ck_assert_int_eq(CONFIGURE(1), DOCA_SUCCESS);
    ck_assert_ptr_null(task_take(ctx, FAKE_PLAIN, (union doca_data){0}));
    ck_assert_int_eq(task_not_taken("take", ctx, FAKE_PLAIN), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_start(ctx), DOCA_SUCCESS);
    ck_assert_int_eq(CONFIGURE(1), DOCA_ERROR_BAD_STATE);
    struct doca_task *task = fake_task(fake, FAKE_PLAIN, FAKE_DONE, 1);
    ck_assert_ptr_null(task_take(ctx, FAKE_PLAIN, (union doca_data){0}));
    // A task that the program keeps does not keep the context from stopping.
    ck_assert_int_eq(doca_ctx_stop(ctx), DOCA_SUCCESS);
    ck_assert_int_eq(CONFIGURE(2), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_start(ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS);
    progress_all();
    ck_assert_int_eq(doca_ctx_stop(ctx), DOCA_SUCCESS);
    doca_task_free(task);
    ck_assert_int_eq(CONFIGURE(2), DOCA_SUCCESS);
#undef CONFIGURE
}
END_TEST

START_TEST(a_kind_that_was_not_configured_has_no_tasks)
{
    struct errtext err;

    fake = fake_new(pe, 1);
    fake->ctx.pools[FAKE_FATAL].n = 0;
    fake->ctx.pools[FAKE_FATAL].free = NULL;
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_SUCCESS);
    ck_assert_ptr_null(task_take(&fake->ctx, FAKE_FATAL, (union doca_data){0}));
    ck_assert_int_eq(task_not_taken("take", &fake->ctx, FAKE_FATAL), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    ck_assert_int_eq(task_configure(&fake->ctx, FAKE_FATAL, fake_done, fake_failed, 1, &err),
                     DOCA_SUCCESS);
}
END_TEST

START_TEST(without_memory_the_earlier_tasks_stay)
{
    struct errtext err;

    fake = fake_new(pe, 3);
    allocations = 0;
    allocation_fails = 1;
    doca_error_t r = task_configure(&fake->ctx, FAKE_PLAIN, fake_done, fake_failed, 9, &err);
    allocation_fails = 0;
    ck_assert_int_eq(r, DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_SUCCESS);
    for (unsigned i = 0; i < 3; i++)
        (void)fake_task(fake, FAKE_PLAIN, FAKE_DONE, 1);
    ck_assert_ptr_null(task_take(&fake->ctx, FAKE_PLAIN, (union doca_data){0}));
}
END_TEST

START_TEST(without_memory_there_is_no_engine)
{
    struct doca_pe *made = NULL;
    doca_error_t r;

    fake = fake_new(pe, 1);
    for (unsigned n = 1;; n++) {
        allocations = 0;
        allocation_fails = n;
        r = doca_pe_create(&made);
        allocation_fails = 0;
        if (allocations < n)
            break;
        ck_assert_int_eq(r, DOCA_ERROR_NO_MEMORY);
        ck_assert_ptr_null(made);
    }
    ck_assert_int_eq(r, DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_destroy(made), DOCA_SUCCESS);
}
END_TEST

START_TEST(without_memory_a_context_does_not_start)
{
    doca_error_t r;

    fake = fake_new(pe, 1);
    fake->ctx.state_changed = NULL; // it asserts, which allocates
    for (unsigned n = 1;; n++) {
        allocations = 0;
        allocation_fails = n;
        r = doca_ctx_start(&fake->ctx);
        allocation_fails = 0;
        if (allocations < n)
            break;
        ck_assert_int_eq(r, DOCA_ERROR_INITIALIZATION);
        ck_assert_int_eq(fake_state_of(fake), DOCA_CTX_STATE_IDLE);
    }
    ck_assert_int_eq(r, DOCA_SUCCESS);
}
END_TEST

// ---- whose a task is -----------------------------------------------------------------------

START_TEST(a_task_in_flight_is_not_the_programs)
{
    size_t n;

    fake = fake_new_started(pe, 2);
    struct doca_task *task = fake_submit(fake, FAKE_PLAIN, FAKE_WAITS, 1);
    ck_assert_int_eq(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_task_get_status(task), DOCA_ERROR_IN_PROGRESS);
    doca_task_set_user_data(task, (union doca_data){.u64 = 9});
    ck_assert_uint_eq(doca_task_get_user_data(task).u64, 1);
    doca_task_free(task);
    ck_assert_int_eq(doca_ctx_get_num_inflight_tasks(&fake->ctx, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 1);
    (void)fake_task(fake, FAKE_PLAIN, FAKE_DONE, 2);
    ck_assert_ptr_null(task_take(&fake->ctx, FAKE_PLAIN, (union doca_data){0}));
    fake_let_go = true;
    progress_all();
    ck_assert_str_eq(fake_log, "A");
    ck_assert_int_eq(doca_task_get_status(task), DOCA_SUCCESS);
    doca_task_free(task);
    doca_task_free(task); // it is not in the pool twice
    (void)fake_task(fake, FAKE_PLAIN, FAKE_DONE, 3);
    ck_assert_ptr_null(task_take(&fake->ctx, FAKE_PLAIN, (union doca_data){0}));
    doca_task_free(task);
    ck_assert_int_eq(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

static unsigned rounds;

static void again(struct doca_task *task)
{
    size_t n;

    ck_assert_int_eq(doca_ctx_get_num_inflight_tasks(doca_task_get_ctx(task), &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 0); // its own does not count any more
    if (++rounds == 5) {
        doca_task_free(task);
        return;
    }
    doca_task_set_user_data(task, (union doca_data){.u64 = rounds + 1});
    fake_set_way(task, rounds % 2 ? FAKE_FAILS : FAKE_DONE);
    ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS);
}

START_TEST(a_callback_submits_its_task_again)
{
    fake = fake_new_started(pe, 1);
    rounds = 0;
    fake_on_done = again;
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 1);
    for (unsigned i = 0; i < 5; i++)
        ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_str_eq(fake_log, "AbCdE");
}
END_TEST

// ---- ways of submitting ----------------------------------------------------------------------

START_TEST(trying_checks_first)
{
    fake = fake_new_started(pe, 2);
    struct doca_task *task = fake_task(fake, FAKE_PLAIN, FAKE_FAILS, 1);
    ck_assert_int_eq(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
    fake_set_way(task, FAKE_DONE);
    ck_assert_int_eq(doca_task_try_submit(task), DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_try_submit(task), DOCA_ERROR_BAD_STATE);
    struct doca_task *unchecked = fake_task(fake, FAKE_FATAL, FAKE_DONE, 2);
    ck_assert_int_eq(doca_task_try_submit(unchecked), DOCA_SUCCESS);
    progress_all();
    ck_assert_str_eq(fake_log, "AB");
}
END_TEST

START_TEST(flags_of_a_submission)
{
    fake = fake_new_started(pe, 2);
    struct doca_task *task = fake_task(fake, FAKE_PLAIN, FAKE_DONE, 1);
    for (uint32_t flags = 0; flags < 16; flags++) {
        ck_assert_int_eq(doca_task_submit_ex(task, flags), DOCA_SUCCESS);
        doca_ctx_flush_tasks(&fake->ctx);
        progress_all();
    }
    ck_assert_int_eq(doca_task_submit_ex(task, 16), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_task_submit_ex(task, 1u << 31), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(a_library_may_refuse_a_task)
{
    fake_settings.prepare = DOCA_ERROR_AGAIN;
    fake = fake_new_started(pe, 1);
    struct doca_task *task = fake_task(fake, FAKE_PLAIN, FAKE_DONE, 1);
    ck_assert_int_eq(doca_task_submit(task), DOCA_ERROR_AGAIN);
    ck_assert_int_eq(doca_task_try_submit(task), DOCA_ERROR_AGAIN);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    fake_settings.prepare = DOCA_SUCCESS;
    ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS);
    progress_all();
    ck_assert_str_eq(fake_log, "A");
}
END_TEST

START_TEST(a_library_may_work_at_submission)
{
    fake_settings.eager = true;
    fake_let_go = true;
    fake = fake_new_started(pe, 3);
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 1);
    fake_submit(fake, FAKE_PLAIN, FAKE_WAITS, 2);
    fake_submit(fake, FAKE_PLAIN, FAKE_FAILS, 3);
    ck_assert_str_eq(fake_log, "");
    progress_all();
    ck_assert_str_eq(fake_log, "ABc");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_pool_has_as_many_tasks_as_asked_for,
        tasks_are_configured_before_start,
        a_kind_that_was_not_configured_has_no_tasks,
        without_memory_the_earlier_tasks_stay,
        without_memory_there_is_no_engine,
        without_memory_a_context_does_not_start,
        a_task_in_flight_is_not_the_programs,
        a_callback_submits_its_task_again,
        trying_checks_first,
        flags_of_a_submission,
        a_library_may_refuse_a_task,
        a_library_may_work_at_submission,
    };
    TCase *tcase = tcase_create("task");
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case("task", tcase);
}

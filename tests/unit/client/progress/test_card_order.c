// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// When tasks are executed and reported on a device that imitates a card: the order of contexts, the
// flags of a submission, and what a failed task does to the others.

#include "../dma/dma_rig.h"
#include "unit.h"

#include <doca_ctx.h>
#include <doca_pe.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define CONTEXTS  3
#define TASKS_MAX 64
#define IN_VAIN   16 // polls that must find nothing

static struct doca_pe *pe;
static struct doca_dma *libs[CONTEXTS];
static uint8_t from[TASKS_MAX], to[TASKS_MAX];
static struct doca_mmap from_map, to_map;
static struct doca_buf *sources[TASKS_MAX], *targets[TASKS_MAX];
static struct doca_task *tasks[TASKS_MAX];
static unsigned n_tasks;
static bool ordered; // completions, of all contexts
// In the order of their completion.
static unsigned ended[TASKS_MAX], n_ended, n_failed;
static doca_error_t errors[TASKS_MAX];
static uint8_t seen[TASKS_MAX][TASKS_MAX]; // the target's bytes at each completion

static void end_task(struct doca_task *task, unsigned number)
{
    memcpy(seen[n_ended], to, sizeof(to));
    errors[n_ended] = doca_task_get_status(task);
    ended[n_ended++] = number;
    doca_task_free(task);
}

static void done(struct doca_dma_task_memcpy *task, union doca_data data, union doca_data ctx_data)
{
    (void)ctx_data;
    end_task(doca_dma_task_memcpy_as_task(task), (unsigned)data.u64);
}

static void failed(struct doca_dma_task_memcpy *task, union doca_data data,
                   union doca_data ctx_data)
{
    n_failed++;
    done(task, data, ctx_data);
}

static struct doca_ctx *context(unsigned i)
{
    return doca_dma_as_ctx(libs[i]);
}

static enum doca_ctx_states state_of(unsigned i)
{
    enum doca_ctx_states state;
    ck_assert_int_eq(doca_ctx_get_state(context(i), &state), DOCA_SUCCESS);
    return state;
}

static void begin(const char *lines)
{
    char why[CARD_WHY_SIZE];

    card_init(&fake_card);
    ck_assert_msg(card_parse(lines, "", &fake_card, why), "%s", why);
    setup();
    memset(to, 0, sizeof(to));
    memset(from, 1, sizeof(from));
    from_map = local_map(from, sizeof(from));
    to_map = local_map(to, sizeof(to));
    n_tasks = n_ended = n_failed = 0;
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    for (unsigned i = 0; i < CONTEXTS; i++) {
        ck_assert_int_eq(doca_dma_create(&fake_dev, &libs[i]), DOCA_SUCCESS);
        ck_assert_int_eq(doca_pe_connect_ctx(pe, context(i)), DOCA_SUCCESS);
        ck_assert_int_eq(doca_dma_task_memcpy_set_conf(libs[i], done, failed, TASKS_MAX),
                         DOCA_SUCCESS);
        ck_assert_int_eq(doca_dma_set_ordered_completions(libs[i], ordered), DOCA_SUCCESS);
        ck_assert_int_eq(doca_ctx_start(context(i)), DOCA_SUCCESS);
    }
}

static void begin_with_seed(unsigned seed, const char *more)
{
    char lines[256];
    snprintf(lines, sizeof(lines), "reorder = %u\n%s", seed, more);
    begin(lines);
}

static void end(void)
{
    for (unsigned i = 0; i < CONTEXTS; i++) {
        ck_assert_int_eq(doca_ctx_stop(context(i)), DOCA_SUCCESS);
        ck_assert_int_eq(doca_dma_destroy(libs[i]), DOCA_SUCCESS);
    }
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
    for (unsigned i = 0; i < n_tasks; i++) {
        if (sources[i])
            drop(sources[i]);
        drop(targets[i]);
    }
    teardown();
    card_init(&fake_card);
}

// A task that copies its byte, or has no source and fails. Returns its number.
static unsigned make(unsigned of, bool good)
{
    struct doca_dma_task_memcpy *task;
    unsigned i = n_tasks++;

    sources[i] = good ? buffer(&from_map, &from[i], 1, 1) : NULL;
    targets[i] = buffer(&to_map, &to[i], 1, 0);
    ck_assert_int_eq(doca_dma_task_memcpy_alloc_init(libs[of], sources[i], targets[i],
                                                     (union doca_data){.u64 = i}, &task),
                     DOCA_SUCCESS);
    tasks[i] = doca_dma_task_memcpy_as_task(task);
    return i;
}

static unsigned submit_one(unsigned of)
{
    unsigned i = make(of, true);
    ck_assert_int_eq(doca_task_submit(tasks[i]), DOCA_SUCCESS);
    return i;
}

static void submit_flagged(unsigned of, uint32_t flags)
{
    ck_assert_int_eq(doca_task_submit_ex(tasks[make(of, true)], flags), DOCA_SUCCESS);
}

static void poll_all(void)
{
    while (n_ended < n_tasks)
        ck_assert_uint_eq(doca_pe_progress(pe), 1);
}

static void poll_in_vain(void)
{
    for (unsigned i = 0; i < IN_VAIN; i++)
        ck_assert_uint_eq(doca_pe_progress(pe), 0);
}

static bool is_ordered(void)
{
    for (unsigned i = 0; i < n_ended; i++)
        if (ended[i] != i)
            return false;
    return true;
}

// ---- the order of contexts -------------------------------------------------------------

START_TEST(software_keeps_the_order)
{
    begin("");
    for (unsigned i = 0; i < 12; i++)
        submit_one(i % CONTEXTS);
    poll_all();
    ck_assert(is_ordered());
    end();
}
END_TEST

// A context of data and one of a flag: with some seeds the flag is there first.
START_TEST(a_seed_changes_the_order_of_contexts)
{
    unsigned n_ordered = 0, first = 0;

    for (unsigned seed = 1; seed <= 32; seed++) {
        for (unsigned round = 0; round < 2; round++) {
            begin_with_seed(seed, "");
            unsigned data = submit_one(0), flag = submit_one(1);
            poll_all();
            ck_assert_uint_eq(n_failed, 0);
            // What is reported is there, what was not executed is not.
            ck_assert_uint_eq(seen[0][ended[0]], 1);
            ck_assert_uint_eq(seen[0][ended[0] == data ? flag : data], 0);
            ck_assert_uint_eq(seen[1][data] + seen[1][flag], 2);
            if (round == 0)
                first = ended[0];
            ck_assert_uint_eq(ended[0], first); // as with this seed before
            n_ordered += ended[0] == data;
            end();
        }
    }
    ck_assert_uint_gt(n_ordered, 0);
    ck_assert_uint_lt(n_ordered, 64);
}
END_TEST

START_TEST(a_completion_orders_contexts)
{
    for (unsigned seed = 1; seed <= 16; seed++) {
        begin_with_seed(seed, "");
        for (unsigned i = 0; i < 6; i++) {
            submit_one(i % CONTEXTS);
            poll_all();
        }
        ck_assert(is_ordered());
        end();
    }
}
END_TEST

static bool contexts_are_ordered(void)
{
    for (unsigned i = 0; i < n_ended; i++)
        for (unsigned k = i + 1; k < n_ended; k++)
            if (ended[i] % CONTEXTS == ended[k] % CONTEXTS && ended[i] > ended[k])
                return false;
    return true;
}

// Returns with how many seeds contexts kept their order, and *mixed with how many not all did.
static unsigned run_seeds(const char *more, unsigned *mixed)
{
    unsigned n = 0;

    for (unsigned seed = 1; seed <= 16; seed++) {
        begin_with_seed(seed, more);
        for (unsigned i = 0; i < 12; i++)
            submit_one(i % CONTEXTS);
        poll_all();
        poll_in_vain();
        n += contexts_are_ordered();
        *mixed += !is_ordered();
        end();
    }
    return n;
}

START_TEST(a_context_keeps_its_order_if_its_card_does)
{
    unsigned mixed = 0;
    ck_assert_uint_eq(run_seeds("dma.keeps_order = yes\n", &mixed), 16);
    ck_assert_uint_eq(mixed, 16);
    ck_assert_uint_eq(run_seeds("dma.keeps_order = no\n", &mixed), 0);
}
END_TEST

START_TEST(ordered_completions_hold_with_every_seed)
{
    unsigned mixed = 0;
    ordered = true;
    ck_assert_uint_eq(run_seeds("dma.keeps_order = no\n", &mixed), 16);
    ck_assert_uint_eq(mixed, 16);
    ordered = false;
}
END_TEST

// ---- flags -----------------------------------------------------------------------------

#define OPTIMIZED (DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS | DOCA_TASK_SUBMIT_FLAG_FLUSH)

START_TEST(reports_come_with_a_later_task)
{
    begin("optimize_reports = yes\n");
    for (unsigned i = 0; i < 3; i++)
        submit_flagged(0, OPTIMIZED);
    poll_in_vain();
    size_t n;
    ck_assert_int_eq(doca_ctx_get_num_inflight_tasks(context(0), &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(to[0] + to[1] + to[2], 3); // the bytes are there
    submit_one(1);                               // of another context
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    poll_in_vain();
    submit_one(0);
    poll_all();
    ck_assert_uint_eq(ended[0], 3);
    for (unsigned i = 1; i < 4; i++)
        ck_assert_uint_eq(ended[i], i - 1);
    submit_flagged(0, OPTIMIZED); // a later one waits again
    poll_in_vain();
    submit_one(0);
    poll_all();
    end();
}
END_TEST

START_TEST(an_unflushed_task_reports_itself_alone)
{
    begin("optimize_reports = yes\n");
    submit_flagged(0, OPTIMIZED);
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_NONE);
    ck_assert_uint_eq(doca_pe_progress(pe) + doca_pe_progress(pe), 1);
    poll_in_vain();
    ck_assert_uint_eq(ended[0], 1);
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_FLUSH);
    poll_all();
    end();
}
END_TEST

START_TEST(unless_completions_are_ordered)
{
    ordered = true;
    begin("optimize_reports = yes\n");
    submit_flagged(0, OPTIMIZED);
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_NONE);
    poll_in_vain();
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_FLUSH);
    poll_all();
    ck_assert(is_ordered());
    end();
    ordered = false;
}
END_TEST

START_TEST(a_stop_reports_what_was_held)
{
    begin("optimize_reports = yes\ntasks_need_flush = yes\n");
    submit_flagged(0, OPTIMIZED);
    poll_in_vain();
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_NONE);
    poll_in_vain();
    ck_assert_int_eq(doca_ctx_stop(context(0)), DOCA_ERROR_IN_PROGRESS);
    poll_all();
    ck_assert_int_eq(errors[0], DOCA_SUCCESS);
    ck_assert_int_eq(errors[1], DOCA_ERROR_SHUTDOWN);
    ck_assert_uint_eq(to[1], 0);
    ck_assert_int_eq(state_of(0), DOCA_CTX_STATE_IDLE);
    ck_assert_int_eq(doca_ctx_start(context(0)), DOCA_SUCCESS); // and it goes on
    submit_one(0);
    poll_all();
    ck_assert_uint_eq(n_failed, 1);
    end();
}
END_TEST

// A task at an engine ends after the context began to stop.
START_TEST(a_stop_reports_what_ends_later)
{
    static uint8_t bytes[8];
    struct doca_mmap import;
    struct doca_dma_task_memcpy *task;

    begin("optimize_reports = yes\nreorder = 1\n");
    brokered_import(&import, bytes, sizeof(bytes), sizeof(bytes), 0, node_a);
    unsigned i = n_tasks++;
    sources[i] = buffer(&import, shifted(bytes), 1, 1);
    targets[i] = buffer(&to_map, &to[i], 1, 0);
    ck_assert_int_eq(doca_dma_task_memcpy_alloc_init(libs[0], sources[i], targets[i],
                                                     (union doca_data){.u64 = i}, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit_ex(doca_dma_task_memcpy_as_task(task), OPTIMIZED),
                     DOCA_SUCCESS);
    poll_in_vain();
    ck_assert_int_eq(doca_ctx_stop(context(0)), DOCA_ERROR_IN_PROGRESS);
    poll_in_vain();
    serve_all();
    for (unsigned k = 0; k < IN_VAIN; k++)
        (void)doca_pe_progress(pe);
    ck_assert_uint_eq(n_ended, 1);
    ck_assert_int_eq(errors[0], DOCA_SUCCESS);
    ck_assert_int_eq(state_of(0), DOCA_CTX_STATE_IDLE);
    end();
    release(&import);
}
END_TEST

START_TEST(tasks_wait_for_a_flush)
{
    begin("tasks_need_flush = yes\n");
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_NONE);
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_NONE);
    poll_in_vain();
    ck_assert_uint_eq(to[0] + to[1], 0);
    submit_one(1);
    ck_assert_uint_eq(doca_pe_progress(pe), 1); // that of the other context
    poll_in_vain();
    doca_ctx_flush_tasks(context(0));
    poll_all();
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_NONE);
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_FLUSH);
    poll_all();
    for (unsigned i = 3; i < 5; i++)
        ck_assert_uint_eq(ended[i], i);
    doca_ctx_flush_tasks(context(0)); // of nothing
    end();
}
END_TEST

START_TEST(software_ignores_flags)
{
    begin("");
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS);
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_NONE);
    poll_all();
    ck_assert(is_ordered());
    end();
}
END_TEST

// A task is resubmitted without the flags that it had before.
START_TEST(flags_are_of_one_submission)
{
    begin("optimize_reports = yes\ntasks_need_flush = yes\n");
    unsigned i = make(0, true);
    ck_assert_int_eq(doca_ctx_stop(context(0)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit_ex(tasks[i], DOCA_TASK_SUBMIT_FLAG_NONE),
                     DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_start(context(0)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit(tasks[i]), DOCA_SUCCESS);
    poll_all();
    end();
}
END_TEST

// ---- notifications ---------------------------------------------------------------------

static bool is_notified(void)
{
    doca_notification_handle_t handle;
    ck_assert_int_eq(doca_pe_get_notification_handle(pe, &handle), DOCA_SUCCESS);
    return poll(&(struct pollfd){.fd = handle, .events = POLLIN}, 1, 0) == 1;
}

static void request(void)
{
    ck_assert_int_eq(doca_pe_clear_notification(pe, 0), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
}

START_TEST(a_sleeping_program_is_notified)
{
    begin("reorder = 3\noptimize_reports = yes\ntasks_need_flush = yes\n");
    submit_one(0);
    submit_one(1);
    for (unsigned i = 0; i < 2; i++) {
        request();
        ck_assert(is_notified());
        ck_assert_uint_eq(doca_pe_progress(pe), 1);
    }
    submit_flagged(0, OPTIMIZED);
    submit_flagged(1, DOCA_TASK_SUBMIT_FLAG_NONE);
    poll_in_vain();
    request();
    ck_assert(!is_notified()); // nothing will come by itself
    doca_ctx_flush_tasks(context(1));
    ck_assert(is_notified());
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    request();
    ck_assert(!is_notified());
    submit_one(0);
    ck_assert(is_notified());
    poll_all();
    request();
    ck_assert(!is_notified());
    end();
}
END_TEST

// ---- failures --------------------------------------------------------------------------

// All tasks of the context end like the one that failed, those of others do not, and the context
// can be started again.
static void fail_one(const char *lines, doca_error_t expected)
{
    begin(lines);
    ck_assert_int_eq(doca_task_submit(tasks[make(0, false)]), DOCA_SUCCESS);
    submit_one(0);
    submit_one(0);
    submit_one(1);
    poll_all();
    unsigned n = 0;
    for (unsigned i = 0; i < n_ended; i++) {
        if (ended[i] == 1 || ended[i] == 2)
            ck_assert_int_eq(errors[i], expected);
        if (ended[i] == 3)
            ck_assert_int_eq(errors[i], DOCA_SUCCESS);
        n += errors[i] != DOCA_SUCCESS;
    }
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(state_of(0), DOCA_CTX_STATE_IDLE);
    ck_assert_int_eq(state_of(1), DOCA_CTX_STATE_RUNNING);
    struct doca_dma_task_memcpy *task;
    ck_assert_int_eq(doca_dma_task_memcpy_alloc_init(libs[0], sources[1], targets[1],
                                                     (union doca_data){0}, &task),
                     DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_start(context(0)), DOCA_SUCCESS);
    submit_one(0);
    poll_all();
    ck_assert_int_eq(errors[n_ended - 1], DOCA_SUCCESS);
    end();
}

START_TEST(a_failed_task_takes_the_others_along)
{
    fail_one("", DOCA_ERROR_SHUTDOWN);
    fail_one("failure_flushes = yes\n", DOCA_ERROR_IO_FAILED);
    fail_one("failure_flushes = yes\noptimize_reports = yes\n", DOCA_ERROR_IO_FAILED);
    fail_one("failure_flushes = yes\nreorder = 5\n", DOCA_ERROR_IO_FAILED);
}
END_TEST

UNIT_MAIN("card_order", software_keeps_the_order, a_seed_changes_the_order_of_contexts,
          a_completion_orders_contexts, a_context_keeps_its_order_if_its_card_does,
          ordered_completions_hold_with_every_seed, unless_completions_are_ordered,
          reports_come_with_a_later_task, an_unflushed_task_reports_itself_alone,
          a_stop_reports_what_was_held, a_stop_reports_what_ends_later, tasks_wait_for_a_flush,
          software_ignores_flags, flags_are_of_one_submission, a_sleeping_program_is_notified,
          a_failed_task_takes_the_others_along)

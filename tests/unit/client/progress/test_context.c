// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Contexts: their states, what start and stop return, and what happens to tasks meanwhile.

#include "fake_kind.h"
#include "queue/broker.h"
#include "unit.h"

#include <string.h>

static struct doca_pe *pe;
static struct fake *fake;

static void setup(void)
{
    fake_reset();
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    fake = fake_new(pe, 16);
}

static void teardown(void)
{
    if (fake)
        fake_free(fake);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
    ck_assert_uint_eq(fake_dev.refs, 1);
}

static void start(void)
{
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_SUCCESS);
    ck_assert_int_eq(fake_state_of(fake), DOCA_CTX_STATE_RUNNING);
}

static void progress_all(void)
{
    while (doca_pe_progress(pe))
        ;
}

START_TEST(start_and_stop_at_once)
{
    start();
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    ck_assert_str_eq(fake->states, "IRSI");
    ck_assert_uint_eq(fake->stopped, 1);
    // Stopping what is idle does no harm.
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    ck_assert_str_eq(fake->states, "IRSI");
    start();
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    ck_assert_str_eq(fake->states, "IRSIRSI");
    ck_assert_uint_eq(fake->starts, 2);
}
END_TEST

START_TEST(nothing_goes_without_an_engine)
{
    struct fake *alone = fake_new(NULL, 1);
    ck_assert_int_eq(doca_ctx_start(&alone->ctx), DOCA_ERROR_NOT_CONNECTED);
    ck_assert_int_eq(doca_ctx_stop(&alone->ctx), DOCA_ERROR_NOT_CONNECTED);
    ck_assert_str_eq(alone->states, "I");
    fake_free(alone);
}
END_TEST

START_TEST(a_start_that_fails_changes_nothing)
{
    fake_settings.start = DOCA_ERROR_NOT_SUPPORTED;
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_str_eq(fake->states, "I");
    ck_assert_uint_eq(fake->stopped, 0);
    fake_settings.start = DOCA_SUCCESS;
    start();
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
}
END_TEST

// ---- contexts that take their time ---------------------------------------------------------

static void started(struct fake *of)
{
    context_started(&of->ctx);
}

START_TEST(a_start_may_take_time)
{
    fake_settings.start = DOCA_ERROR_IN_PROGRESS;
    fake_on_event = started;
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert_str_eq(fake->states, "IT");
    ck_assert_ptr_null(task_take(&fake->ctx, FAKE_PLAIN, (union doca_data){0}));
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_ERROR_BAD_STATE);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    pe_post(pe, &fake->event);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_str_eq(fake->states, "ITR");
    context_started(&fake->ctx);
    ck_assert_str_eq(fake->states, "ITR");
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    // A connection that comes too late starts nothing.
    context_started(&fake->ctx);
    ck_assert_str_eq(fake->states, "ITRSI");
}
END_TEST

START_TEST(a_start_can_be_given_up)
{
    fake_settings.start = DOCA_ERROR_IN_PROGRESS;
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    ck_assert_str_eq(fake->states, "ITSI");
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_ERROR_IN_PROGRESS);
    context_fail(&fake->ctx);
    ck_assert_str_eq(fake->states, "ITSITSI");
}
END_TEST

static void ended(struct fake *of)
{
    context_stopped(&of->ctx);
}

START_TEST(a_stop_may_take_time)
{
    struct errtext err;

    fake_settings.stop = DOCA_ERROR_IN_PROGRESS;
    fake_on_event = ended;
    start();
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 1);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_ERROR_IN_PROGRESS);
    progress_all();
    ck_assert_str_eq(fake_log, "a");
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert_int_eq(context_fini(&fake->ctx, &err), DOCA_ERROR_IN_USE);
    ck_assert_str_eq(fake->states, "IRS");
    ck_assert_uint_eq(fake->stops, 1);
    pe_post(pe, &fake->event);
    progress_all();
    ck_assert_str_eq(fake->states, "IRSI");
    ck_assert_uint_eq(fake->stopped, 1);
}
END_TEST

// ---- tasks in flight -----------------------------------------------------------------------

START_TEST(a_stop_flushes_what_is_queued)
{
    struct fake *other = fake_new_started(pe, 2);
    start();
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 1);
    fake_submit(other, FAKE_PLAIN, FAKE_DONE, 2);
    fake_submit(fake, FAKE_FATAL, FAKE_DONE, 3);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert_str_eq(fake->states, "IRS");
    ck_assert_ptr_null(task_take(&fake->ctx, FAKE_PLAIN, (union doca_data){0}));
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_str_eq(fake_log, "a");
    ck_assert_str_eq(fake->states, "IRS");
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_str_eq(fake_log, "ac");
    ck_assert_str_eq(fake->states, "IRSI");
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_str_eq(fake_log, "acB");
    ck_assert_int_eq(doca_ctx_stop(&other->ctx), DOCA_SUCCESS);
    fake_free(other);
}
END_TEST

START_TEST(a_stop_ends_what_waits_if_it_can)
{
    start();
    fake_submit(fake, FAKE_PLAIN, FAKE_WAITS, 1);
    fake_submit(fake, FAKE_PLAIN, FAKE_STAYS, 2);
    fake_submit(fake, FAKE_PLAIN, FAKE_KEPT, 3);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_ERROR_IN_PROGRESS);
    progress_all();
    ck_assert_str_eq(fake_log, "ac");
    ck_assert_str_eq(fake->states, "IRS");
    fake_let_go = true; // the one that could not be ended ends in its own way
    progress_all();
    ck_assert_str_eq(fake_log, "acB");
    ck_assert_str_eq(fake->states, "IRSI");
}
END_TEST

static doca_error_t stop_result;

static void stop_it(struct doca_task *task)
{
    stop_result = doca_ctx_stop(doca_task_get_ctx(task));
    ck_assert_int_eq(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
    doca_task_free(task);
}

START_TEST(a_stop_inside_the_last_callback_is_in_progress)
{
    start();
    fake_on_done = stop_it;
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 1);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_int_eq(stop_result, DOCA_ERROR_IN_PROGRESS);
    ck_assert_str_eq(fake->states, "IRSI");
}
END_TEST

static void stop_the_other(struct doca_task *task)
{
    (void)task;
    stop_result = doca_ctx_stop(&fake->ctx);
}

START_TEST(a_callback_stops_another_context_at_once)
{
    struct fake *other = fake_new_started(pe, 2);
    start();
    fake_on_done = stop_the_other;
    fake_submit(other, FAKE_PLAIN, FAKE_DONE, 1);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_int_eq(stop_result, DOCA_SUCCESS);
    ck_assert_str_eq(fake->states, "IRSI");
    ck_assert_int_eq(doca_ctx_stop(&other->ctx), DOCA_SUCCESS);
    fake_free(other);
}
END_TEST

static void look_at_state(struct doca_task *task)
{
    enum doca_ctx_states state;
    ck_assert_int_eq(doca_ctx_get_state(doca_task_get_ctx(task), &state), DOCA_SUCCESS);
    if (doca_task_get_status(task) == DOCA_SUCCESS)
        return;
    ck_assert_int_eq(state, DOCA_CTX_STATE_STOPPING);
    ck_assert_int_eq(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_ctx_stop(doca_task_get_ctx(task)), DOCA_ERROR_IN_PROGRESS);
}

START_TEST(a_fatal_failure_stops_the_context)
{
    start();
    fake_on_done = look_at_state;
    fake_submit(fake, FAKE_FATAL, FAKE_DONE, 1);
    fake_submit(fake, FAKE_FATAL, FAKE_FAILS, 2);
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 3);
    fake_submit(fake, FAKE_FATAL, FAKE_DONE, 4);
    progress_all();
    ck_assert_str_eq(fake_log, "Abcd");
    ck_assert_str_eq(fake->states, "IRSI");
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    // It can be started again.
    start();
    fake_submit(fake, FAKE_FATAL, FAKE_DONE, 5);
    progress_all();
    ck_assert_str_eq(fake_log, "AbcdE");
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
}
END_TEST

START_TEST(another_failure_does_not)
{
    start();
    fake_submit(fake, FAKE_PLAIN, FAKE_FAILS, 1);
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 2);
    progress_all();
    ck_assert_str_eq(fake_log, "aB");
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
}
END_TEST

static void library_fails(struct fake *of)
{
    context_fail(&of->ctx);
    context_fail(&of->ctx);
}

START_TEST(a_library_can_stop_its_context)
{
    start();
    fake_on_event = library_fails;
    fake_submit(fake, FAKE_PLAIN, FAKE_WAITS, 1);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    pe_post(pe, &fake->event);
    progress_all();
    ck_assert_str_eq(fake_log, "a");
    ck_assert_str_eq(fake->states, "IRSI");
    ck_assert_uint_eq(fake->stops, 1);
}
END_TEST

// ---- what the program does in the callback for a state ---------------------------------------

static void stop_when_running(struct fake *of, enum doca_ctx_states next)
{
    if (next == DOCA_CTX_STATE_RUNNING)
        stop_result = doca_ctx_stop(&of->ctx);
}

START_TEST(the_callback_for_running_may_stop)
{
    fake_on_state = stop_when_running;
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_SUCCESS);
    ck_assert_int_eq(stop_result, DOCA_SUCCESS);
    ck_assert_str_eq(fake->states, "IRSI");
}
END_TEST

static void work_when_running(struct fake *of, enum doca_ctx_states next)
{
    if (next == DOCA_CTX_STATE_RUNNING)
        fake_submit(of, FAKE_PLAIN, FAKE_DONE, 7);
}

START_TEST(the_callback_for_running_may_submit)
{
    fake_on_state = work_when_running;
    start();
    progress_all();
    ck_assert_str_eq(fake_log, "G");
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
}
END_TEST

static void destroy_when_idle(struct fake *of, enum doca_ctx_states next)
{
    if (next == DOCA_CTX_STATE_IDLE) {
        fake_free(of);
        fake = NULL;
    }
}

START_TEST(the_callback_for_idle_may_destroy)
{
    start();
    fake_on_state = destroy_when_idle;
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 1);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_ptr_null(fake);

    fake = fake_new(pe, 1);
    start();
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    ck_assert_ptr_null(fake);
}
END_TEST

static void stop_and_destroy(struct fake *of, enum doca_ctx_states next)
{
    struct errtext err;

    if (next == DOCA_CTX_STATE_RUNNING)
        ck_assert_int_eq(doca_ctx_stop(&of->ctx), DOCA_SUCCESS);
    if (next == DOCA_CTX_STATE_IDLE)
        ck_assert_int_eq(context_fini(&of->ctx, &err), DOCA_ERROR_IN_USE); // start() needs it
}

START_TEST(a_context_outlives_its_start)
{
    fake_on_state = stop_and_destroy;
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_SUCCESS);
    ck_assert_str_eq(fake->states, "IRSI");
}
END_TEST

static void progress_when_stopping(struct fake *of, enum doca_ctx_states next)
{
    (void)of;
    if (next == DOCA_CTX_STATE_STOPPING)
        while (doca_pe_progress(pe))
            ;
}

START_TEST(progress_inside_a_stop_does_not_end_it_early)
{
    start();
    fake_on_state = progress_when_stopping;
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 1);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    ck_assert_str_eq(fake_log, "A");
    ck_assert_str_eq(fake->states, "IRSI");
}
END_TEST

// ---- the rest ----------------------------------------------------------------------------------

START_TEST(what_a_context_carries)
{
    union doca_data data;
    ck_assert_int_eq(doca_ctx_set_user_data(&fake->ctx, (union doca_data){.u64 = 5}), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_get_user_data(&fake->ctx, &data), DOCA_SUCCESS);
    ck_assert_uint_eq(data.u64, 5);
}
END_TEST

START_TEST(brokered_bytes_have_queue_pairs_while_it_runs)
{
    static const uint8_t node[NODE_ID_SIZE] = {7};
    struct broker_node *broker;
    struct errtext err;

    ck_assert_int_eq(broker_node_get(fake_session, node, &broker, &err), DOCA_SUCCESS);
    ck_assert_uint_eq(fake_engines_open, 0);
    start();
    struct fake *other = fake_new_started(pe, 1);
    ck_assert_uint_eq(fake_engines_open, 1);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    ck_assert_uint_eq(fake_engines_open, 1);
    ck_assert_int_eq(doca_ctx_stop(&other->ctx), DOCA_SUCCESS);
    ck_assert_uint_eq(fake_engines_open, 0);
    fake_create_error = DOCA_ERROR_NO_MEMORY;
    doca_error_t r = doca_ctx_start(&fake->ctx);
    fake_create_error = DOCA_SUCCESS;
    ck_assert_int_eq(r, DOCA_ERROR_INITIALIZATION);
    ck_assert_str_eq(fake->states, "IRSI");
    fake_free(other);
    broker_node_put(broker);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        start_and_stop_at_once,
        nothing_goes_without_an_engine,
        a_start_that_fails_changes_nothing,
        a_start_may_take_time,
        a_start_can_be_given_up,
        a_stop_may_take_time,
        a_stop_flushes_what_is_queued,
        a_stop_ends_what_waits_if_it_can,
        a_stop_inside_the_last_callback_is_in_progress,
        a_callback_stops_another_context_at_once,
        a_fatal_failure_stops_the_context,
        another_failure_does_not,
        a_library_can_stop_its_context,
        the_callback_for_running_may_stop,
        the_callback_for_running_may_submit,
        the_callback_for_idle_may_destroy,
        a_context_outlives_its_start,
        progress_inside_a_stop_does_not_end_it_early,
        what_a_context_carries,
        brokered_bytes_have_queue_pairs_while_it_runs,
    };
    TCase *tcase = tcase_create("context");
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case("context", tcase);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Progress engines: what a call does, events, contexts that share one, and waiting.

#include "fake_kind.h"
#include "unit.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

static struct doca_pe *pe;

static void setup(void)
{
    fake_reset();
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
}

static void teardown(void)
{
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
    ck_assert_uint_eq(fake_dev.refs, 1);
}

static void stop_and_free(struct fake *fake)
{
    while (doca_ctx_stop(&fake->ctx) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(pe);
    fake_free(fake);
}

// ---- progress ------------------------------------------------------------------------------

START_TEST(an_engine_with_nothing_to_do_says_so)
{
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    struct fake *fake = fake_new_started(pe, 4);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    fake_submit(fake, FAKE_PLAIN, FAKE_WAITS, 1);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    stop_and_free(fake);
}
END_TEST

START_TEST(a_call_brings_one_completion)
{
    struct fake *fake = fake_new_started(pe, 4);
    for (uint64_t id = 1; id <= 3; id++)
        fake_submit(fake, FAKE_PLAIN, FAKE_DONE, id);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_str_eq(fake_log, "A");
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_str_eq(fake_log, "ABC");
    stop_and_free(fake);
}
END_TEST

START_TEST(tasks_of_several_contexts_are_done_in_turn)
{
    struct fake *fakes[5];
    for (uint64_t i = 0; i < 5; i++)
        fakes[i] = fake_new_started(pe, 2);
    for (uint64_t id = 1; id <= 10; id++)
        fake_submit(fakes[id % 5], FAKE_PLAIN, FAKE_DONE, id);
    size_t n;
    ck_assert_int_eq(doca_pe_get_num_inflight_tasks(pe, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 10);
    ck_assert_int_eq(doca_ctx_get_num_inflight_tasks(&fakes[3]->ctx, &n), DOCA_SUCCESS);
    ck_assert_uint_eq(n, 2);
    while (doca_pe_progress(pe))
        ;
    ck_assert_str_eq(fake_log, "ABCDEFGHIJ");
    for (uint64_t i = 0; i < 5; i++)
        stop_and_free(fakes[i]);
}
END_TEST

static void try_progress(struct doca_task *task)
{
    (void)task;
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL),
                     DOCA_ERROR_BAD_STATE);
}

START_TEST(a_callback_cannot_make_the_engine_progress)
{
    struct fake *fake = fake_new_started(pe, 4);
    fake_on_done = try_progress;
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 1);
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 2);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_str_eq(fake_log, "A");
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_str_eq(fake_log, "AB");
    stop_and_free(fake);
}
END_TEST

// ---- contexts come and go --------------------------------------------------------------------

START_TEST(a_context_is_connected_once)
{
    struct doca_pe *other;
    struct fake *fake = fake_new(NULL, 1);

    ck_assert_int_eq(doca_pe_create(&other), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_connect_ctx(pe, &fake->ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_connect_ctx(pe, &fake->ctx), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_pe_connect_ctx(other, &fake->ctx), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_ctx_start(&fake->ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_connect_ctx(other, &fake->ctx), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_pe_destroy(other), DOCA_SUCCESS);
    fake_free(fake);
}
END_TEST

START_TEST(there_is_no_limit_of_contexts)
{
    struct fake *fakes[200];
    for (size_t i = 0; i < ARRAY_SIZE(fakes); i++)
        fake_submit(fakes[i] = fake_new_started(pe, 1), FAKE_PLAIN, FAKE_DONE, 1);
    for (size_t i = 0; i < ARRAY_SIZE(fakes); i++)
        ck_assert_uint_eq(doca_pe_progress(pe), 1);
    for (size_t i = 0; i < ARRAY_SIZE(fakes); i++)
        stop_and_free(fakes[i]);
}
END_TEST

// ---- events ----------------------------------------------------------------------------------

START_TEST(an_event_is_delivered_once)
{
    struct fake *fake = fake_new_started(pe, 1);
    pe_post(pe, &fake->event);
    pe_post(pe, &fake->event);
    ck_assert_uint_eq(fake->delivered, 0);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_uint_eq(fake->delivered, 1);
    pe_post(pe, &fake->event);
    pe_withdraw(pe, &fake->event);
    pe_withdraw(pe, &fake->event);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    stop_and_free(fake);
}
END_TEST

START_TEST(events_can_be_withdrawn_from_anywhere)
{
    struct fake *fakes[3];
    for (size_t i = 0; i < 3; i++) {
        fakes[i] = fake_new_started(pe, 1);
        pe_post(pe, &fakes[i]->event);
    }
    pe_withdraw(pe, &fakes[1]->event);
    pe_withdraw(pe, &fakes[2]->event);
    pe_post(pe, &fakes[1]->event);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(fakes[0]->delivered, 1);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(fakes[1]->delivered, 1);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_uint_eq(fakes[2]->delivered, 0);
    for (size_t i = 0; i < 3; i++)
        stop_and_free(fakes[i]);
}
END_TEST

static void post_again(struct fake *fake)
{
    pe_post(pe, &fake->event);
}

START_TEST(events_without_end_and_tasks_take_turns)
{
    struct fake *fake = fake_new_started(pe, 4);
    fake_on_event = post_again;
    pe_post(pe, &fake->event);
    for (uint64_t id = 1; id <= 4; id++)
        fake_submit(fake, FAKE_PLAIN, FAKE_DONE, id);
    for (unsigned i = 0; i < 8; i++)
        ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_str_eq(fake_log, "ABCD");
    ck_assert_uint_eq(fake->delivered, 4);
    pe_withdraw(pe, &fake->event);
    stop_and_free(fake);
}
END_TEST

START_TEST(a_source_is_polled_while_the_engine_is_held)
{
    struct fake *fake = fake_new_started(pe, 1);
    fake_on_poll = post_again;
    fake_add_source(fake);
    // What the source finds is told by the same call.
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(fake->polls, 1);
    ck_assert_uint_eq(fake->delivered, 1);
    fake_remove_source(fake);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_uint_eq(fake->polls, 1);
    stop_and_free(fake);
}
END_TEST

// ---- waiting ---------------------------------------------------------------------------------

static bool readable(void)
{
    doca_notification_handle_t handle;
    ck_assert_int_eq(doca_pe_get_notification_handle(pe, &handle), DOCA_SUCCESS);
    struct pollfd fd = {.fd = handle, .events = POLLIN};
    return poll(&fd, 1, 0) == 1;
}

START_TEST(a_submission_wakes)
{
    struct fake *fake = fake_new_started(pe, 4);
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
    ck_assert(!readable());
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 1);
    ck_assert(readable());
    ck_assert(readable()); // level triggered
    ck_assert_int_eq(doca_pe_clear_notification(pe, 0), DOCA_SUCCESS);
    ck_assert(!readable());
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    stop_and_free(fake);
}
END_TEST

START_TEST(a_request_finds_what_is_there)
{
    struct fake *fake = fake_new_started(pe, 4);
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 1);
    ck_assert(!readable());
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
    ck_assert(readable());
    ck_assert_str_eq(fake_log, ""); // callbacks are for doca_pe_progress()
    ck_assert_int_eq(doca_pe_clear_notification(pe, 77), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);

    pe_post(pe, &fake->event);
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
    ck_assert(readable());
    ck_assert_int_eq(doca_pe_clear_notification(pe, 0), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    stop_and_free(fake);
}
END_TEST

START_TEST(what_comes_after_a_request_wakes)
{
    struct fake *fake = fake_new_started(pe, 4);
    fake_submit(fake, FAKE_PLAIN, FAKE_WAITS, 1);
    fake_submit(fake, FAKE_PLAIN, FAKE_KEPT, 2);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
    ck_assert(!readable());
    pe_post(pe, &fake->event);
    ck_assert(readable());
    ck_assert_int_eq(doca_pe_clear_notification(pe, 0), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    // Tasks that a stop ends wake, too.
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
    ck_assert(!readable());
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert(readable());
    ck_assert_int_eq(doca_pe_clear_notification(pe, 0), DOCA_SUCCESS);
    while (doca_pe_progress(pe))
        ;
    ck_assert_int_eq(fake_state_of(fake), DOCA_CTX_STATE_IDLE);
    fake_free(fake);
}
END_TEST

START_TEST(in_the_other_mode_a_request_clears)
{
    struct fake *fake = fake_new_started(pe, 4);
    ck_assert_int_eq(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
    fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 1);
    ck_assert(readable());
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
    ck_assert(!readable());
    ck_assert_int_eq(doca_pe_set_event_mode(pe, (enum doca_pe_event_mode)2),
                     DOCA_ERROR_INVALID_VALUE);
    stop_and_free(fake);
}
END_TEST

START_TEST(the_handle_is_the_same_for_life)
{
    doca_notification_handle_t first, later;
    ck_assert_int_eq(doca_pe_get_notification_handle(pe, &first), DOCA_SUCCESS);
    struct fake *fake = fake_new_started(pe, 1);
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_get_notification_handle(pe, &later), DOCA_SUCCESS);
    ck_assert_int_eq(first, later);
    stop_and_free(fake);
    ck_assert_int_eq(doca_pe_get_notification_handle(pe, &later), DOCA_SUCCESS);
    ck_assert_int_eq(first, later);
}
END_TEST

START_TEST(without_descriptors_there_is_no_engine)
{
    struct rlimit before, none;
    struct doca_pe *made = NULL;

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    doca_error_t r = doca_pe_create(&made);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    ck_assert_int_eq(r, DOCA_ERROR_NO_MEMORY);
    ck_assert_ptr_null(made);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_engine_with_nothing_to_do_says_so,
        a_call_brings_one_completion,
        tasks_of_several_contexts_are_done_in_turn,
        a_callback_cannot_make_the_engine_progress,
        a_context_is_connected_once,
        there_is_no_limit_of_contexts,
        an_event_is_delivered_once,
        events_can_be_withdrawn_from_anywhere,
        events_without_end_and_tasks_take_turns,
        a_source_is_polled_while_the_engine_is_held,
        a_submission_wakes,
        a_request_finds_what_is_there,
        what_comes_after_a_request_wakes,
        in_the_other_mode_a_request_clears,
        the_handle_is_the_same_for_life,
        without_descriptors_there_is_no_engine,
    };
    TCase *tcase = tcase_create("progress");
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case("progress", tcase);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "memfd.h"
#include "message.h"
#include "session_representors.h"
#include "session_rig.h"
#include "unit.h"
#include "user.h"

#include <event2/event.h>

static const struct object_kind *const no_kinds[] = {NULL};
static struct rig_session one;

static void setup(void)
{
    rig_begin(no_kinds);
    rig_session_begin(&one);
}

static void teardown(void)
{
    rig_session_end(&one);
    rig_end();
}

START_TEST(answers_carry_the_serial_of_their_request)
{
    session_reply_ok(&one.session, 7);
    cleanup_message Docad__Message *ok = rig_answer(&one);
    ck_assert_uint_eq(ok->serial, 7);
    ck_assert_int_eq(ok->body_case, DOCAD__MESSAGE__BODY_OK);
    session_reply_error(&one.session, 8, DOCA_ERROR_AGAIN, "later");
    cleanup_message Docad__Message *error = rig_answer(&one);
    ck_assert_uint_eq(error->serial, 8);
    ck_assert_uint_eq(error->error->code, DOCA_ERROR_AGAIN);
    ck_assert(!rig_has_answer(&one));
}
END_TEST

START_TEST(functions_are_used_while_they_are_open)
{
    const struct function *f = NULL;
    struct errtext err;
    ck_assert_int_eq(session_open_function(&one.session, RIG_FUNCTION, &f, &err), DOCA_SUCCESS);
    ck_assert_ptr_eq(f, &rig_node.functions[0]);
    ck_assert_int_eq(session_open_function(&one.session, 2, &f, &err), DOCA_ERROR_NOT_FOUND);
    one.session.open[RIG_FUNCTION - 1] = 0;
    ck_assert_int_eq(session_open_function(&one.session, RIG_FUNCTION, &f, &err),
                     DOCA_ERROR_BAD_STATE);
    rig_node.functions[0].gone = true;
    ck_assert_int_eq(session_open_function(&one.session, RIG_FUNCTION, &f, &err),
                     DOCA_ERROR_NOT_FOUND);
}
END_TEST

// ---- the activity page ------------------------------------------------------------------

static void count(void *arg)
{
    ++*(unsigned *)arg;
}

// Whatever slot of the page a thread uses, docad waits for it.
START_TEST(an_import_ends_when_every_slot_has_left_it)
{
    struct activity *page = (struct activity *)(uintptr_t)one.session.activity.shared;
    const uint32_t slots[] = {0, ACTIVITY_FIRST_SLOTS - 1, ACTIVITY_FIRST_SLOTS,
                              ACTIVITY_SLOTS - 1};
    struct activity_wait wait = {0};
    unsigned left = 0, expected = 0;

    for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
        struct activity_slot *slot = activity_slot_at(page, slots[i]);
        if (slots[i] >= ACTIVITY_FIRST_SLOTS)
            atomic_store(&page->more_used, slots[i] - ACTIVITY_FIRST_SLOTS + 1);
        activity_page_wait(&one.session.activity, &wait, 5, count, &left);
        ck_assert_uint_eq(left, ++expected); // no thread uses it
        activity_enter(slot, 0, 5);
        activity_page_wait(&one.session.activity, &wait, 5, count, &left);
        event_base_loop(rig_node.base, EVLOOP_ONCE); // docad looks again
        ck_assert_uint_eq(left, expected);
        activity_leave(slot);
        event_base_loop(rig_node.base, EVLOOP_ONCE);
        ck_assert_uint_eq(left, ++expected);
    }
}
END_TEST

// A client may write anything.
START_TEST(slots_that_do_not_exist_are_not_looked_at)
{
    struct activity *page = (struct activity *)(uintptr_t)one.session.activity.shared;
    struct activity_wait wait = {0};
    unsigned left = 0;

    atomic_store(&page->more_used, UINT32_MAX);
    activity_page_wait(&one.session.activity, &wait, 5, count, &left);
    ck_assert_uint_eq(left, 1);
}
END_TEST

// A docad that has just been updated continues with the page that its predecessor made.
START_TEST(a_page_of_an_older_release)
{
    struct activity_page *own = &one.session.activity;
    struct activity_wait wait = {0};
    unsigned left = 0;

    activity_page_fini(own);
    int fd = memfd_create_sealed("page", ACTIVITY_SIZE_FIRST);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(activity_page_restore(own, rig_node.base, &one.session, fd), 0);
    struct activity *page = (struct activity *)(uintptr_t)own->shared;
    activity_enter(&page->slots[3], 5, 0);
    activity_page_wait(own, &wait, 5, count, &left);
    ck_assert_uint_eq(left, 0);
    activity_leave(&page->slots[3]);
    event_base_loop(rig_node.base, EVLOOP_ONCE);
    ck_assert_uint_eq(left, 1);
}
END_TEST

START_TEST(slots_are_charged_to_the_user)
{
    uint32_t slots[2], untouched = 77;
    struct errtext err;
    rig_config.limits.value[LIMIT_STATE_SLOTS] = 2;
    ck_assert_int_eq(session_take_slot(&one.session, &slots[0], &err), DOCA_SUCCESS);
    ck_assert_int_eq(session_take_slot(&one.session, &slots[1], &err), DOCA_SUCCESS);
    ck_assert_uint_ne(slots[0], slots[1]);
    ck_assert_int_eq(session_take_slot(&one.session, &untouched, &err), DOCA_ERROR_NO_MEMORY);
    ck_assert_uint_eq(untouched, 77);
    session_give_slot(&one.session, slots[0]);
    session_give_slot(&one.session, slots[1]);
    ck_assert_uint_eq(one.session.user->slots, 0);
}
END_TEST

START_TEST(representors_are_closed_as_often_as_opened)
{
    struct errtext err;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(session_open_representor(&one.session, 5, "r", &err), DOCA_SUCCESS);
    ck_assert(session_close_representor(&one.session, 5));
    ck_assert(session_has_representor(&one.session, 5));
    ck_assert(session_close_representor(&one.session, 5));
    ck_assert(!session_has_representor(&one.session, 5));
    ck_assert(!session_close_representor(&one.session, 5));
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("session");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, answers_carry_the_serial_of_their_request);
    tcase_add_test(tcase, functions_are_used_while_they_are_open);
    tcase_add_test(tcase, an_import_ends_when_every_slot_has_left_it);
    tcase_add_test(tcase, slots_that_do_not_exist_are_not_looked_at);
    tcase_add_test(tcase, a_page_of_an_older_release);
    tcase_add_test(tcase, slots_are_charged_to_the_user);
    tcase_add_test(tcase, representors_are_closed_as_often_as_opened);
    return unit_run_case("session", tcase);
}

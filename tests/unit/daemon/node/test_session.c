// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "message.h"
#include "session_representors.h"
#include "session_rig.h"
#include "unit.h"
#include "user.h"

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
    tcase_add_test(tcase, slots_are_charged_to_the_user);
    tcase_add_test(tcase, representors_are_closed_as_often_as_opened);
    return unit_run_case("session", tcase);
}

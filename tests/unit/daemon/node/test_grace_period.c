// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "grace_period.h"

#include "session_rig.h"
#include "unit.h"

#include <event2/event.h>

static const struct object_kind *const kinds[] = {NULL};
static struct rig_session rig;

static void begin(void)
{
    rig_begin(kinds);
    rig_session_begin(&rig);
}

static void end(void)
{
    ck_assert(list_empty(&rig_node.grace_periods));
    rig_session_end(&rig);
    rig_end();
}

static void assert_answered(uint64_t serial)
{
    Docad__Message *answer = rig_answer(&rig);
    ck_assert_uint_eq(answer->serial, serial);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_OK);
    docad__message__free_unpacked(answer, NULL);
}

START_TEST(the_last_release_answers)
{
    struct grace_period *s = grace_period_new(&rig.session, 7);
    grace_period_hold(s);
    grace_period_hold(s);
    grace_period_start(s, &rig.session, 7);
    grace_period_release(s);
    ck_assert(!rig_has_answer(&rig));
    grace_period_release(s);
    assert_answered(7);
}
END_TEST

// No release comes: the loop ends with the timer that the configuration sets.
START_TEST(the_limit_answers)
{
    rig_config.release_limit_ms = 1;
    struct grace_period *s = grace_period_new(&rig.session, 8);
    grace_period_hold(s);
    grace_period_start(s, &rig.session, 8);
    while (!rig_has_answer(&rig))
        event_base_loop(rig_node.base, EVLOOP_ONCE);
    assert_answered(8);
    grace_period_release(s);
    ck_assert(!rig_has_answer(&rig));
}
END_TEST

START_TEST(none_is_answered_at_once)
{
    grace_period_start(NULL, &rig.session, 9);
    assert_answered(9);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("grace_period");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, the_last_release_answers);
    tcase_add_test(tcase, the_limit_answers);
    tcase_add_test(tcase, none_is_answered_at_once);
    return unit_run_case("grace_period", tcase);
}

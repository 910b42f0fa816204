// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Which of a test's assertions are recorded.

#include "marks.h"

#include "unit.h"

static const char file[] = "file", other[] = "other";

static void record_first_ones(void)
{
    for (int i = 0; i < MARKS_ALL; i++)
        if (!marks_record(file, 1)) // ck_assert() records, too
            ck_abort_msg("the first ones are recorded, %d is not", i);
}

START_TEST(the_first_ones_are_recorded)
{
    record_first_ones();
}
END_TEST

START_TEST(a_loop_is_recorded_once)
{
    record_first_ones();
    bool again = marks_record(file, 1), next = marks_record(file, 2);
    bool elsewhere = marks_record(other, 1);
    unsigned n = 0;
    for (int i = 0; i < 30; i++)
        n += marks_record(file, 1 + i % 3);
    ck_assert(!again);
    ck_assert(next);
    ck_assert(elsewhere);
    ck_assert_uint_eq(n, 1); // line 3
}
END_TEST

// A crash is reported where it was, even if the test was there long before.
START_TEST(those_of_long_ago_are_recorded_again)
{
    record_first_ones();
    unsigned n = 0;
    for (int i = 0; i < MARKS_RECENT; i++)
        n += marks_record(file, 2 + i);
    bool again = marks_record(file, 1);
    ck_assert_uint_eq(n, MARKS_RECENT);
    ck_assert(again);
}
END_TEST

START_TEST(nothing_is_recorded_after_the_stop)
{
    marks_stop();
    bool recorded = marks_record(file, 1);
    ck_assert(!recorded);
}
END_TEST

UNIT_MAIN("marks", the_first_ones_are_recorded, a_loop_is_recorded_once,
          those_of_long_ago_are_recorded_again, nothing_is_recorded_after_the_stop)

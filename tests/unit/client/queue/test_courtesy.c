// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "queue/courtesy.h"

#include "unit.h"

static unsigned yields_of(struct courtesy *courtesy, unsigned times, bool helped)
{
    unsigned n = 0;
    for (unsigned i = 0; i < times; i++) {
        if (!courtesy_is_due(courtesy))
            continue;
        courtesy_learn(courtesy, helped);
        n++;
    }
    return n;
}

START_TEST(goes_on_while_it_helps)
{
    struct courtesy courtesy = {0};
    ck_assert_uint_eq(yields_of(&courtesy, 100, true), 100);
}
END_TEST

// 1 + 1 + 2 + 4 ... between two
START_TEST(becomes_rare_in_vain)
{
    struct courtesy courtesy = {0};
    ck_assert_uint_le(yields_of(&courtesy, 4096, false), 12);
    yields_of(&courtesy, 4 * COURTESY_SKIP_MAX, false);
    ck_assert_uint_eq(courtesy.skip, COURTESY_SKIP_MAX);
    ck_assert_uint_eq(yields_of(&courtesy, 10 * (COURTESY_SKIP_MAX + 1), false), 10);
}
END_TEST

START_TEST(comes_back_if_it_helps_once)
{
    struct courtesy courtesy = {0};
    yields_of(&courtesy, 1000, false);
    while (!courtesy_is_due(&courtesy))
        ;
    courtesy_learn(&courtesy, true);
    ck_assert_uint_eq(yields_of(&courtesy, 100, true), 100);
}
END_TEST

UNIT_MAIN("courtesy", goes_on_while_it_helps, becomes_rare_in_vain, comes_back_if_it_helps_once)

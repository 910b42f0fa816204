// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "queue/wake_backoff.h"

#include "unit.h"

static unsigned yields_of(struct wake_backoff *backoff, unsigned times, bool helped)
{
    unsigned n = 0;
    for (unsigned i = 0; i < times; i++) {
        if (!wake_backoff_is_due(backoff))
            continue;
        wake_backoff_update(backoff, helped);
        n++;
    }
    return n;
}

START_TEST(goes_on_while_it_helps)
{
    struct wake_backoff backoff = {0};
    ck_assert_uint_eq(yields_of(&backoff, 100, true), 100);
}
END_TEST

// 1 + 1 + 2 + 4 ... between two
START_TEST(becomes_rare_in_vain)
{
    struct wake_backoff backoff = {0};
    ck_assert_uint_le(yields_of(&backoff, 4096, false), 12);
    yields_of(&backoff, 4 * WAKE_BACKOFF_SKIP_MAX, false);
    ck_assert_uint_eq(backoff.skip, WAKE_BACKOFF_SKIP_MAX);
    ck_assert_uint_eq(yields_of(&backoff, 10 * (WAKE_BACKOFF_SKIP_MAX + 1), false), 10);
}
END_TEST

START_TEST(comes_back_if_it_helps_once)
{
    struct wake_backoff backoff = {0};
    yields_of(&backoff, 1000, false);
    while (!wake_backoff_is_due(&backoff))
        ;
    wake_backoff_update(&backoff, true);
    ck_assert_uint_eq(yields_of(&backoff, 100, true), 100);
}
END_TEST

UNIT_MAIN("wake_backoff", goes_on_while_it_helps, becomes_rare_in_vain, comes_back_if_it_helps_once)

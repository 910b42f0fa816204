// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "spin.h"

#include "unit.h"

#define LIMIT 1000

// A spin that nothing ends in time.
static bool vain(struct spin *spin, uint64_t now)
{
    bool on = spin_begin(spin, now);
    ck_assert(spin_goes_on(spin, now, LIMIT) == on);
    ck_assert(!spin_goes_on(spin, now + LIMIT, LIMIT));
    spin_give_up(spin);
    return on;
}

START_TEST(vain_spins_become_rare)
{
    struct spin spin = {0};
    unsigned spins = 0;
    for (unsigned i = 0; i < SPIN_EMPTY_MAX; i++)
        ck_assert(vain(&spin, 5000 + i));
    for (unsigned i = 0; i < 10 * SPIN_AGAIN; i++)
        spins += vain(&spin, 9000 + i);
    ck_assert_uint_eq(spins, 10);
}
END_TEST

START_TEST(one_hit_brings_them_back)
{
    struct spin spin = {0};
    for (unsigned i = 0; i < 2 * SPIN_EMPTY_MAX; i++)
        vain(&spin, 5000);
    while (!spin_begin(&spin, 7000))
        spin_give_up(&spin);
    spin_end(&spin, 7000 + LIMIT - 1, LIMIT);
    ck_assert_uint_eq(spin.since, 0);
    ck_assert(spin_begin(&spin, 9000));
}
END_TEST

// What comes after the limit came while other processes ran: as good as nothing.
START_TEST(late_is_vain)
{
    struct spin spin = {0};
    for (unsigned i = 0; i < SPIN_EMPTY_MAX; i++) {
        ck_assert(spin_begin(&spin, 5000));
        spin_end(&spin, 5000 + LIMIT, LIMIT);
    }
    ck_assert(!spin_begin(&spin, 9000));
}
END_TEST

UNIT_MAIN("spin", vain_spins_become_rare, one_hit_brings_them_back, late_is_vain)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad's addresses and mappings: whoever takes all that it can leaves something for the next user,
// and gets it again after giving it back.

#include "address_space.h"
#include "unit.h"
#include "user.h"

#define USERS 4
#define HUGE  ((uint64_t)1 << 40)

static struct users all;
static struct user *users[USERS];

static void setup(void)
{
    users_init(&all);
    for (uid_t i = 0; i < USERS; i++)
        users[i] = user_get(&all, 1000 + i);
}

// The assertions of user_unref() see whether all was given back.
static void teardown(void)
{
    for (size_t i = 0; i < USERS; i++)
        user_unref(users[i]);
}

static unsigned take_all(struct user *user, uint64_t bytes)
{
    unsigned n = 0;
    while (address_space_take(user, bytes))
        n++;
    return n;
}

static void give_all(struct user *user, uint64_t bytes, unsigned n)
{
    while (n-- > 0)
        address_space_give(user, bytes);
}

static void assert_shared(uint64_t bytes)
{
    unsigned taken[USERS];
    for (size_t i = 0; i < USERS; i++) {
        taken[i] = take_all(users[i], bytes);
        ck_assert_uint_gt(taken[i], 0);
        ck_assert(i == 0 || taken[i] <= taken[i - 1]);
    }
    for (size_t i = 0; i < USERS; i++)
        give_all(users[i], bytes, taken[i]);
    unsigned again = take_all(users[0], bytes);
    ck_assert_uint_eq(again, taken[0]);
    give_all(users[0], bytes, again);
}

START_TEST(addresses_are_shared_out)
{
    assert_shared(HUGE);
}
END_TEST

START_TEST(mappings_are_shared_out)
{
    assert_shared(4096);
}
END_TEST

START_TEST(more_than_there_is)
{
    ck_assert(!address_space_take(users[0], UINT64_MAX));
    ck_assert(!address_space_take(users[0], 128 * HUGE));
    ck_assert_uint_eq(users[0]->mapped_bytes, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("address_space");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, addresses_are_shared_out);
    tcase_add_test(tcase, mappings_are_shared_out);
    tcase_add_test(tcase, more_than_there_is);
    return unit_run_case("address_space", tcase);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "unit.h"

#include "limit.h"
#include "text_names.h"
#include "user.h"

#include <signal.h>
#include <string.h>

START_TEST(take_up_to_the_limit)
{
    struct limits limits;
    struct errtext err;
    uint64_t used = 0;
    limits_init(&limits);
    limits.value[LIMIT_REGIONS] = 3;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(limit_take(&limits, LIMIT_REGIONS, &used, 1, &err), DOCA_SUCCESS);
    ck_assert_int_eq(limit_take(&limits, LIMIT_REGIONS, &used, 1, &err), DOCA_ERROR_NO_MEMORY);
    ck_assert_uint_eq(used, 3);
    limit_give(&used, 1);
    ck_assert_int_eq(limit_take(&limits, LIMIT_REGIONS, &used, 1, &err), DOCA_SUCCESS);
}
END_TEST

START_TEST(text_names_limit_value_and_option)
{
    struct limits limits;
    struct errtext err;
    uint64_t used = 7;
    limits_init(&limits);
    limits.value[LIMIT_EXPORTS] = 7;
    ck_assert_int_eq(limit_take(&limits, LIMIT_EXPORTS, &used, 1, &err), DOCA_ERROR_NO_MEMORY);
    assert_names(err.s, "exports_per_session");
}
END_TEST

// Sums that wrap around must not pass.
START_TEST(huge_amounts)
{
    struct limits limits;
    uint64_t used = 1;
    limits_init(&limits);
    ck_assert_int_eq(limit_take(&limits, LIMIT_REGION_BYTES, &used, UINT64_MAX, NULL),
                     DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(limit_take(&limits, LIMIT_REGION_BYTES, &used, UINT64_MAX - 1, NULL),
                     DOCA_SUCCESS);
    ck_assert_uint_eq(used, UINT64_MAX);
    ck_assert_int_eq(limit_take(&limits, LIMIT_REGION_BYTES, &used, 1, NULL), DOCA_ERROR_NO_MEMORY);
    limits.value[LIMIT_SESSIONS] = 0;
    used = 0;
    ck_assert_int_eq(limit_take(&limits, LIMIT_SESSIONS, &used, 1, NULL), DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(limit_take(&limits, LIMIT_SESSIONS, &used, 0, NULL), DOCA_SUCCESS);
}
END_TEST

// One that is refused takes nothing of the others.
START_TEST(all_or_none)
{
    struct limits limits;
    struct errtext err;
    uint64_t grants = 0, descriptors = 0;
    const struct charge charges[] = {{LIMIT_REGIONS, &grants, 1},
                                     {LIMIT_DESCRIPTORS, &descriptors, 3}};
    limits_init(&limits);
    limits.value[LIMIT_DESCRIPTORS] = 5;
    ck_assert_int_eq(limit_take_all(&limits, charges, 2, &err), DOCA_SUCCESS);
    ck_assert_int_eq(limit_take_all(&limits, charges, 2, &err), DOCA_ERROR_NO_MEMORY);
    assert_names(err.s, "descriptors_per_uid");
    ck_assert_uint_eq(grants, 1);
    ck_assert_uint_eq(descriptors, 3);
    ck_assert_int_eq(limit_take_all(NULL, charges, 2, NULL),
                     DOCA_SUCCESS); // what is there counts, be it too much
    ck_assert_uint_eq(descriptors, 6);
    limit_give_all(charges, 2);
    limit_give_all(charges, 2);
    ck_assert_uint_eq(grants, 0);
    ck_assert_uint_eq(descriptors, 0);
}
END_TEST

static const struct {
    const char *text;
    bool good;
    uint64_t value;
} numbers[] = {
    {"0", true, 0},
    {"4096", true, 4096},
    {"64K", true, 65536},
    {"64k", true, 65536},
    {"1M", true, 1 << 20},
    {"2G", true, 2ull << 30},
    {"1T", true, 1ull << 40},
    {"18446744073709551615", true, UINT64_MAX},
    {"unlimited", true, LIMIT_UNLIMITED},
    {"", false, 0},
    {"-1", false, 0},
    {" 1", false, 0},
    {"1 ", false, 0},
    {"1KB", false, 0},
    {"0x10", false, 0},
    {"K", false, 0},
    {"1P", false, 0},
    {"18446744073709551616", false, 0},
    {"18014398509481984K", false, 0},
    {"16777216T", false, 0},
};

START_TEST(parse)
{
    uint64_t value = 42;
    ck_assert_msg(limit_parse(numbers[_i].text, &value) == numbers[_i].good, "%s",
                  numbers[_i].text);
    ck_assert_uint_eq(value, numbers[_i].good ? numbers[_i].value : 42);
}
END_TEST

START_TEST(options_have_names)
{
    for (int i = 0; i < LIMIT_COUNT; i++) {
        ck_assert_ptr_nonnull(limit_option((enum limit)i));
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(limit_option((enum limit)i), limit_option((enum limit)j));
    }
}
END_TEST

START_TEST(one_record_a_uid)
{
    struct users users;
    users_init(&users);
    struct user *a = user_get(&users, 1000), *b = user_get(&users, 1001);
    ck_assert_ptr_ne(a, b);
    ck_assert_ptr_eq(user_get(&users, 1000), a);
    ck_assert_ptr_eq(user_ref(a), a);
    user_unref(a);
    user_unref(a);
    ck_assert(!list_empty(&users.list));
    user_unref(a);
    user_unref(b);
    ck_assert(list_empty(&users.list));
    ck_assert_ptr_null(user_unref(NULL));
}
END_TEST

#ifndef NDEBUG
// A charge that is left when the last reference goes was forgotten.
START_TEST(charge_left_behind)
{
    struct users users;
    users_init(&users);
    struct user *user = user_get(&users, 1);
    user->descriptors = 1;
    user_unref(user);
}
END_TEST

START_TEST(more_given_than_taken)
{
    uint64_t used = 1;
    limit_give(&used, 2);
}
END_TEST
#endif

// ---- what users share ---------------------------------------------------------------------

START_TEST(half_of_what_the_others_leave)
{
    ck_assert_uint_eq(limit_share(100, 0), 50);
    ck_assert_uint_eq(limit_share(100, 50), 25);
    ck_assert_uint_eq(limit_share(100, 99), 1);
    ck_assert_uint_eq(limit_share(100, 100), 0);
    ck_assert_uint_eq(limit_share(100, 101), 0);
    ck_assert_uint_eq(limit_share(1, 0), 1);
    ck_assert_uint_eq(limit_share(LIMIT_UNLIMITED, 5), LIMIT_UNLIMITED);
}
END_TEST

// Each user finds something, whatever those before have taken.
START_TEST(users_share_what_docad_has)
{
    struct limits limits;
    struct errtext err;
    struct users users;
    struct user *user[5];
    users_init(&users);
    limits_init(&limits);
    limits.users = &users.list;
    limits.value[LIMIT_ALL_METADATA] = limits.value[LIMIT_METADATA] = 320;
    for (unsigned i = 0, got = 160; i < 5; i++, got /= 2) {
        user[i] = user_get(&users, 1000 + i);
        while (limit_take(&limits, LIMIT_METADATA, &user[i]->metadata, 10, &err) == DOCA_SUCCESS)
            ;
        assert_names(err.s, "metadata_bytes");
        ck_assert_uint_eq(user[i]->metadata, got / 10 * 10);
    }
    // What one gives back is shared out again.
    limit_give(&user[0]->metadata, user[0]->metadata);
    ck_assert_int_eq(limit_take(&limits, LIMIT_METADATA, &user[4]->metadata, 70, &err),
                     DOCA_SUCCESS);
    for (unsigned i = 0; i < 5; i++) {
        limit_give(&user[i]->metadata, user[i]->metadata);
        user_unref(user[i]);
    }
}
END_TEST

START_TEST(connections_count_as_descriptors)
{
    struct limits limits;
    struct users users;
    users_init(&users);
    limits_init(&limits);
    limits.users = &users.list;
    limits.value[LIMIT_ALL_DESCRIPTORS] = 20;
    struct user *user = user_get(&users, 1000), *other = user_get(&users, 1001);
    user->connections = 6;
    ck_assert_int_eq(limit_take(&limits, LIMIT_DESCRIPTORS, &user->descriptors, 5, NULL),
                     DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(limit_take(&limits, LIMIT_DESCRIPTORS, &user->descriptors, 4, NULL),
                     DOCA_SUCCESS);
    ck_assert_int_eq(limit_take(&limits, LIMIT_DESCRIPTORS, &other->descriptors, 5, NULL),
                     DOCA_SUCCESS);
    ck_assert_int_eq(limit_take(&limits, LIMIT_DESCRIPTORS, &other->descriptors, 1, NULL),
                     DOCA_ERROR_NO_MEMORY);
    limit_give(&user->descriptors, 4);
    limit_give(&other->descriptors, 5);
    user->connections = 0;
    user_unref(user);
    user_unref(other);
}
END_TEST

// The users of a linked node share what the node may have.
START_TEST(charges_of_a_linked_node)
{
    struct limits limits;
    struct errtext err;
    uint64_t all = 0, one = 0, two = 0;
    limits_init(&limits);
    limits.value[LIMIT_PEER_GRANTS] = 8;
    const struct charge of_one = {LIMIT_PEER_GRANTS, &one, 1, &all};
    const struct charge of_two = {LIMIT_PEER_GRANTS, &two, 1, &all};
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(limit_take_all(&limits, &of_one, 1, &err), DOCA_SUCCESS);
    ck_assert_int_eq(limit_take_all(&limits, &of_one, 1, &err), DOCA_ERROR_NO_MEMORY);
    assert_names(err.s, "grants_per_peer");
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(limit_take_all(&limits, &of_two, 1, &err), DOCA_SUCCESS);
    ck_assert_int_eq(limit_take_all(&limits, &of_two, 1, &err), DOCA_ERROR_NO_MEMORY);
    ck_assert_uint_eq(all, 6);
    limit_give_all(&of_one, 1);
    ck_assert_uint_eq(all, 5);
    ck_assert_uint_eq(one, 3);
    // What was there before counts, whatever is allowed now.
    for (int i = 0; i < 9; i++)
        limit_take_all(NULL, &of_two, 1, NULL);
    ck_assert_uint_eq(all, 14);
}
END_TEST

// What a user has and may have, for metrics.
START_TEST(what_a_user_may_have)
{
    struct limits limits;
    struct limit_sums sums;
    struct users users;
    uint64_t used, most;

    users_init(&users);
    limits_init(&limits);
    limits.users = &users.list;
    limits.value[LIMIT_ALL_METADATA] = 1000;
    limits.value[LIMIT_METADATA] = 700;
    limits.value[LIMIT_MONITORS] = 3;
    struct user *a = user_get(&users, 1000), *b = user_get(&users, 1001);
    a->metadata = 200;
    b->metadata = 400;
    a->n_monitors = 2;
    a->descriptors = 5;
    a->connections = 1;
    limit_sum(&limits, &sums);
    ck_assert_uint_eq(sums.of[LIMIT_METADATA], 600);
    ck_assert(limit_of_user(&limits, LIMIT_METADATA, &sums, a, &used, &most));
    ck_assert_uint_eq(used, 200);
    ck_assert_uint_eq(most, 300); // half of what the other leaves
    ck_assert(limit_of_user(&limits, LIMIT_METADATA, &sums, b, &used, &most));
    ck_assert_uint_eq(most, 400);
    limits.value[LIMIT_METADATA] = 250;
    ck_assert(limit_of_user(&limits, LIMIT_METADATA, &sums, a, &used, &most));
    ck_assert_uint_eq(most, 250);
    ck_assert(limit_of_user(&limits, LIMIT_MONITORS, &sums, a, &used, &most));
    ck_assert(used == 2 && most == 3);
    ck_assert(limit_of_user(&limits, LIMIT_DESCRIPTORS, &sums, a, &used, &most));
    ck_assert_uint_eq(used, 6);
    ck_assert(!limit_of_user(&limits, LIMIT_REGIONS, &sums, a, &used, &most)); // of a session
    a->metadata = b->metadata = a->n_monitors = a->descriptors = a->connections = 0;
    user_unref(a);
    user_unref(b);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("limit");
    tcase_add_test(tcase, take_up_to_the_limit);
    tcase_add_test(tcase, text_names_limit_value_and_option);
    tcase_add_test(tcase, huge_amounts);
    tcase_add_test(tcase, all_or_none);
    tcase_add_loop_test(tcase, parse, 0, ARRAY_SIZE(numbers));
    tcase_add_test(tcase, options_have_names);
    tcase_add_test(tcase, one_record_a_uid);
    tcase_add_test(tcase, what_a_user_may_have);
    tcase_add_test(tcase, half_of_what_the_others_leave);
    tcase_add_test(tcase, users_share_what_docad_has);
    tcase_add_test(tcase, connections_count_as_descriptors);
    tcase_add_test(tcase, charges_of_a_linked_node);
#ifndef NDEBUG
    tcase_add_test_raise_signal(tcase, charge_left_behind, SIGABRT);
    tcase_add_test_raise_signal(tcase, more_given_than_taken, SIGABRT);
#endif
    return unit_run_case("limit", tcase);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "audience.h"
#include "unit.h"

#include <string.h>

static struct audience audience;
static struct errtext err;

static void reads(const char *text)
{
    ck_assert_msg(audience_parse(text, &audience, &err) == DOCA_SUCCESS, "%s: %s", text, err.s);
}

START_TEST(who_is_named)
{
    reads(NULL);
    ck_assert(!audience.all && audience.n_uids == 0 && audience.n_gids == 0);
    reads("all");
    ck_assert(audience.all && audience.n_uids == 0 && audience.n_gids == 0);
    reads("root,4711,:root,:4712,0");
    ck_assert(!audience.all);
    ck_assert_uint_eq(audience.n_uids, 3);
    ck_assert_uint_eq(audience.uids[0], 0);
    ck_assert_uint_eq(audience.uids[1], 4711);
    ck_assert_uint_eq(audience.uids[2], 0);
    ck_assert_uint_eq(audience.n_gids, 2);
    ck_assert_uint_eq(audience.gids[0], 0);
    ck_assert_uint_eq(audience.gids[1], 4712);
}
END_TEST

// And nothing is changed.
START_TEST(who_is_not)
{
    static const char *const wrong[] = {
        "",
        ",",
        "root,",
        ":",
        "root,,0",
        "all,0",
        "4294967295", // no user has it
        "-1",
        "no such",
        ":no such",
        "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
        "a_name_that_is_longer_than_any_name_of_a_user_or_a_group_may_ever_become"};
    memset(&audience, 0x5a, sizeof(audience));
    struct audience before = audience;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_msg(audience_parse(wrong[i], &audience, &err) == DOCA_ERROR_INVALID_VALUE, "%s",
                      wrong[i]);
        ck_assert_mem_eq(&audience, &before, sizeof(audience));
    }
}
END_TEST

START_TEST(messages)
{
    struct audience read;
    reads("7,8,:9");
    Docad__Audience message = audience_message(&audience);
    ck_assert_int_eq(audience_of_message(&message, &read, &err), DOCA_SUCCESS);
    ck_assert(!read.all);
    ck_assert_uint_eq(read.n_uids, 2);
    ck_assert_uint_eq(read.uids[1], 8);
    ck_assert_uint_eq(read.n_gids, 1);
    ck_assert_uint_eq(read.gids[0], 9);
    ck_assert_int_eq(audience_of_message(NULL, &read, &err), DOCA_SUCCESS);
    ck_assert(!read.all && read.n_uids == 0 && read.n_gids == 0);

    uint32_t many[AUDIENCE_MAX + 1] = {0};
    message.uids = many;
    message.n_uids = AUDIENCE_MAX;
    ck_assert_int_eq(audience_of_message(&message, &read, &err), DOCA_SUCCESS);
    message.n_uids++;
    ck_assert_int_eq(audience_of_message(&message, &read, &err), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(read.n_uids, AUDIENCE_MAX);
    message.n_uids = 0;
    message.gids = many;
    message.n_gids = AUDIENCE_MAX + 1;
    ck_assert_int_eq(audience_of_message(&message, &read, &err), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

UNIT_MAIN("audience", who_is_named, who_is_not, messages)

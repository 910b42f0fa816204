// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A daemon that dials again and again is logged once, and counted.

#include "unit.h"

#include "refusals.h"

#include <stdio.h>
#include <string.h>

static struct refusals refusals;
static uint64_t silent;

static const struct refusal *find(const char *who)
{
    for (size_t i = 0; i <= REFUSALS_MAX; i++)
        if (strcmp(refusals.list[i].who, who) == 0)
            return &refusals.list[i];
    return NULL;
}

static bool add(const char *who, const char *why, uint64_t now_ms)
{
    silent = UINT64_MAX;
    return refusals_add(&refusals, who, "hello", why, now_ms, &silent);
}

START_TEST(once)
{
    ck_assert(add("dpu", "expired", 1));
    ck_assert_uint_eq(silent, 0);
    for (uint64_t ms = 2; ms < 12; ms++)
        ck_assert(!add("dpu", "expired", ms));
    ck_assert_uint_eq(find("dpu")->count, 11);
    // Another one, and another reason, are news.
    ck_assert(add("dpu2", "expired", 12));
    ck_assert(add("dpu", "revoked", 13));
    ck_assert(refusals_add(&refusals, "dpu", "handshake", "expired", 14, &silent));
    // Reasons that alternate are not: two nodes of one machine are refused so.
    for (uint64_t ms = 15; ms < 25; ms++)
        ck_assert(!add("dpu", ms % 2 ? "revoked" : "expired", ms));
    ck_assert_uint_eq(find("dpu")->count, 16);
}
END_TEST

START_TEST(again_after_an_hour)
{
    ck_assert(add("dpu", "expired", 5));
    ck_assert(!add("dpu", "expired", 5 + REFUSED_AGAIN_MS - 1));
    ck_assert(add("dpu", "expired", 5 + REFUSED_AGAIN_MS));
    ck_assert_uint_eq(silent, 1);
}
END_TEST

// Further ones are counted together, and make no series of their own: strangers choose their
// addresses. Those of an hour ago are forgotten.
START_TEST(many)
{
    char who[32];

    for (uint64_t i = 0; i < REFUSALS_MAX; i++) {
        snprintf(who, sizeof(who), "node%u", (unsigned)i);
        ck_assert(add(who, "expired", 100 + i));
    }
    ck_assert(!add("node0", "expired", 300));
    ck_assert(add("another", "expired", 301));
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(who, sizeof(who), "stranger%u", i);
        ck_assert(!add(who, "no certificate", 302 + i));
    }
    ck_assert_ptr_null(find("another"));
    ck_assert_uint_eq(find("others")->count, 1001);
    ck_assert_ptr_nonnull(find("node1"));
    ck_assert(add("another", "expired", REFUSED_AGAIN_MS + 101));
    ck_assert_uint_eq(find("another")->count, 1);
    ck_assert_ptr_nonnull(find("node0")); // it was refused later
}
END_TEST

// Names and reasons are cut, and still recognised.
START_TEST(long_ones)
{
    char who[2 * REFUSED_WHO_MAX], why[2 * REFUSED_WHY_MAX];

    memset(who, 'w', sizeof(who));
    memset(why, 'y', sizeof(why));
    who[sizeof(who) - 1] = why[sizeof(why) - 1] = '\0';
    ck_assert(add(who, why, 1));
    ck_assert(!add(who, why, 2));
    ck_assert(!add(who, why, 3));
    ck_assert_uint_eq(refusals.list[0].count, 3);
}
END_TEST

START_TEST(words)
{
    char text[REFUSED_SILENT_SIZE];
    ck_assert_str_eq(refusals_format(0, text), "");
    ck_assert_ptr_nonnull(strstr(refusals_format(1, text), "1 time "));
    ck_assert_ptr_nonnull(strstr(refusals_format(UINT64_MAX, text), " times since"));
}
END_TEST

static void begin(void)
{
    memset(&refusals, 0, sizeof(refusals));
}

int main(void)
{
    TCase *tcase = tcase_create("refusals");
    tcase_add_checked_fixture(tcase, begin, NULL);
    tcase_add_test(tcase, once);
    tcase_add_test(tcase, again_after_an_hour);
    tcase_add_test(tcase, many);
    tcase_add_test(tcase, long_ones);
    tcase_add_test(tcase, words);
    return unit_run_case("refusals", tcase);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "options.h"
#include "unit.h"

#define WORDS(...)                                                                                 \
    (char **)(const char *[])                                                                      \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static const struct option_spec own[] = {
    {OPTION_WAIT, 't', "timeout", "SECONDS", ""},
    {OPTION_ALL, 'a', "all", NULL, ""},
    {OPTION_OUTPUT, 'o', "output", "FILE", ""},
    {.name = NULL},
};

static struct arguments args;
static char error[160];

static int parse(int argc, char **argv, const struct option_spec *table, bool stop)
{
    args = (struct arguments){0};
    error[0] = '\0';
    return options_parse(&args, argc, argv, table, stop, error, sizeof(error));
}

START_TEST(long_and_short_forms)
{
    ck_assert_int_eq(parse(3, WORDS("--socket", "/a", "-j"), NULL, false), 3);
    ck_assert_str_eq(args.options[OPTION_SOCKET], "/a");
    ck_assert_str_eq(args.options[OPTION_JSON], "");
    ck_assert_ptr_null(args.options[OPTION_TIMEOUT]);

    ck_assert_int_eq(parse(2, WORDS("--socket=/b", "-jt5"), NULL, false), 2);
    ck_assert_str_eq(args.options[OPTION_SOCKET], "/b");
    ck_assert_str_eq(args.options[OPTION_TIMEOUT], "5");

    ck_assert_int_eq(parse(2, WORDS("-s", "--json"), NULL, false), 2); // an odd name, but given
    ck_assert_str_eq(args.options[OPTION_SOCKET], "--json");
    ck_assert_int_eq(parse(1, WORDS("--socket="), NULL, false), 1);
    ck_assert_str_eq(args.options[OPTION_SOCKET], "");
}
END_TEST

START_TEST(a_command_s_own_options_come_first)
{
    ck_assert_int_eq(parse(3, WORDS("-t", "1", "--json"), own, false), 3);
    ck_assert_str_eq(args.options[OPTION_WAIT], "1");
    ck_assert_ptr_null(args.options[OPTION_TIMEOUT]);
    ck_assert_ptr_nonnull(args.options[OPTION_JSON]);
}
END_TEST

START_TEST(words_may_stand_anywhere)
{
    ck_assert_int_eq(parse(5, WORDS("one", "-a", "-", "--", "--json"), own, false), 5);
    ck_assert_uint_eq(args.n, 3);
    ck_assert_str_eq(args.positional[0], "one");
    ck_assert_str_eq(args.positional[1], "-");
    ck_assert_str_eq(args.positional[2], "--json");
    ck_assert_ptr_null(args.options[OPTION_JSON]);

    ck_assert_int_eq(parse(3, WORDS("-j", "status", "-x"), NULL, true), 1);
    ck_assert_uint_eq(args.n, 0);
    ck_assert_int_eq(parse(6, WORDS("1", "2", "3", "4", "5", "6"), NULL, false), 6);
    ck_assert_uint_eq(args.n, 6);
}
END_TEST

START_TEST(mistakes_are_named)
{
    ck_assert_int_eq(parse(1, WORDS("--sock"), NULL, false), -1);
    ck_assert_str_eq(error, "unknown option --sock; did you mean --socket?");
    ck_assert_int_eq(parse(1, WORDS("--sockets=x"), NULL, false), -1);
    ck_assert_str_eq(error, "unknown option --sockets; did you mean --socket?");
    ck_assert_int_eq(parse(1, WORDS("--something"), NULL, false), -1);
    ck_assert_str_eq(error, "unknown option --something");
    ck_assert_int_eq(parse(1, WORDS("-jx"), NULL, false), -1);
    ck_assert_str_eq(error, "unknown option -x");
    ck_assert_int_eq(parse(1, WORDS("--json=yes"), NULL, false), -1);
    ck_assert_str_eq(error, "option --json takes no argument");
    ck_assert_int_eq(parse(1, WORDS("--socket"), NULL, false), -1);
    ck_assert_str_eq(error, "option --socket needs PATH");
    ck_assert_int_eq(parse(1, WORDS("-o"), own, false), -1);
    ck_assert_str_eq(error, "option -o needs FILE");
}
END_TEST

START_TEST(seconds)
{
    uint32_t ms = 7;
    ck_assert(parse_seconds("0", &ms) && ms == 0);
    ck_assert(parse_seconds("2", &ms) && ms == 2000);
    ck_assert(parse_seconds("0.5", &ms) && ms == 500);
    ck_assert(parse_seconds("604800", &ms) && ms == 604800000);
    ms = 7;
    const char *const bad[] = {"", "x", "1s", "-1", "nan", "inf", "604801", "1e99"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(!parse_seconds(bad[i], &ms) && ms == 7, "'%s'", bad[i]);
}
END_TEST

START_TEST(ids)
{
    uint64_t id = 7;
    ck_assert(parse_id("0", &id) && id == 0);
    ck_assert(parse_id("ffffffffffffffff", &id) && id == UINT64_MAX);
    ck_assert(parse_id("00000000000012Ab", &id) && id == 0x12ab);
    ck_assert(parse_id("0xffffffffffffffff", &id) && id == UINT64_MAX);
    ck_assert(parse_id("0X1aF", &id) && id == 0x1af);
    id = 7;
    const char *const bad[] = {"",
                               "0x",
                               "-1",
                               "+1",
                               " 1",
                               "1 ",
                               "0x-1",
                               "1g",
                               "x1",
                               "1.0",
                               "10000000000000000",
                               "0x10000000000000000"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(!parse_id(bad[i], &id) && id == 7, "'%s'", bad[i]);
}
END_TEST

UNIT_MAIN("docactl_options", long_and_short_forms, a_command_s_own_options_come_first,
          words_may_stand_anywhere, mistakes_are_named, seconds, ids)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Command lines, good and bad, and help.

#include "argp_program.h"
#include "log_capture.h"
#include "text_names.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

// Fails unless the start is refused with this code and one line that names this, before any
// callback.
#define ASSERT_REFUSED(code, name, ...)                                                            \
    do {                                                                                           \
        ck_assert_int_eq(START(__VA_ARGS__), code);                                                \
        assert_complaint(name);                                                                    \
        ck_assert_str_eq(calls, "");                                                               \
        assert_names(usage_text(), "prog [DOCA Flags] [Program Flags]");                           \
    } while (0)

#define ASSERT_CALLS(expected, ...)                                                                \
    do {                                                                                           \
        ck_assert_int_eq(START(__VA_ARGS__), DOCA_SUCCESS);                                        \
        ck_assert_str_eq(calls, expected);                                                         \
        ck_assert_str_eq(log_lines(), "");                                                         \
    } while (0)

START_TEST(nothing)
{
    program_begin();
    ASSERT_CALLS("");
    ASSERT_CALLS("", "--");
    doca_argp_destroy();
}
END_TEST

START_TEST(short_and_long_names)
{
    program_begin();
    ASSERT_CALLS("a(1) ", "-a", "1");
    ASSERT_CALLS("a(1) ", "--alpha", "1");
    ASSERT_CALLS("a(1) ", "-a=1");
    ASSERT_CALLS("a(1) ", "--alpha=1");
    ASSERT_CALLS("a() ", "--alpha=");
    ASSERT_CALLS("a() ", "-a", "");
    ASSERT_CALLS("a(x=y) ", "--alpha=x=y");
    ASSERT_CALLS("a(x=y) ", "-a", "x=y");
    ASSERT_CALLS("y() ", "-y");
    ASSERT_CALLS("y() ", "--yes");
    doca_argp_destroy();
}
END_TEST

START_TEST(callbacks_follow_the_command_line)
{
    program_begin();
    doca_argp_register_validation_callback(on_validation);
    ASSERT_CALLS("n(3) y() b(two) a(one) validation ", "-n", "3", "--yes", "-b", "two", "--alpha",
                 "one");
    doca_argp_destroy();
}
END_TEST

START_TEST(short_names_of_several_letters)
{
    program_begin();
    flag("ld", "local-desc", on_b, 0);
    flag("re", NULL, on_b, 0);
    flag("r", NULL, on_a, 0);
    ASSERT_CALLS("b(1) b(2) a(3) ", "-ld", "1", "-re", "2", "-r", "3");
    ASSERT_CALLS("b(1) ", "-ld=1");
    // Words are taken whole: no value and no further letters may be attached.
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "-l1", "-l1");
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "-ya", "-ya");
    doca_argp_destroy();
}
END_TEST

START_TEST(flags_with_one_name_only)
{
    program_begin();
    flag(NULL, "async", on_y, 0);
    flag("q", NULL, on_n, 0);
    ASSERT_CALLS("y() n(4) ", "--async", "-q", "4");
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "--async", "-async");
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "-q", "--q", "4");
    doca_argp_destroy();
}
END_TEST

START_TEST(long_names_with_spaces)
{
    program_begin();
    flag("o", "output path", on_b, 0);
    ASSERT_CALLS("b(/tmp/x) ", "--output path", "/tmp/x");
    ASSERT_CALLS("b(/tmp/x) ", "--output path=/tmp/x");
    ASSERT_CALLS("b(/tmp/x) ", "-o", "/tmp/x");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "--output path", "--output path");
    doca_argp_destroy();
}
END_TEST

START_TEST(numbers)
{
    program_begin();
    ASSERT_CALLS("n(0) ", "-n", "0");
    ASSERT_CALLS("n(-5) ", "-n", "-5");
    ASSERT_CALLS("n(5) ", "-n", "+5");
    ASSERT_CALLS("n(-5) ", "--number=-5");
    ASSERT_CALLS("n(31) ", "-n", "0x1F");
    ASSERT_CALLS("n(10) ", "-n", "010");
    ASSERT_CALLS("n(2147483647) ", "-n", "2147483647");
    ASSERT_CALLS("n(-2147483648) ", "-n", "-2147483648");
    static const char *const none[] = {
        "",
        "x",
        "5x",
        "0x",
        "1.5",
        " 5",
        "5 ",
        "--5",
        "2147483648",
        "1e3",
        "- 5",
        "-2147483649",
        "99999999999999999999",
    };
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "--number", "-n", none[i]);
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "five", "-n", "five");
    doca_argp_destroy();
}
END_TEST

START_TEST(booleans_take_no_value)
{
    program_begin();
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "--yes", "--yes=true");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "true", "--yes", "true");
    doca_argp_destroy();
}
END_TEST

START_TEST(unknown_words)
{
    program_begin();
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "-x", "-a", "1", "-x");
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "--xray=5", "--xray=5");
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "--=5", "--=5");
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "-=5", "-=5");
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "--alph", "--alph", "x");
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "--alphax", "--alphax", "x");
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "---alpha", "---alpha", "x");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "stray", "stray");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "\"\"", "");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "-", "-");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "x", "-a", "1", "--", "x");
    doca_argp_destroy();
}
END_TEST

START_TEST(values_that_are_missing)
{
    program_begin();
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "-a", "-y", "-a");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "--alpha", "--alpha", "-b", "x");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "--number", "--number", "--yes");
    ASSERT_CALLS("a(-b) ", "--alpha=-b"); // if it is meant
    ASSERT_CALLS("a(-x) ", "-a", "-x");   // no flag of that name
    doca_argp_destroy();
}
END_TEST

START_TEST(given_twice)
{
    program_begin();
    flag("m", "many", on_b, REPEATED);
    flag("t", "times", on_y, REPEATED);
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "--alpha", "-a", "1", "--alpha", "2");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "--yes", "-y", "-y");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "--log-level", "-l", "30", "-l", "40");
    ASSERT_CALLS("b(1) a(x) b(2) b(1) y() y() ", "-m", "1", "-a", "x", "--many=2", "-m", "1", "-t",
                 "-t");
    doca_argp_destroy();
}
END_TEST

START_TEST(mandatory_flags)
{
    program_begin();
    flag("m", "must", on_b, MANDATORY);
    flag("o", NULL, on_n, MANDATORY);
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "--must", "-a", "x");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "-o", "-m", "x");
    ASSERT_CALLS("b(x) n(1) ", "-m", "x", "-o", "1");
    doca_argp_destroy();
}
END_TEST

START_TEST(json_objects_are_for_files)
{
    program_begin();
    flag(NULL, "object", on_j, 0);
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "--object", "--object", "{}");
    doca_argp_destroy();
}
END_TEST

START_TEST(the_program_has_precedence)
{
    program_begin();
    flag("l", "list", on_b, 0);
    flag("h", NULL, on_y, 0);
    flag("v", "version", on_y, 0);
    ASSERT_CALLS("b(text) y() y() ", "-l", "text", "-h", "--version");
    ASSERT_CALLS("", "--log-level", "40"); // the long name is left
    ck_assert_int_eq(doca_log_global_level_get(), 40);
    doca_argp_destroy();
}
END_TEST

START_TEST(a_callback_may_refuse)
{
    program_begin();
    doca_argp_register_validation_callback(on_validation);
    callback_result = DOCA_ERROR_NOT_FOUND;
    ck_assert_int_eq(START("-a", "1", "-b", "2"), DOCA_ERROR_NOT_FOUND);
    ck_assert_str_eq(calls, "a(1) ");
    assert_complaint("--alpha");
    ck_assert_str_eq(usage_text(), "");
    callback_result = DOCA_ERROR_FULL; // now the first and only callback is the validation
    ck_assert_int_eq(START(), DOCA_ERROR_FULL);
    ck_assert_str_eq(calls, "validation ");
    doca_argp_destroy();
}
END_TEST

START_TEST(argc_and_argv)
{
    char *broken[] = {(char *)"prog", NULL, (char *)"-a", NULL};
    program_begin();
    START();
    ck_assert_int_eq(doca_argp_start(0, broken), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_start(-1, broken), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_start(1, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_start(3, broken), DOCA_ERROR_INVALID_VALUE);
    doca_argp_destroy();
}
END_TEST

// ---- DPDK ------------------------------------------------------------------------------------

START_TEST(dpdk_takes_what_is_before_the_dashes)
{
    program_begin();
    doca_argp_set_dpdk_program(on_dpdk);
    doca_argp_register_validation_callback(on_validation);
    ASSERT_CALLS("dpdk(prog|-a|03:00.0|-l|0-3) a(1) validation ", "-a", "03:00.0", "-l", "0-3",
                 "--", "-a", "1");
    ASSERT_CALLS("dpdk(prog) validation ");
    ASSERT_CALLS("dpdk(prog) a(1) validation ", "-a", "1");
    ASSERT_CALLS("dpdk(prog) a(1) validation ", "--", "-a", "1");
    ASSERT_CALLS("dpdk(prog|--no-huge) validation ", "--no-huge", "--");
    doca_argp_destroy();
}
END_TEST

START_TEST(dpdk_may_refuse)
{
    program_begin();
    doca_argp_set_dpdk_program(on_dpdk);
    ck_assert_int_eq(START("--no-huge"), DOCA_ERROR_NOT_SUPPORTED);
    assert_complaint("--");
    ck_assert_str_eq(calls, "");
    assert_names(usage_text(), "prog [DPDK Flags] -- [DOCA Flags]");
    doca_argp_destroy();
}
END_TEST

static doca_error_t refuse_dpdk(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return DOCA_ERROR_DRIVER;
}

START_TEST(the_result_of_dpdk_is_the_starts)
{
    program_begin();
    doca_argp_set_dpdk_program(refuse_dpdk);
    ck_assert_int_eq(START("-a", "1"), DOCA_ERROR_DRIVER);
    ck_assert_str_eq(calls, "");
    doca_argp_destroy();
}
END_TEST

// ---- help and version ------------------------------------------------------------------------

static void described(const char *short_name, const char *long_name, const char *arguments,
                      const char *description, callback_func callback, int options)
{
    struct doca_argp_param *param = flag_make(short_name, long_name, callback, options);
    if (arguments)
        doca_argp_param_set_arguments(param, arguments);
    doca_argp_param_set_description(param, description);
    ck_assert_int_eq(doca_argp_register_param(param), DOCA_SUCCESS);
}

static void program_with_everything(void)
{
    doca_argp_init("prog", &config);
    described("p", "pci-addr", "<address>", "DOCA device PCI address", on_a, MANDATORY);
    described("ld", "local-descriptor-path", "<path>",
              "Where the local descriptor is to be written, so that somebody can carry it over",
              on_b, 0);
    described(NULL, "async", NULL, "Do not wait", on_y, REPEATED);
    described("q", NULL, NULL, "Depth of the queue", on_n, CLI_ONLY);
    described(NULL, "out path", NULL, "First line\nsecond line", on_b, 0);
    described(NULL, "a-name-that-is-much-longer-than-others", NULL, "Still aligned", on_y, 0);
    described(NULL, "steps", "<[...]>", "What to do", on_j, 0);
    described("l", "list", NULL, "The program's own -l", on_b, 0);
}

static const char expected_help[] =
    "Usage: prog [DOCA Flags] [Program Flags]\n"
    "\n"
    "DOCA Flags:\n"
    "  -h,  --help                Print this help and end\n"
    "  -v,  --version             Print version information and end\n"
    "       --log-level <level>   Set the log level: CRITICAL=20, ERROR=30,\n"
    "                             WARNING=40, INFO=50, DEBUG=60\n"
    "  -j,  --json <path>         Take flags from a JSON file\n"
    "\n"
    "Program Flags:\n"
    "  -p,  --pci-addr <address>  DOCA device PCI address (mandatory)\n"
    "  -ld, --local-descriptor-path <path>\n"
    "                             Where the local descriptor is to be written, so\n"
    "                             that somebody can carry it over\n"
    "       --async               Do not wait (may be repeated)\n"
    "  -q <number>                Depth of the queue (command line only)\n"
    "       \"--out path\" <text>   First line\n"
    "                             second line\n"
    "       --a-name-that-is-much-longer-than-others\n"
    "                             Still aligned\n"
    "       --steps <[...]>       What to do (JSON file only)\n"
    "  -l,  --list <text>         The program's own -l\n"
    "\n";

static doca_error_t ask_for_help(void)
{
    program_with_everything();
    // Help comes before the errors behind it, and although -p is missing.
    return doca_argp_start(3, (char *[]){(char *)"prog", (char *)"--help", (char *)"--bad", NULL});
}

static doca_error_t call_usage(void)
{
    program_with_everything();
    doca_argp_usage();
    return DOCA_ERROR_UNEXPECTED;
}

START_TEST(help)
{
    const char *asked, *called;
    ck_assert_int_eq(child_status(ask_for_help, &asked), 0);
    ck_assert_int_eq(child_status(call_usage, &called), 0);
    ck_assert_str_eq(asked, called);
    ck_assert_str_eq(asked, expected_help);
}
END_TEST

static doca_error_t ask_for_version(void)
{
    program_begin();
    return doca_argp_start(2, (char *[]){(char *)"prog", (char *)"-v", NULL});
}

static doca_error_t ask_for_own_version(void)
{
    program_begin();
    doca_argp_register_version_callback(on_version);
    return doca_argp_start(2, (char *[]){(char *)"prog", (char *)"--version", NULL});
}

static doca_error_t ask_for_failing_version(void)
{
    callback_result = DOCA_ERROR_DRIVER;
    return ask_for_own_version();
}

START_TEST(version)
{
    const char *out;
    ck_assert_int_eq(child_status(ask_for_version, &out), 0);
    ck_assert_str_eq(out, "prog (DOCA interface 2.2.0080)\n");
    ck_assert_int_eq(child_status(ask_for_own_version, &out), 0);
    ck_assert_str_eq(out, "version 7\n");
    ck_assert_int_eq(child_status(ask_for_failing_version, &out), DOCA_ERROR_DRIVER);
    ck_assert_str_eq(out, "version 7\n");
}
END_TEST

UNIT_MAIN("argp_line", nothing, short_and_long_names, callbacks_follow_the_command_line,
          short_names_of_several_letters, flags_with_one_name_only, long_names_with_spaces, numbers,
          booleans_take_no_value, unknown_words, values_that_are_missing, given_twice,
          mandatory_flags, json_objects_are_for_files, the_program_has_precedence,
          a_callback_may_refuse, argc_and_argv, dpdk_takes_what_is_before_the_dashes,
          dpdk_may_refuse, the_result_of_dpdk_is_the_starts, help, version)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Flags from JSON files, good and bad.

#include "argp_program.h"
#include "log_capture.h"
#include "unit.h"

#include <doca_log.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ASSERT_CALLS(expected, text, ...)                                                          \
    do {                                                                                           \
        doca_error_t start_result = START_FILE(text __VA_OPT__(, ) __VA_ARGS__);                   \
        ck_assert_msg(start_result == DOCA_SUCCESS, "%s", log_lines());                            \
        ck_assert_str_eq(calls, expected);                                                         \
        ck_assert_str_eq(log_lines(), "");                                                         \
    } while (0)

#define ASSERT_REFUSED(code, name, text, ...)                                                      \
    do {                                                                                           \
        ck_assert_int_eq(START_FILE(text __VA_OPT__(, ) __VA_ARGS__), code);                       \
        assert_complaint(name);                                                                    \
        ck_assert_str_eq(calls, "");                                                               \
    } while (0)

#define PROGRAM(members) "{\"doca_program_flags\": {" members "}}"
#define GENERAL(members) "{\"doca_general_flags\": {" members "}}"
#define DPDK(members)    "{\"doca_dpdk_flags\": {" members "}}"

START_TEST(all_types)
{
    program_begin();
    flag(NULL, "object", on_j, 0);
    ASSERT_CALLS("a(text) n(-7) y() j({\"x\":[1]}) ",
                 PROGRAM("\"alpha\": \"text\", \"number\": -7, \"yes\": true, "
                         "\"object\": {\"x\": [1]}"));
    ASSERT_CALLS("j([1,2]) ", PROGRAM("\"object\": [1, 2]"));
    doca_argp_destroy();
}
END_TEST

START_TEST(like_the_files_that_come_with_programs)
{
    int level;
    program_begin();
    ASSERT_CALLS("a(03:00.0) y() ",
                 "/*\n"
                 " * A comment first.\n"
                 " */\n"
                 "{\n"
                 "    // what DPDK gets\n"
                 "    \"doca_dpdk_flags\": {\n"
                 "        \"devices\": [ { \"device\": \"sf\", \"id\": \"4\" }, ],\n"
                 "    },\n"
                 "    \"doca_general_flags\": {\n"
                 "        // -l - log level\n"
                 "        \"log-level\": 60,\n"
                 "    },\n"
                 "    \"doca_program_flags\": {\n"
                 "        // -a - device address\n"
                 "        \"alpha\": \"03:00.0\", /* here */\n"
                 "        \"yes\": true,\n"
                 "    },\n"
                 "}\n"
                 "// the end\n"
                 "/* really */\n");
    ck_assert_int_eq(doca_argp_get_log_level(&level), DOCA_SUCCESS);
    ck_assert_int_eq(level, 60);
    ck_assert_uint_eq(doca_log_global_level_get(), 60);
    doca_argp_destroy();
}
END_TEST

START_TEST(files_with_little_in_them)
{
    program_begin();
    ASSERT_CALLS("", "{}");
    ASSERT_CALLS("", "{\"doca_program_flags\": {}, \"doca_general_flags\": {}}");
    ASSERT_CALLS("", PROGRAM("\"yes\": false")); // as if it were not there
    doca_argp_destroy();
}
END_TEST

START_TEST(the_command_line_has_precedence)
{
    program_begin();
    flag("m", "many", on_b, REPEATED);
    ASSERT_CALLS("b(file) a(line) ", PROGRAM("\"alpha\": \"file\", \"beta\": \"file\""), "-a",
                 "line");
    ASSERT_CALLS("b(3) ", PROGRAM("\"many\": [\"1\", \"2\"]"), "-m", "3");
    ASSERT_CALLS("", GENERAL("\"log-level\": 60"), "-l", "30");
    ck_assert_uint_eq(doca_log_global_level_get(), 30);
    // An error is reported even where the line takes precedence.
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "nonsense", PROGRAM("\"nonsense\": 1"), "-a", "line");
    doca_argp_destroy();
}
END_TEST

START_TEST(repeated_flags)
{
    program_begin();
    flag("m", "many", on_b, REPEATED);
    flag(NULL, "objects", on_j, REPEATED);
    ASSERT_CALLS("b(1) b(2) b(1) ", PROGRAM("\"many\": [\"1\", \"2\", \"1\"]"));
    ASSERT_CALLS("b(1) ", PROGRAM("\"many\": \"1\""));
    ASSERT_CALLS("", PROGRAM("\"many\": []"));
    ASSERT_CALLS("j({}) j([]) ", PROGRAM("\"objects\": [{}, []]"));
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "many", PROGRAM("\"many\": [\"1\", 2]"));
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "alpha", PROGRAM("\"alpha\": [\"1\", \"2\"]"));
    doca_argp_destroy();
}
END_TEST

START_TEST(mandatory_flags)
{
    program_begin();
    flag("m", "must", on_b, MANDATORY);
    flag(NULL, "object", on_j, MANDATORY);
    ASSERT_CALLS("b(1) j({}) ", PROGRAM("\"must\": \"1\", \"object\": {}"));
    ASSERT_CALLS("j({}) b(1) ", PROGRAM("\"object\": {}"), "--must", "1");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "--object", PROGRAM("\"must\": \"1\""));
    doca_argp_destroy();
}
END_TEST

START_TEST(flags_for_the_command_line_only)
{
    program_begin();
    flag("c", "cli", on_b, CLI_ONLY);
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "cli", PROGRAM("\"cli\": \"1\""));
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "json", GENERAL("\"json\": \"/tmp/x\""));
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "help", GENERAL("\"help\": true"));
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "version", GENERAL("\"version\": true"));
    ASSERT_CALLS("a(1) b(2) ", PROGRAM("\"alpha\": \"1\""), "-c", "2");
    doca_argp_destroy();
}
END_TEST

START_TEST(values_of_the_wrong_type)
{
    program_begin();
    flag(NULL, "object", on_j, 0);
    static const char *const wrong[] = {
        PROGRAM("\"alpha\": 1"),
        PROGRAM("\"alpha\": true"),
        PROGRAM("\"alpha\": null"),
        PROGRAM("\"alpha\": {}"),
        PROGRAM("\"alpha\": \"zero\\u0000inside\""),
        PROGRAM("\"number\": \"1\""),
        PROGRAM("\"number\": 1.5"),
        PROGRAM("\"number\": 2147483648"),
        PROGRAM("\"number\": -2147483649"),
        PROGRAM("\"number\": 99999999999999999999999"),
        PROGRAM("\"number\": null"),
        PROGRAM("\"yes\": 1"),
        PROGRAM("\"yes\": \"true\""),
        PROGRAM("\"object\": \"{}\""),
        PROGRAM("\"object\": null"),
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_msg(START_FILE(wrong[i]) == DOCA_ERROR_INVALID_VALUE, "%s is taken", wrong[i]);
        assert_complaint("prog");
        ck_assert_str_eq(calls, "");
    }
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "number",
                   PROGRAM("\"alpha\": \"x\", \"number\": \"1\""));
    doca_argp_destroy();
}
END_TEST

START_TEST(log_levels)
{
    program_begin();
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "4", GENERAL("\"log-level\": 4"));
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "prog", GENERAL("\"log-level\": \"60\""));
    ck_assert_uint_eq(doca_log_global_level_get(), DOCA_LOG_LEVEL_INFO);
    doca_argp_destroy();
}
END_TEST

START_TEST(members_that_are_unknown)
{
    program_begin();
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "a", PROGRAM("\"a\": \"1\""));
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "log-level", PROGRAM("\"log-level\": 50"));
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "alpha", GENERAL("\"alpha\": \"1\""));
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "grpc-address", GENERAL("\"grpc-address\": \"1\""));
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "doca_progam_flags", "{\"doca_progam_flags\": {}}");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "doca_program_flags", "{\"doca_program_flags\": []}");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "doca_general_flags",
                   "{\"doca_general_flags\": null}");
    doca_argp_destroy();
}
END_TEST

START_TEST(a_program_may_have_flags_named_like_the_others)
{
    program_begin();
    flag("l", "log-level", on_b, 0);
    ASSERT_CALLS("b(mine) ", "{\"doca_program_flags\": {\"log-level\": \"mine\"},"
                             " \"doca_general_flags\": {\"log-level\": 40}}");
    ck_assert_uint_eq(doca_log_global_level_get(), 40);
    doca_argp_destroy();
}
END_TEST

START_TEST(files_that_are_no_json)
{
    static const char *const none[] = {
        "",
        "   ",
        "{",
        "[]",
        "null",
        "5",
        "\"x\"",
        "{} {}",
        "{}}",
        "{} x",
        "{]",
        "{a: 1}",
        "{\"a\" 1}",
        "{} /",
        "// only",
        "/*",
        "{\"doca_program_flags\": {\"alpha\": \"x\"}",
    };
    program_begin();
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        ck_assert_msg(START_FILE(none[i]) == DOCA_ERROR_IO_FAILED, "\"%s\" is taken", none[i]);
        assert_complaint("prog: /proc/self/fd");
    }
    ASSERT_REFUSED(DOCA_ERROR_IO_FAILED, "line 3", "{\n\"doca_program_flags\":\n{]}}");
    doca_argp_destroy();
}
END_TEST

static char *text_of(size_t size, char c)
{
    char *text = malloc(size + 1);
    memset(text, c, size);
    text[size] = 0;
    return text;
}

START_TEST(files_that_are_deep_or_large)
{
    program_begin();
    char *text = text_of(100000, '[');
    ck_assert_int_eq(START_FILE(text), DOCA_ERROR_IO_FAILED);
    free(text);

    text = text_of((1 << 20) - 2, ' ');
    memcpy(text, "{}", 2);
    ck_assert_int_eq(START_FILE(text), DOCA_SUCCESS);
    free(text);

    text = text_of((1 << 20) + 1, ' ');
    memcpy(text, "{}", 2);
    ASSERT_REFUSED(DOCA_ERROR_IO_FAILED, "prog", text);
    free(text);
    doca_argp_destroy();
}
END_TEST

START_TEST(files_that_cannot_be_read)
{
    program_begin();
    ck_assert_int_eq(START("-j", "/nonexistent/file"), DOCA_ERROR_IO_FAILED);
    assert_complaint("/nonexistent/file");
    ck_assert_int_eq(START("--json", "/tmp"), DOCA_ERROR_IO_FAILED);
    assert_complaint("/tmp");
    ck_assert_int_eq(START("--json=/dev/zero"), DOCA_ERROR_IO_FAILED);
    assert_complaint("prog");
    ck_assert_int_eq(START("-j"), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(START("-j", "/a", "-j", "/b"), DOCA_ERROR_INVALID_VALUE);
    doca_argp_destroy();
}
END_TEST

START_TEST(dpdk)
{
    program_begin();
    doca_argp_set_dpdk_program(on_dpdk);
    ASSERT_CALLS("dpdk(prog|-a|03:00.0|-a|03:00.1,dv_flow_en=2|-c|0xff|-l|0-3|--no-huge|-n|4|"
                 "--file-prefix=x|--main-lcore=2|--in-memory) a(1) ",
                 "{\"doca_dpdk_flags\": {"
                 "\"devices\": [\"03:00.0\", \"03:00.1,dv_flow_en=2\"], \"core-mask\": \"0xff\","
                 "\"core-list\": \"0-3\", \"flags\": \" --no-huge  -n 4\", \"file-prefix\": \"x\","
                 "\"main-lcore\": 2, \"in-memory\": true, \"no-pci\": false},"
                 "\"doca_program_flags\": {\"alpha\": \"1\"}}");
    ASSERT_CALLS("dpdk(prog) ", DPDK("\"flags\": \"\""));
    ASSERT_CALLS("dpdk(prog) ", "{}");
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "devices", DPDK("\"devices\": \"x\""));
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "devices", DPDK("\"devices\": [1]"));
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "core-mask", DPDK("\"core-mask\": 3"));
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "flags", DPDK("\"flags\": []"));
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "other", DPDK("\"other\": {}"));
    ASSERT_REFUSED(DOCA_ERROR_INVALID_VALUE, "doca_dpdk_flags", "{\"doca_dpdk_flags\": 1}");
    doca_argp_destroy();
}
END_TEST

START_TEST(callbacks_run_only_if_all_is_well)
{
    program_begin();
    doca_argp_register_validation_callback(on_validation);
    ASSERT_REFUSED(DOCA_ERROR_NOT_SUPPORTED, "nonsense",
                   "{\"doca_program_flags\": {\"alpha\": \"1\"}, \"nonsense\": {}}");
    ASSERT_CALLS("a(1) validation ", PROGRAM("\"alpha\": \"1\""));
    callback_result = DOCA_ERROR_AGAIN;
    ck_assert_int_eq(START_FILE(PROGRAM("\"alpha\": \"1\", \"beta\": \"2\"")), DOCA_ERROR_AGAIN);
    ck_assert_str_eq(calls, "a(1) ");
    doca_argp_destroy();
}
END_TEST

UNIT_MAIN("argp_json", all_types, like_the_files_that_come_with_programs, files_with_little_in_them,
          the_command_line_has_precedence, repeated_flags, mandatory_flags,
          flags_for_the_command_line_only, values_of_the_wrong_type, log_levels,
          members_that_are_unknown, a_program_may_have_flags_named_like_the_others,
          files_that_are_no_json, files_that_are_deep_or_large, files_that_cannot_be_read, dpdk,
          callbacks_run_only_if_all_is_well)

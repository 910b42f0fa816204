// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Callbacks of programs of the 1.3 interface: the configuration comes first, the value
// second. Those of later programs in the same process get theirs as ever.

#include "argp/argp_program.h"
#include "log_capture.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static doca_error_t on_text_1_3(void *cfg, void *param)
{
    return on_b(param, cfg);
}

static doca_error_t on_number_1_3(void *cfg, void *param)
{
    return on_n(param, cfg);
}

static doca_error_t on_version_1_3(void *cfg, void *param)
{
    ck_assert_ptr_eq(cfg, &config);
    ck_assert_ptr_null(param);
    puts("version of 1.3");
    return DOCA_SUCCESS;
}

static struct doca_argp_param *add(const char *name, callback_func callback,
                                   enum doca_argp_type type)
{
    struct doca_argp_param *param;
    ck_assert_int_eq(doca_argp_param_create(&param), DOCA_SUCCESS);
    doca_argp_param_set_long_name(param, name);
    doca_argp_param_set_description(param, "a flag");
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, type);
    ck_assert_int_eq(doca_argp_register_param(param), DOCA_SUCCESS);
    return param;
}

START_TEST(configuration_first)
{
    program_begin(); // its flags are of a later program
    add("text", on_text_1_3, DOCA_ARGP_TYPE_STRING);
    add("count", on_number_1_3, DOCA_ARGP_TYPE_INT);
    ck_assert_int_eq(START("--text", "one", "-a", "x", "--count=7", "-n", "3"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "b(one) a(x) n(7) n(3) ");
    ck_assert_int_eq(START_FILE("{\"doca_program_flags\": {\"text\": \"f\", \"alpha\": \"g\"}}"),
                     DOCA_SUCCESS);
    ck_assert_str_eq(calls, "b(f) a(g) ");
    callback_result = DOCA_ERROR_IO_FAILED;
    ck_assert_int_eq(START("--text", "two", "-y"), DOCA_ERROR_IO_FAILED);
    ck_assert_str_eq(calls, "b(two) ");
    doca_argp_destroy();
}
END_TEST

static doca_error_t ask_version(void)
{
    program_begin();
    ck_assert_int_eq(doca_argp_register_version_callback(on_version_1_3), DOCA_SUCCESS);
    return doca_argp_start(2, (char *[]){(char *)"prog", (char *)"-v", NULL});
}

START_TEST(version)
{
    const char *out;
    ck_assert_int_eq(child_status(ask_version, &out), 0);
    ck_assert_str_eq(out, "version of 1.3\n");
}
END_TEST

START_TEST(refusals)
{
    ck_assert_int_eq(doca_argp_register_version_callback(on_version_1_3), DOCA_ERROR_INVALID_VALUE);
    program_begin();
    ck_assert_int_eq(doca_argp_register_version_callback(NULL), DOCA_ERROR_INVALID_VALUE);
    // A registered flag keeps its callback and the order of the callback's arguments.
    struct doca_argp_param *param = add("text", on_text_1_3, DOCA_ARGP_TYPE_STRING);
    doca_argp_param_set_callback(param, on_number_1_3);
    doca_argp_param_set_callback(NULL, on_number_1_3);
    ck_assert_int_eq(START("--text", "x"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "b(x) ");
    doca_argp_destroy();
}
END_TEST

UNIT_MAIN("argp_1_3", configuration_first, version, refusals)

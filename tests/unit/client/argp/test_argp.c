// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The argument parser's functions besides the start: what may be called when, what a flag
// needs, who owns it. AddressSanitizer watches over the ownership.

#include "argp_program.h"
#include "log_capture.h"
#include "unit.h"

#include <doca_log.h>

#include <string.h>

// ---- what may be called when -------------------------------------------------------------

START_TEST(a_life_in_order)
{
    program_begin();
    ck_assert_int_eq(doca_argp_register_validation_callback(on_validation), DOCA_SUCCESS);
    ck_assert_int_eq(START("-a", "text", "-n", "5"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "a(text) n(5) validation ");
    ck_assert_str_eq(log_lines(), "");
    ck_assert_str_eq(usage_text(), "");
    ck_assert_int_eq(doca_argp_destroy(), DOCA_SUCCESS);
}
END_TEST

START_TEST(init_needs_a_name)
{
    ck_assert_int_eq(doca_argp_init(NULL, &config), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_init("", &config), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_start(1, (char *[]){(char *)"x", NULL}), DOCA_ERROR_INITIALIZATION);
}
END_TEST

START_TEST(init_needs_no_configuration)
{
    ck_assert_int_eq(doca_argp_init("prog", NULL), DOCA_SUCCESS);
    ck_assert_int_eq(START(), DOCA_SUCCESS);
    doca_argp_destroy();
}
END_TEST

START_TEST(the_name_is_copied)
{
    char name[] = "name";
    doca_argp_init(name, &config);
    memset(name, 'x', strlen(name));
    ck_assert_int_eq(START("--bad"), DOCA_ERROR_NOT_SUPPORTED);
    assert_complaint("name");
    doca_argp_destroy();
}
END_TEST

START_TEST(second_init_changes_nothing)
{
    int other;
    program_begin();
    ck_assert_int_eq(doca_argp_init("other", &other), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(START("-a", "still there"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "a(still there) ");
    doca_argp_destroy();
}
END_TEST

static void assert_not_initialised(void)
{
    const char *address = "untouched";
    int level = -5;
    calls[0] = 0;
    ck_assert_int_eq(doca_argp_register_param(flag_make("a", NULL, on_a, 0)),
                     DOCA_ERROR_INITIALIZATION);
    ck_assert_int_eq(doca_argp_register_version_callback(on_version), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_register_validation_callback(on_validation),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(START("-h"), DOCA_ERROR_INITIALIZATION);
    ck_assert_int_eq(doca_argp_get_grpc_addr(&address), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_get_log_level(&level), DOCA_ERROR_INVALID_VALUE);
    doca_argp_set_dpdk_program(on_dpdk);
    doca_argp_set_grpc_program();
    doca_argp_usage(); // comes back
    ck_assert_str_eq(address, "untouched");
    ck_assert_int_eq(level, -5);
    ck_assert_str_eq(calls, "");
    ck_assert_int_eq(doca_argp_destroy(), DOCA_SUCCESS);
}

START_TEST(before_init)
{
    assert_not_initialised();
    // These calls had no effect on what comes later.
    program_begin();
    ck_assert_int_eq(START("-a", "x"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "a(x) ");
    doca_argp_destroy();
}
END_TEST

START_TEST(after_destroy)
{
    program_begin();
    doca_argp_set_dpdk_program(on_dpdk);
    doca_argp_set_grpc_program();
    doca_argp_register_validation_callback(on_validation);
    ck_assert_int_eq(START("-g", "1.2.3.4", "-l", "60"), DOCA_SUCCESS);
    ck_assert_int_eq(doca_argp_destroy(), DOCA_SUCCESS);
    assert_not_initialised();
    ck_assert_int_eq(doca_argp_destroy(), DOCA_SUCCESS);
}
END_TEST

START_TEST(init_after_destroy_begins_anew)
{
    program_begin();
    doca_argp_set_dpdk_program(on_dpdk);
    doca_argp_set_grpc_program();
    doca_argp_register_validation_callback(on_validation);
    doca_argp_register_version_callback(on_version);
    flag("x", "mandatory", on_a, MANDATORY);
    doca_argp_destroy();
    program_begin();
    ck_assert_int_eq(START("-a", "x"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "a(x) ");
    doca_argp_destroy();
}
END_TEST

START_TEST(arguments_that_are_missing)
{
    program_begin();
    ck_assert_int_eq(doca_argp_register_version_callback(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_register_validation_callback(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_get_log_level(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_get_grpc_addr(NULL), DOCA_ERROR_INVALID_VALUE);
    doca_argp_set_dpdk_program(NULL);
    ck_assert_int_eq(START("-a", "x"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "a(x) ");
    doca_argp_destroy();
}
END_TEST

static doca_error_t destroy_in_callback(void *cfg)
{
    (void)cfg;
    char *argv[] = {(char *)"prog", NULL};
    ck_assert_int_eq(doca_argp_start(1, argv), DOCA_ERROR_INITIALIZATION);
    return doca_argp_destroy();
}

START_TEST(not_from_a_callback)
{
    program_begin();
    doca_argp_register_validation_callback(destroy_in_callback);
    ck_assert_int_eq(START("-a", "x"), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_argp_destroy(), DOCA_SUCCESS);
}
END_TEST

START_TEST(two_starts)
{
    int level;
    program_begin();
    flag("m", NULL, on_a, MANDATORY);
    ck_assert_int_eq(START("-m", "1", "-l", "30"), DOCA_SUCCESS);
    ck_assert_int_eq(START("-a", "2"), DOCA_ERROR_INVALID_VALUE); // -m was of the last start
    ck_assert_int_eq(START("-m", "3"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "a(3) ");
    ck_assert_int_eq(doca_argp_get_log_level(&level), DOCA_SUCCESS);
    ck_assert_int_eq(level, 30); // what the log was set to
    doca_argp_destroy();
}
END_TEST

// ---- making and registering flags -----------------------------------------------------------

START_TEST(a_flag_may_be_destroyed_instead)
{
    struct doca_argp_param *param = flag_make("a", "alpha", on_a, 0);
    ck_assert_int_eq(doca_argp_param_destroy(param), DOCA_SUCCESS);
    ck_assert_int_eq(doca_argp_param_destroy(param), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_param_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_param_create(NULL), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(a_flag_survives_its_registration_only_inside)
{
    program_begin();
    struct doca_argp_param *param = flag_make("x", "xray", on_a, 0);
    ck_assert_int_eq(doca_argp_register_param(param), DOCA_SUCCESS);
    // It is the parser's now.
    ck_assert_int_eq(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_param_destroy(param), DOCA_ERROR_INVALID_VALUE);
    doca_argp_param_set_long_name(param, "other");
    doca_argp_param_set_short_name(param, "o");
    doca_argp_param_set_mandatory(param);
    doca_argp_param_set_callback(param, on_b);
    ck_assert_int_eq(START("--other", "1"), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(START(), DOCA_SUCCESS);
    ck_assert_int_eq(START("--xray", "1"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "a(1) ");
    doca_argp_destroy();
    ck_assert_int_eq(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_param_destroy(param), DOCA_ERROR_INVALID_VALUE);
    doca_argp_param_set_description(param, "gone");
}
END_TEST

START_TEST(setters_refuse_nonsense)
{
    program_begin();
    struct doca_argp_param *param = flag_make("x", "xray", on_a, 0);
    doca_argp_param_set_short_name(param, NULL);
    doca_argp_param_set_long_name(param, NULL);
    doca_argp_param_set_arguments(param, NULL);
    doca_argp_param_set_description(param, NULL);
    doca_argp_param_set_callback(param, NULL);
    doca_argp_param_set_type(param, DOCA_ARGP_TYPE_UNKNOWN);
    doca_argp_param_set_type(param, (enum doca_argp_type)5);
    doca_argp_param_set_type(param, (enum doca_argp_type) - 1);
    ck_assert_int_eq(doca_argp_register_param(param), DOCA_SUCCESS);
    ck_assert_int_eq(START("-x", "unchanged"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "a(unchanged) ");
    doca_argp_param_set_short_name(NULL, "x");
    doca_argp_param_set_long_name(NULL, "x");
    doca_argp_param_set_arguments(NULL, "x");
    doca_argp_param_set_description(NULL, "x");
    doca_argp_param_set_callback(NULL, on_a);
    doca_argp_param_set_type(NULL, DOCA_ARGP_TYPE_INT);
    doca_argp_param_set_mandatory(NULL);
    doca_argp_param_set_cli_only(NULL);
    doca_argp_param_set_multiplicity(NULL);
    doca_argp_destroy();
}
END_TEST

START_TEST(setters_copy_and_the_last_one_counts)
{
    char name[] = "first";
    program_begin();
    struct doca_argp_param *param = flag_make("x", name, on_a, 0);
    strcpy(name, "other");
    doca_argp_param_set_short_name(param, "z");
    doca_argp_param_set_type(param, DOCA_ARGP_TYPE_INT);
    doca_argp_param_set_callback(param, on_n);
    ck_assert_int_eq(doca_argp_register_param(param), DOCA_SUCCESS);
    ck_assert_int_eq(START("-z", "1"), DOCA_SUCCESS);
    ck_assert_int_eq(START("--first", "2"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "n(2) ");
    ck_assert_int_eq(START("-x", "3"), DOCA_ERROR_NOT_SUPPORTED);
    doca_argp_destroy();
}
END_TEST

START_TEST(an_incomplete_flag_is_freed)
{
    struct doca_argp_param *param;
    program_begin();
    ck_assert_int_eq(doca_argp_register_param(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_argp_register_param(flag_make(NULL, NULL, on_a, 0)),
                     DOCA_ERROR_INITIALIZATION);
    ck_assert_int_eq(doca_argp_register_param(flag_make("j", NULL, on_j, 0)),
                     DOCA_ERROR_INITIALIZATION); // no name for the file
    for (int lacking = 0; lacking < 3; lacking++) {
        ck_assert_int_eq(doca_argp_param_create(&param), DOCA_SUCCESS);
        doca_argp_param_set_short_name(param, "x");
        if (lacking != 0)
            doca_argp_param_set_description(param, "Description");
        if (lacking != 1)
            doca_argp_param_set_callback(param, on_a);
        if (lacking != 2)
            doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
        ck_assert_int_eq(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
        ck_assert_int_eq(doca_argp_param_destroy(param), DOCA_ERROR_INVALID_VALUE);
    }
    doca_argp_destroy();
}
END_TEST

START_TEST(names_that_are_none)
{
    static const struct {
        const char *short_name, *long_name;
    } none[] = {
        {"", NULL},    {NULL, ""},      {"-x", NULL},     {NULL, "--xray"},
        {"x=y", NULL}, {"x y", NULL},   {NULL, "xray=y"}, {"-", NULL},
        {"a", NULL},   {NULL, "alpha"}, {"a", "new"},     {"new", "alpha"},
    };
    program_begin();
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        ck_assert_int_eq(
            doca_argp_register_param(flag_make(none[i].short_name, none[i].long_name, on_b, 0)),
            DOCA_ERROR_INVALID_VALUE);
    // A refused flag leaves none of its names behind.
    ck_assert_int_eq(START("--new", "x"), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(START("-a", "x"), DOCA_SUCCESS);
    ck_assert_str_eq(calls, "a(x) ");
    doca_argp_destroy();
}
END_TEST

START_TEST(what_is_left_registered_is_freed)
{
    // Does not call destroy, like programs that give up. Nothing may be leaked.
    program_begin();
    for (int i = 0; i < 50; i++) {
        char name[16];
        snprintf(name, sizeof(name), "flag%d", i);
        flag(NULL, name, on_b, REPEATED);
    }
}
END_TEST

// ---- what the start leaves to ask for --------------------------------------------------------

START_TEST(log_level)
{
    int level = 0;
    program_begin();
    ck_assert_int_eq(doca_argp_get_log_level(&level), DOCA_SUCCESS);
    ck_assert_int_eq(level, DOCA_LOG_LEVEL_INFO);
    ck_assert_int_eq(START(), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_log_global_level_get(), DOCA_LOG_LEVEL_INFO);
    for (int i = 20; i <= 60; i += 10) {
        char text[8];
        snprintf(text, sizeof(text), "%d", i);
        ck_assert_int_eq(START("--log-level", text), DOCA_SUCCESS);
        ck_assert_int_eq(doca_argp_get_log_level(&level), DOCA_SUCCESS);
        ck_assert_int_eq(level, i);
        ck_assert_uint_eq(doca_log_global_level_get(), i);
    }
    doca_argp_destroy();
}
END_TEST

START_TEST(log_levels_that_are_none)
{
    static const char *const none[] = {"0", "10", "19", "25", "61", "70", "-20", "INFO", "", "5O"};
    program_begin();
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        ck_assert_int_eq(START("-l", none[i]), DOCA_ERROR_INVALID_VALUE);
        assert_complaint("--log-level");
    }
    ck_assert_uint_eq(doca_log_global_level_get(), DOCA_LOG_LEVEL_INFO);
    ck_assert_int_eq(START("-l", "35"), DOCA_ERROR_INVALID_VALUE);
    assert_complaint("60");
    doca_argp_destroy();
}
END_TEST

START_TEST(grpc_address)
{
    const char *address = "untouched";
    program_begin();
    ck_assert_int_eq(START("-g", "1.2.3.4"), DOCA_ERROR_NOT_SUPPORTED); // no such flag
    doca_argp_set_grpc_program();
    ck_assert_int_eq(START(), DOCA_ERROR_INVALID_VALUE);
    assert_complaint("--grpc-address");
    ck_assert_int_eq(doca_argp_get_grpc_addr(&address), DOCA_ERROR_INVALID_VALUE);
    ck_assert_str_eq(address, "untouched");
    ck_assert_int_eq(START("-g", "1.2.3.4:5"), DOCA_SUCCESS);
    ck_assert_int_eq(doca_argp_get_grpc_addr(&address), DOCA_SUCCESS);
    ck_assert_str_eq(address, "1.2.3.4:5");
    ck_assert_int_eq(
        START_FILE("{\"doca_general_flags\": {\"grpc-address\": \"6.7.8.9\", \"log-level\": 40}}"),
        DOCA_SUCCESS);
    ck_assert_int_eq(doca_argp_get_grpc_addr(&address), DOCA_SUCCESS);
    ck_assert_str_eq(address, "6.7.8.9");
    doca_argp_destroy();
}
END_TEST

UNIT_MAIN("argp", a_life_in_order, init_needs_a_name, init_needs_no_configuration,
          the_name_is_copied, second_init_changes_nothing, before_init, after_destroy,
          init_after_destroy_begins_anew, arguments_that_are_missing, not_from_a_callback,
          two_starts, a_flag_may_be_destroyed_instead, a_flag_survives_its_registration_only_inside,
          setters_refuse_nonsense, setters_copy_and_the_last_one_counts,
          an_incomplete_flag_is_freed, names_that_are_none, what_is_left_registered_is_freed,
          log_level, log_levels_that_are_none, grpc_address)

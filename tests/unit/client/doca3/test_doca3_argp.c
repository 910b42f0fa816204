// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The argument parser of DOCA 3: its codes, commands, singular, inherited and hidden flags, and
// the level of the library's log. What it shares with 2.2 has its tests there.

#include "argp_program.h"
#include "log_capture.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))

static doca_error_t on_add(void *cfg)
{
    ck_assert_ptr_eq(cfg, &config);
    strcat(calls, "add ");
    doca_error_t result = callback_result;
    callback_result = DOCA_SUCCESS;
    return result;
}

static doca_error_t on_rule(void *cfg)
{
    ck_assert_ptr_eq(cfg, &config);
    strcat(calls, "rule ");
    return DOCA_SUCCESS;
}

static struct doca_argp_cmd *cmd_make(const char *name, doca_argp_cmd_cb_t callback)
{
    struct doca_argp_cmd *cmd = NULL;
    OK(doca_argp_cmd_create(&cmd));
    doca_argp_cmd_set_name(cmd, name);
    doca_argp_cmd_set_description(cmd, "Describes the command");
    if (callback)
        doca_argp_cmd_set_callback(cmd, callback);
    return cmd;
}

// prog: -a -b -n -y; prog add: -x (mandatory number); prog add rule: --deep; prog list
static void commands_begin(void)
{
    program_begin();
    struct doca_argp_cmd *add = cmd_make("add", on_add), *rule = cmd_make("rule", on_rule);
    OK(doca_argp_cmd_register_param(add, flag_make("x", "extra", on_n, MANDATORY)));
    OK(doca_argp_cmd_register_param(rule, flag_make(NULL, "deep", on_y, 0)));
    OK(doca_argp_cmd_register_cmd(add, rule));
    OK(doca_argp_register_cmd(add));
    OK(doca_argp_register_cmd(cmd_make("list", NULL)));
}

// ---- codes ----------------------------------------------------------------------

START_TEST(codes)
{
    int level = 7;
    char *words[] = {(char *)"prog", NULL};
    struct doca_argp_cmd *cmd = cmd_make("early", NULL);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_destroy());
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_start(1, words));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_register_param(flag_make("a", NULL, on_a, 0)));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_register_cmd(cmd));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_register_version_callback(on_version));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_register_validation_callback(on_validation));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_register_logger_callback(NULL));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_disable_logger_callback());
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_get_sdk_log_level(&level));
    ck_assert_int_eq(level, 7);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_init("", &config));
    OK(doca_argp_init("prog", &config));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_init("again", &config));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_register_version_callback(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_register_validation_callback(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_register_logger_callback(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_register_param(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_get_sdk_log_level(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_get_log_level(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_start(1, NULL));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_disable_logger_callback()); // there is none
    OK(doca_argp_destroy());
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_destroy());
}
END_TEST

START_TEST(a_program_may_have_no_name)
{
    OK(doca_argp_init(NULL, &config));
    flag("a", "alpha", on_a, 0);
    OK(START("-a", "x"));
    ck_assert_str_eq(calls, "a(x) ");
    OK(doca_argp_destroy());
}
END_TEST

static doca_error_t starts_again(void *param, void *cfg)
{
    char *words[] = {(char *)"prog", NULL};
    (void)param;
    (void)cfg;
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_start(1, words));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_destroy());
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_register_cmd(cmd_make("late", NULL)));
    return DOCA_SUCCESS;
}

START_TEST(not_from_a_callback)
{
    OK(doca_argp_init("prog", &config));
    struct doca_argp_param *param = flag_make("s", NULL, on_a, 0);
    doca_argp_param_set_callback(param, starts_again);
    OK(doca_argp_register_param(param));
    OK(START("-s", "x"));
    OK(doca_argp_destroy());
}
END_TEST

// ---- commands -------------------------------------------------------------------

START_TEST(commands)
{
    commands_begin();
    OK(doca_argp_register_validation_callback(on_validation));
    OK(START("-n", "1"));
    ck_assert_str_eq(calls, "n(1) validation ");
    OK(START("list"));
    ck_assert_str_eq(calls, "validation ");
    OK(START("-n", "1", "add", "-x", "2"));
    ck_assert_str_eq(calls, "n(1) n(2) add validation ");
    OK(START("add", "-x", "2", "rule", "--deep"));
    ck_assert_str_eq(calls, "n(2) y() add rule validation ");
    OK(doca_argp_destroy());
}
END_TEST

START_TEST(each_command_has_flags_of_its_own)
{
    commands_begin();
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, START("-x", "2"));
    assert_complaint("-x");
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, START("add", "-x", "2", "-n", "1")); // not inherited
    assert_complaint("-n");
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, START("add", "-x", "2", "rule", "-x", "2"));
    REFUSED(DOCA_ERROR_INVALID_VALUE, START("rule"));
    assert_complaint("rule");
    REFUSED(DOCA_ERROR_INVALID_VALUE, START("list", "add"));
    REFUSED(DOCA_ERROR_INVALID_VALUE, START("add")); // its mandatory flag is missing
    assert_complaint("--extra");
    ck_assert_str_eq(calls, "");
    OK(START("list"));      // and not of the other command
    OK(START("-a", "add")); // a value is not a command
    ck_assert_str_eq(calls, "a(add) ");
    OK(doca_argp_destroy());
}
END_TEST

START_TEST(inherited_flags)
{
    program_begin();
    struct doca_argp_param *param = flag_make("i", "inherited", on_a, 0);
    struct doca_argp_cmd *add = cmd_make("add", on_add), *rule = cmd_make("rule", on_rule);
    doca_argp_param_set_inherited(param);
    OK(doca_argp_register_param(param));
    OK(doca_argp_cmd_register_cmd(add, rule));
    OK(doca_argp_register_cmd(add));
    OK(START("add", "rule", "-i", "x", "--log-level", "40"));
    ck_assert_str_eq(calls, "a(x) add rule ");
    OK(START("-i", "y", "add"));
    ck_assert_str_eq(calls, "a(y) add ");
    REFUSED(DOCA_ERROR_INVALID_VALUE, START("-i", "y", "add", "-i", "z")); // twice
    OK(doca_argp_destroy());
}
END_TEST

START_TEST(a_command_may_refuse)
{
    commands_begin();
    struct doca_argp_cmd *rule = cmd_make("more", on_rule);
    OK(doca_argp_register_cmd(rule));
    callback_result = DOCA_ERROR_FULL;
    REFUSED(DOCA_ERROR_FULL, START("add", "-x", "1", "rule")); // the flag's callback
    ck_assert_str_eq(calls, "n(1) ");
    OK(doca_argp_destroy());
    program_begin();
    OK(doca_argp_register_cmd(cmd_make("add", on_add)));
    callback_result = DOCA_ERROR_FULL;
    REFUSED(DOCA_ERROR_FULL, START("add"));
    assert_complaint("add");
    OK(doca_argp_destroy());
}
END_TEST

START_TEST(files_have_no_commands)
{
    commands_begin();
    OK(START_FILE("{\"doca_program_flags\": {\"extra\": 7, \"number\": 3}}", "add"));
    ck_assert_str_eq(calls, "n(7) n(3) add ");
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, START_FILE("{\"doca_program_flags\": {\"extra\": 7}}"));
    OK(doca_argp_destroy());
}
END_TEST

START_TEST(commands_that_are_none)
{
    struct doca_argp_cmd *cmd = NULL, *other;
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_cmd_create(NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_cmd_destroy(NULL));
    program_begin();
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_register_cmd(NULL));
    OK(doca_argp_cmd_create(&cmd));
    REFUSED(DOCA_ERROR_INITIALIZATION, doca_argp_register_cmd(cmd)); // nameless, and freed
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_cmd_destroy(cmd));
    const char *const names[] = {"", "-add", "add it", "add=it"};
    for (int i = 0; i < 4; i++)
        REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_register_cmd(cmd_make(names[i], NULL)));
    cmd = cmd_make("add", NULL);
    other = cmd_make("other", NULL);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_cmd_register_cmd(cmd, NULL));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_cmd_register_cmd(NULL, cmd));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_cmd_register_cmd(cmd, cmd));
    OK(doca_argp_cmd_register_cmd(cmd, other));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_cmd_register_cmd(other, cmd)); // a circle
    OK(doca_argp_register_cmd(cmd));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_register_cmd(cmd)); // it is the parser's
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_cmd_destroy(cmd));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_cmd_destroy(other));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_register_cmd(cmd_make("add", NULL)));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_cmd_register_param(cmd, NULL));
    struct doca_argp_param *param = flag_make("q", NULL, on_a, 0);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_argp_cmd_register_param(NULL, param));
    OK(doca_argp_cmd_register_param(cmd, param)); // also afterwards
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_cmd_register_param(cmd, param));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_register_param(param));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_argp_param_destroy(param));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_argp_cmd_register_param(cmd, flag_make("q", NULL, on_a, 0)));
    // Setters refuse what is not the program's any more, and NULL.
    doca_argp_cmd_set_name(cmd, "renamed");
    doca_argp_cmd_set_hidden(NULL);
    doca_argp_cmd_set_callback(NULL, on_add);
    doca_argp_cmd_set_description(NULL, "x");
    doca_argp_param_set_singular(NULL);
    doca_argp_param_set_inherited(param);
    doca_argp_param_set_hidden(NULL);
    other = cmd_make("kept", NULL);
    doca_argp_cmd_set_name(other, NULL);
    doca_argp_cmd_set_description(other, NULL);
    doca_argp_cmd_set_callback(other, NULL);
    OK(START("add", "-q", "x"));
    OK(doca_argp_register_cmd(other));
    OK(START("kept"));
    OK(doca_argp_destroy());
}
END_TEST

// ---- flags ----------------------------------------------------------------------

START_TEST(singular_flags_stand_alone)
{
    program_begin();
    flag("m", "must", on_b, MANDATORY);
    struct doca_argp_param *param = flag_make(NULL, "alone", on_y, 0);
    doca_argp_param_set_singular(param);
    OK(doca_argp_register_param(param));
    OK(START("--alone"));
    ck_assert_str_eq(calls, "y() ");
    OK(START("--alone", "-l", "50"));
    REFUSED(DOCA_ERROR_INVALID_VALUE, START("--alone", "-m", "x"));
    assert_complaint("--alone");
    REFUSED(DOCA_ERROR_INVALID_VALUE, START("-a", "x"));
    assert_complaint("--must");
    OK(doca_argp_destroy());
}
END_TEST

static doca_error_t ask_help(void)
{
    return START("-h");
}

static doca_error_t ask_help_of_add(void)
{
    return START("add", "--help");
}

static doca_error_t ask_version(void)
{
    return START("-v");
}

START_TEST(help)
{
    const char *out;
    commands_begin();
    struct doca_argp_param *param = flag_make(NULL, "secret", on_y, 0);
    doca_argp_param_set_hidden(param);
    OK(doca_argp_register_param(param));
    struct doca_argp_cmd *cmd = cmd_make("undercover", NULL);
    doca_argp_cmd_set_hidden(cmd);
    OK(doca_argp_register_cmd(cmd));
    OK(START("--secret", "undercover")); // hidden, but there
    ck_assert_int_eq(child_status(ask_help, &out), 0);
    const char *const there[] = {"--alpha", "--sdk-log-level", "add", "list", "TRACE=70"};
    const char *const absent[] = {"secret", "undercover", "--extra", "--deep"};
    for (int i = 0; i < 5; i++)
        ck_assert_msg(strstr(out, there[i]), "no %s in %s", there[i], out);
    for (int i = 0; i < 4; i++)
        ck_assert_msg(!strstr(out, absent[i]), "%s in %s", absent[i], out);
    ck_assert_int_eq(child_status(ask_help_of_add, &out), 0);
    ck_assert(strstr(out, "--extra") && strstr(out, "rule") && !strstr(out, "--alpha"));
    ck_assert_int_eq(child_status(ask_version, &out), 0);
    ck_assert_ptr_nonnull(strstr(out, "3.0.0058"));
    OK(doca_argp_destroy());
}
END_TEST

START_TEST(log_levels)
{
    int level = 0;
    program_begin();
    OK(START("-a", "x"));
    OK(doca_argp_get_sdk_log_level(&level));
    ck_assert_int_eq(level, DOCA_LOG_LEVEL_INFO);
    OK(START("--sdk-log-level", "10", "-l", "70"));
    OK(doca_argp_get_sdk_log_level(&level));
    ck_assert_int_eq(level, DOCA_LOG_LEVEL_DISABLE);
    ck_assert_uint_eq(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_DISABLE);
    OK(doca_argp_get_log_level(&level));
    ck_assert_int_eq(level, DOCA_LOG_LEVEL_TRACE);
    ck_assert_uint_eq(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_TRACE);
    REFUSED(DOCA_ERROR_INVALID_VALUE, START("--sdk-log-level", "0"));
    REFUSED(DOCA_ERROR_INVALID_VALUE, START("-l", "80"));
    REFUSED(DOCA_ERROR_INVALID_VALUE, START("-l", "55"));
    OK(START_FILE("{\"doca_general_flags\": {\"log-level\": 20, \"sdk-log-level\": 30}}"));
    ck_assert_uint_eq(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_CRIT);
    ck_assert_uint_eq(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_ERROR);
    OK(doca_argp_destroy());
}
END_TEST

static char told[1024];
__attribute__((format(printf, 2, 0))) static doca_error_t
take_text(enum doca_log_level level, const char *format, va_list args)
{
    ck_assert_int_eq(level, DOCA_LOG_LEVEL_ERROR);
    vsnprintf(told, sizeof(told), format, args);
    return DOCA_SUCCESS;
}

START_TEST(a_program_may_take_the_parsers_texts)
{
    program_begin();
    OK(doca_argp_register_logger_callback(take_text));
    REFUSED(DOCA_ERROR_ALREADY_EXIST, doca_argp_register_logger_callback(take_text));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, START("--wrong"));
    ck_assert_ptr_nonnull(strstr(told, "--wrong"));
    ck_assert_str_eq(log_lines(), "");
    OK(doca_argp_disable_logger_callback());
    told[0] = 0;
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, START("--wrong"));
    ck_assert_str_eq(told, "");
    assert_complaint("--wrong");
    OK(doca_argp_register_logger_callback(take_text));
    OK(doca_argp_destroy());
}
END_TEST

START_TEST(repeated_flags)
{
    OK(doca_argp_init("prog", &config));
    flag("a", "alpha", on_a, REPEATED);
    OK(START("-a", "1", "-a", "2"));
    ck_assert_str_eq(calls, "a(1) a(2) ");
    OK(START_FILE("{\"doca_program_flags\": {\"alpha\": [\"3\", \"4\"]}}"));
    ck_assert_str_eq(calls, "a(3) a(4) ");
    OK(doca_argp_destroy());
}
END_TEST

UNIT_MAIN("doca3_argp", codes, a_program_may_have_no_name, not_from_a_callback, commands,
          each_command_has_flags_of_its_own, inherited_flags, a_command_may_refuse,
          files_have_no_commands, commands_that_are_none, singular_flags_stand_alone, help,
          log_levels, a_program_may_take_the_parsers_texts, repeated_flags)

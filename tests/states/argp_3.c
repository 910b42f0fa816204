// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The argument parser of DOCA 3, its flags and its commands.

#include "tables.h"

#include <check.h>
#include <doca_argp.h>

#define ck_assert_success(expression) ck_assert_int_eq((expression), DOCA_SUCCESS)

enum { BEFORE, BEGUN, REGISTERED, STARTED, ENDED };

static char name[] = "states";
static char *words[] = {name};
static struct doca_argp_param *flag;
static struct doca_argp_cmd *cmd, *other;

static doca_error_t take_value(void *param, void *config)
{
    (void)param;
    (void)config;
    return DOCA_SUCCESS;
}

static doca_error_t take_config(void *config)
{
    (void)config;
    return DOCA_SUCCESS;
}

static doca_error_t take_words(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return DOCA_SUCCESS;
}

static doca_error_t take_text(enum doca_log_level level, const char *format, va_list args)
{
    (void)level;
    (void)format;
    (void)args;
    return DOCA_SUCCESS;
}

static struct doca_argp_cmd *command(const char *word)
{
    struct doca_argp_cmd *made;
    ck_assert_success(doca_argp_cmd_create(&made));
    doca_argp_cmd_set_name(made, word);
    doca_argp_cmd_set_description(made, "a command");
    return made;
}

static void enter_argp(unsigned state)
{
    ck_assert_success(doca_argp_param_create(&flag));
    doca_argp_param_set_long_name(flag, "flag");
    doca_argp_param_set_description(flag, "a flag");
    doca_argp_param_set_callback(flag, take_value);
    doca_argp_param_set_type(flag, DOCA_ARGP_TYPE_BOOLEAN);
    cmd = command("command");
    other = command("other");
    if (state >= BEGUN)
        ck_assert_success(doca_argp_init("states", NULL));
    if (state == REGISTERED || state == STARTED) {
        ck_assert_success(doca_argp_register_param(flag));
        ck_assert_success(doca_argp_register_cmd(cmd));
    }
    if (state == STARTED)
        ck_assert_success(doca_argp_start(1, words));
    if (state == ENDED)
        ck_assert_success(doca_argp_destroy());
}

static void leave_argp(void)
{
    // Refused where it was registered or has gone.
    doca_argp_param_destroy(flag);
    doca_argp_cmd_destroy(cmd);
    doca_argp_cmd_destroy(other);
    doca_argp_destroy();
}

static enum given argue_callback(const char *function, uint64_t *value)
{
    if (same(function, "doca_argp_register_logger_callback"))
        return GIVE(take_text);
    if (same(function, "doca_argp_set_dpdk_program"))
        return GIVE(take_words);
    if (same(function, "doca_argp_register_validation_callback") ||
        same(function, "doca_argp_cmd_set_callback"))
        return GIVE(take_config);
    return GIVE(take_value);
}

static enum given argue_argp(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "param"))
        return same(function, "doca_argp_param_create") ? GIVEN_NONE : GIVE(flag);
    if (same(param, "cmd"))
        return same(function, "doca_argp_cmd_create") ? GIVEN_NONE : GIVE(cmd);
    if (same(param, "input_param"))
        return GIVE(flag);
    if (same(param, "input_cmd"))
        return GIVE(same(function, "doca_argp_register_cmd") ? cmd : other);
    if (same(param, "program_name"))
        return GIVE("states");
    if (same(param, "callback"))
        return argue_callback(function, value);
    if (same(param, "argv"))
        return GIVE(words);
    if (same(param, "name") || same(param, "arguments") || same(param, "description"))
        return GIVE("text");
    *value = same(param, "type") ? DOCA_ARGP_TYPE_BOOLEAN : 1;
    return same(param, "argc") || same(param, "type") ? GIVEN : GIVEN_NONE;
}

static const struct life argp_lives[] = {
    {"doca_argp_param_create", "doca_argp_param_destroy", NULL},
    {"doca_argp_cmd_create", "doca_argp_cmd_destroy", NULL},
    {NULL},
};

static const struct row argp_rows[] = {
    //                 before init, begun, with a flag, started, ended
    {"doca_argp_usage", {OK, ENDS, ENDS, ENDS, OK}},
    {"doca_argp_init", {OK, STATE, STATE, STATE, OK}, "program_name program_config"},
    {"doca_argp_register_param", {STATE, OK, STATE, STATE, STATE}},
    {"doca_argp_register_version_callback", {STATE, OK, OK, OK, STATE}},
    {"doca_argp_register_validation_callback", {STATE, OK, OK, OK, STATE}},
    {"doca_argp_register_logger_callback", {STATE, OK, OK, OK, STATE}},
    {"doca_argp_disable_logger_callback", ANY(STATE)},
    {"doca_argp_start", {STATE, OK, OK, OK, STATE}},
    {"doca_argp_destroy", {STATE, OK, OK, OK, STATE}},
    {"doca_argp_set_dpdk_program", ANY(OK)},
    {"doca_argp_param_create", ANY(OK)},
    {"doca_argp_param_set_short_name", ANY(OK)},
    {"doca_argp_param_set_long_name", ANY(OK)},
    {"doca_argp_param_set_arguments", ANY(OK)},
    {"doca_argp_param_set_description", ANY(OK)},
    {"doca_argp_param_set_callback", ANY(OK)},
    {"doca_argp_param_set_type", ANY(OK)},
    {"doca_argp_param_set_mandatory", ANY(OK)},
    {"doca_argp_param_set_cli_only", ANY(OK)},
    {"doca_argp_param_set_multiplicity", ANY(OK)},
    {"doca_argp_param_set_singular", ANY(OK)},
    {"doca_argp_param_set_inherited", ANY(OK)},
    {"doca_argp_param_set_hidden", ANY(OK)},
    {"doca_argp_param_destroy", {OK, OK, STATE, STATE, OK}},
    {"doca_argp_get_log_level", {INVALID, OK, OK, OK, INVALID}},
    {"doca_argp_get_sdk_log_level", {INVALID, OK, OK, OK, INVALID}},
};

GROUP(argp) = {
    .name = "argp",
    .states = {"before init", "begun", "with a flag", "started", "ended"},
    ROWS(argp_rows),
    .probe = "doca_argp_get_log_level",
    .enter = enter_argp,
    .leave = leave_argp,
    .argument = argue_argp,
    .lives = argp_lives,
};

static const struct row cmd_rows[] = {
    //                 before init, begun, registered, started, ended
    {"doca_argp_register_cmd", {STATE, OK, STATE, STATE, STATE}},
    {"doca_argp_cmd_create", ANY(OK)},
    {"doca_argp_cmd_set_name", ANY(OK)},
    {"doca_argp_cmd_set_description", ANY(OK)},
    {"doca_argp_cmd_set_callback", ANY(OK)},
    {"doca_argp_cmd_set_hidden", ANY(OK)},
    {"doca_argp_cmd_register_param", {STATE, OK, STATE, STATE, STATE}},
    {"doca_argp_cmd_register_cmd", {STATE, OK, OK, OK, STATE}},
    {"doca_argp_cmd_destroy", {OK, OK, STATE, STATE, OK}},
};

GROUP(cmds) = {
    .name = "command",
    .states = {"before init", "begun", "registered", "started", "ended"},
    ROWS(cmd_rows),
    .enter = enter_argp,
    .leave = leave_argp,
    .argument = argue_argp,
    .lives = argp_lives,
};

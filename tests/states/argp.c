// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The argument parser, of which a process has one, its flags and its commands.

#include "objects.h"

#include <doca_argp.h>

enum { BEFORE, BEGUN, REGISTERED, STARTED, ENDED };

#define N_WORDS EITHER(3, 1)

static char name[] = "states", option[] = "-g", address[] = "192.0.2.1:5000";
static char *words[] = {name, option, address, NULL}; // DOCA 3 gets the first of them
static struct doca_argp_param *flag;
static unsigned now;

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

#if GENERATION == 3
static struct doca_argp_cmd *cmd, *other;

static doca_error_t take_text(enum doca_log_level level, const char *format, va_list args)
{
    (void)level;
    (void)format;
    (void)args;
    return DOCA_SUCCESS;
}

static doca_error_t open_nothing(struct doca_devinfo *info, void *context, struct doca_dev **dev)
{
    (void)info;
    (void)context;
    (void)dev;
    return DOCA_ERROR_NOT_SUPPORTED;
}

static struct doca_argp_cmd *command(const char *word)
{
    struct doca_argp_cmd *made;
    ck_assert_success(doca_argp_cmd_create(&made));
    doca_argp_cmd_set_name(made, word);
    doca_argp_cmd_set_description(made, "a command");
    return made;
}
#endif

static void enter_argp(unsigned state)
{
    now = state;
    ck_assert_success(doca_argp_param_create(&flag));
    doca_argp_param_set_long_name(flag, "flag");
    doca_argp_param_set_description(flag, "a flag");
    doca_argp_param_set_callback(flag, take_value);
    doca_argp_param_set_type(flag, DOCA_ARGP_TYPE_BOOLEAN);
    OF_3(cmd = command("command");)
    OF_3(other = command("other");)
    if (state >= BEGUN)
        ck_assert_success(doca_argp_init("states", NULL));
    if (state == REGISTERED || state == STARTED) {
        ck_assert_success(doca_argp_register_param(flag));
        OF_3(ck_assert_success(doca_argp_register_cmd(cmd));)
    }
    if (state == STARTED) {
        OF_2_2(doca_argp_set_grpc_program();)
        ck_assert_success(doca_argp_start(N_WORDS, words));
    }
    if (state == ENDED)
        ck_assert_success(doca_argp_destroy());
}

static void leave_argp(void)
{
    // Refused where it was registered or has gone.
    doca_argp_param_destroy(flag);
    OF_3(doca_argp_cmd_destroy(cmd);)
    OF_3(doca_argp_cmd_destroy(other);)
    doca_error_t r = doca_argp_destroy();
    ck_assert(r == DOCA_SUCCESS || r == EITHER(DOCA_SUCCESS, DOCA_ERROR_BAD_STATE));
}

static enum given argue_callback(const char *function, uint64_t *value)
{
    OF_3(if (same(function, "doca_argp_register_logger_callback")) return GIVE(take_text);)
    OF_3(if (same(function, "doca_argp_register_dev_open_callback")) return GIVE(open_nothing);)
    if (same(function, "doca_argp_set_dpdk_program"))
        return GIVE(take_words);
    if (same(function, "doca_argp_register_validation_callback") ||
        same(function, "doca_argp_cmd_set_callback"))
        return GIVE(take_config);
    return GIVE(take_value);
}

static enum given argue_argp(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "param") || same(param, "input_param"))
        return GIVE(flag);
    OF_3(if (same(param, "cmd")) return GIVE(cmd);)
    OF_3(if (same(param, "input_cmd")) return GIVE(
             same(function, "doca_argp_register_cmd") ? cmd : other);)
    if (same(param, "program_name"))
        return GIVE("states");
    if (same(param, "callback"))
        return argue_callback(function, value);
    if (same(param, "argv"))
        return GIVE(words);
    if (same(param, "name") || same(param, "arguments") || same(param, "description"))
        return GIVE("text");
    *value = same(param, "type") ? DOCA_ARGP_TYPE_BOOLEAN : now == STARTED ? N_WORDS : 1;
    return same(param, "argc") || same(param, "type") ? GIVEN : GIVEN_NONE;
}

#define NO       EITHER(INVALID, STATE)
#define NOT_INIT EITHER(INIT, STATE)
#define NO_END   EITHER(OK, STATE)

static const struct row argp_rows[] = {
    //                 before init, begun, with a flag, started, ended
    {"doca_argp_usage", {OK, ENDS, ENDS, ENDS, OK}},
    {"doca_argp_init", {OK, NO, NO, NO, OK}, EITHER("", "program_name ") "program_config"},
    {"doca_argp_register_param", {NOT_INIT, OK, NO, NO, NOT_INIT}},
    {"doca_argp_register_version_callback", {NO, OK, OK, OK, NO}},
    {"doca_argp_register_validation_callback", {NO, OK, OK, OK, NO}},
    {"doca_argp_start", {NOT_INIT, OK, OK, OK, NOT_INIT}},
    {"doca_argp_destroy", {NO_END, OK, OK, OK, NO_END}},
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
    {"doca_argp_param_destroy", {OK, OK, NO, NO, OK}},
    {"doca_argp_get_log_level", {INVALID, OK, OK, OK, INVALID}},

    ROW_OF_2_2("doca_argp_set_grpc_program", ANY(OK)),
    ROW_OF_2_2("doca_argp_get_grpc_addr", {INVALID, INVALID, INVALID, OK, INVALID}),

    ROW_OF_3("doca_argp_register_logger_callback", {STATE, OK, OK, OK, STATE}),
    ROW_OF_3("doca_argp_disable_logger_callback", ANY(STATE)),
    ROW_OF_3("doca_argp_register_dev_open_callback", {STATE, OK, OK, OK, STATE}, "usr_ctx"),
    ROW_OF_3("doca_argp_disable_pedantic_config_parsing", {STATE, OK, OK, OK, STATE}),
    ROW_OF_3("doca_argp_param_set_singular", ANY(OK)),
    ROW_OF_3("doca_argp_param_set_inherited", ANY(OK)),
    ROW_OF_3("doca_argp_param_set_hidden", ANY(OK)),
    ROW_OF_3("doca_argp_get_sdk_log_level", {INVALID, OK, OK, OK, INVALID}),
};

GROUP(argp) = {
    .name = "argp",
    .states = {"before init", "begun", "with a flag", "started", "ended"},
    ROWS(argp_rows),
    .probe = "doca_argp_get_log_level",
    .enter = enter_argp,
    .leave = leave_argp,
    .argument = argue_argp,
    LIFETIMES({"doca_argp_param_create", "doca_argp_param_destroy", NULL}),
};

#if GENERATION == 3
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
    LIFETIMES({"doca_argp_cmd_create", "doca_argp_cmd_destroy", NULL}),
};
#endif

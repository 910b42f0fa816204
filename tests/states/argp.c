// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The argument parser, of which a process has one, and its flags.

#include "tables.h"

#include "client.h"

#include <check.h>
#include <doca_argp.h>

enum { BEFORE, BEGUN, REGISTERED, STARTED, ENDED };

static char name[] = "states", option[] = "-g", address[] = "192.0.2.1:5000";
static char *words[] = {name, option, address};
static struct doca_argp_param *flag;
static unsigned now;

static doca_error_t take_value(void *param, void *config)
{
    (void)param;
    (void)config;
    return DOCA_SUCCESS;
}

static doca_error_t validate(void *config)
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

static void enter_argp(unsigned state)
{
    now = state;
    ck_assert_success(doca_argp_param_create(&flag));
    doca_argp_param_set_long_name(flag, "flag");
    doca_argp_param_set_description(flag, "a flag");
    doca_argp_param_set_callback(flag, take_value);
    doca_argp_param_set_type(flag, DOCA_ARGP_TYPE_BOOLEAN);
    if (state >= BEGUN)
        ck_assert_success(doca_argp_init("states", NULL));
    if (state == REGISTERED || state == STARTED)
        ck_assert_success(doca_argp_register_param(flag));
    if (state == STARTED) {
        doca_argp_set_grpc_program();
        ck_assert_success(doca_argp_start(3, words));
    }
    if (state == ENDED)
        ck_assert_success(doca_argp_destroy());
}

static void leave_argp(void)
{
    doca_argp_param_destroy(flag); // refused where it was registered or has gone
    ck_assert_success(doca_argp_destroy());
}

static enum given argue_argp(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "param"))
        return same(function, "doca_argp_param_create") ? GIVEN_NONE : GIVE(flag);
    if (same(param, "input_param"))
        return GIVE(flag);
    if (same(param, "program_name"))
        return GIVE("states");
    if (same(param, "callback"))
        return same(function, "doca_argp_register_validation_callback") ? GIVE(validate)
               : same(function, "doca_argp_set_dpdk_program")           ? GIVE(take_words)
                                                                        : GIVE(take_value);
    if (same(param, "argv"))
        return GIVE(words);
    if (same(param, "name") || same(param, "arguments") || same(param, "description"))
        return GIVE("text");
    *value = same(param, "type") ? DOCA_ARGP_TYPE_BOOLEAN : now == STARTED ? 3 : 1;
    return same(param, "argc") || same(param, "type") ? GIVEN : GIVEN_NONE;
}

static const struct row argp_rows[] = {
    //                 before init, begun, with a flag, started, ended
    {"doca_argp_usage", {OK, ENDS, ENDS, ENDS, OK}},
    {"doca_argp_init", {OK, INVALID, INVALID, INVALID, OK}, "program_config"},
    {"doca_argp_register_param", {INIT, OK, INVALID, INVALID, INIT}},
    {"doca_argp_register_version_callback", {INVALID, OK, OK, OK, INVALID}},
    {"doca_argp_register_validation_callback", {INVALID, OK, OK, OK, INVALID}},
    {"doca_argp_start", {INIT, OK, OK, OK, INIT}},
    {"doca_argp_destroy", ANY(OK)},
    {"doca_argp_set_dpdk_program", ANY(OK)},
    {"doca_argp_set_grpc_program", ANY(OK)},
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
    {"doca_argp_param_destroy", {OK, OK, INVALID, INVALID, OK}},
    {"doca_argp_get_grpc_addr", {INVALID, INVALID, INVALID, OK, INVALID}},
    {"doca_argp_get_log_level", {INVALID, OK, OK, OK, INVALID}},
};

GROUP(argp) = {
    .name = "argp",
    .states = {"before init", "begun", "with a flag", "started", "ended"},
    ROWS(argp_rows),
    .probe = "doca_argp_get_log_level",
    .enter = enter_argp,
    .leave = leave_argp,
    .argument = argue_argp,
    LIVES({"doca_argp_param_create", "doca_argp_param_destroy", NULL}),
};

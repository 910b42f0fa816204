// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Finds a flag by its name. The program's flags come first; built-in flags get the remaining names.

#include "argp.h"

#include <string.h>

struct doca_argp_param builtins[BUILTINS] = {
    [BUILTIN_HELP] = {.short_name = "h",
                      .long_name = "help",
                      .description = "Print this help and end",
                      .type = DOCA_ARGP_TYPE_BOOLEAN,
                      .cli_only = true},
    [BUILTIN_VERSION] = {.short_name = "v",
                         .long_name = "version",
                         .description = "Print version information and end",
                         .type = DOCA_ARGP_TYPE_BOOLEAN,
                         .cli_only = true},
    [BUILTIN_LOG_LEVEL] = {.short_name = "l",
                           .long_name = "log-level",
                           .arguments = "<level>",
                           .description = "Set the log level: CRITICAL=20, ERROR=30, WARNING=40, "
                                          "INFO=50, DEBUG=60",
                           .type = DOCA_ARGP_TYPE_INT},
    [BUILTIN_SDK_LOG_LEVEL] = {.long_name = "sdk-log-level",
                               .arguments = "<level>",
                               .description = "Set the log level of the library: DISABLE=10, "
                                              "CRITICAL=20, ERROR=30, WARNING=40, INFO=50, "
                                              "DEBUG=60, TRACE=70",
                               .type = DOCA_ARGP_TYPE_INT},
    [BUILTIN_JSON] = {.short_name = "j",
                      .long_name = "json",
                      .arguments = "<path>",
                      .description = "Take flags from a JSON file",
                      .type = DOCA_ARGP_TYPE_STRING,
                      .cli_only = true},
    [BUILTIN_GRPC] = {.short_name = "g",
                      .long_name = "grpc-address",
                      .arguments = "<ip-address[:port]>",
                      .description = "Set the address of the gRPC server",
                      .type = DOCA_ARGP_TYPE_STRING,
                      .mandatory = true},
};

static bool name_is(const char *have, const char *name, size_t length)
{
    return have && strlen(have) == length && !memcmp(have, name, length);
}

struct doca_argp_param *cmd_flag_by_short(const struct doca_argp_cmd *cmd, const char *name)
{
    struct doca_argp_param *p;
    list_for_each (p, &cmd->params, link) {
        if (name_is(p->short_name, name, strlen(name)))
            return p;
    }
    return NULL;
}

struct doca_argp_param *cmd_flag_by_long(const struct doca_argp_cmd *cmd, const char *name)
{
    struct doca_argp_param *p;
    list_for_each (p, &cmd->params, link) {
        if (name_is(p->long_name, name, strlen(name)))
            return p;
    }
    return NULL;
}

// ---- possible flags -----------------------------------------------------------

void flags_visit(void (*visit)(struct doca_argp_param *param, void *data), void *data)
{
    for (struct doca_argp_cmd *cmd = argp.current; cmd; cmd = cmd->above) {
        struct doca_argp_param *p;
        list_for_each (p, &cmd->params, link) {
            if (cmd == argp.current || p->inherited)
                visit(p, data);
        }
    }
}

struct search {
    const char *name;
    size_t length;
    bool is_long;
    struct doca_argp_param *found; // the innermost
};

static void compare(struct doca_argp_param *param, void *data)
{
    struct search *s = data;
    if (!s->found && name_is(s->is_long ? param->long_name : param->short_name, s->name, s->length))
        s->found = param;
}

static struct doca_argp_param *program_flag_by_short(const char *name, size_t length)
{
    struct search s = {name, length, .is_long = false};
    flags_visit(compare, &s);
    return s.found;
}

static struct doca_argp_param *program_flag_by_long(const char *name, size_t length)
{
    struct search s = {name, length, .is_long = true};
    flags_visit(compare, &s);
    return s.found;
}

static bool builtin_there(enum builtin b)
{
    if (b == BUILTIN_SDK_LOG_LEVEL)
        return argp.interface == ARGP_3;
    return b != BUILTIN_GRPC || argp.grpc;
}

const char *builtin_description(enum builtin b)
{
    if (b == BUILTIN_LOG_LEVEL && argp.interface == ARGP_3)
        return "Set the log level: DISABLE=10, CRITICAL=20, ERROR=30, WARNING=40, INFO=50, "
               "DEBUG=60, TRACE=70";
    return builtins[b].description;
}

const char *builtin_short(enum builtin b)
{
    const char *name = builtins[b].short_name;
    return builtin_there(b) && name && !program_flag_by_short(name, strlen(name)) ? name : NULL;
}

const char *builtin_long(enum builtin b)
{
    const char *name = builtins[b].long_name;
    return builtin_there(b) && !program_flag_by_long(name, strlen(name)) ? name : NULL;
}

enum builtin flag_builtin(const struct doca_argp_param *param)
{
    for (enum builtin b = 0; b < BUILTINS; b++)
        if (param == &builtins[b])
            return b;
    return BUILTINS;
}

struct doca_argp_param *flag_by_short(const char *name, size_t length)
{
    struct doca_argp_param *param = program_flag_by_short(name, length);
    for (enum builtin b = 0; !param && b < BUILTINS; b++)
        if (name_is(builtin_short(b), name, length))
            param = &builtins[b];
    return param;
}

struct doca_argp_param *flag_by_long(const char *name, size_t length)
{
    struct doca_argp_param *param = program_flag_by_long(name, length);
    for (enum builtin b = 0; !param && b < BUILTINS; b++)
        if (name_is(builtin_long(b), name, length))
            param = &builtins[b];
    return param;
}

struct doca_argp_param *flag_by_word(const char *word)
{
    if (word[0] == '-' && word[1] == '-')
        return flag_by_long(word + 2, strlen(word + 2));
    return word[0] == '-' ? flag_by_short(word + 1, strlen(word + 1)) : NULL;
}

struct flag_name flag_name(const struct doca_argp_param *param)
{
    enum builtin b = flag_builtin(param);
    const char *long_name = b < BUILTINS ? builtin_long(b) : param->long_name;
    struct flag_name name;
    if (long_name)
        snprintf(name.s, sizeof(name.s), strchr(long_name, ' ') ? "\"--%s\"" : "--%s", long_name);
    else
        snprintf(name.s, sizeof(name.s), "-%s", param->short_name);
    return name;
}

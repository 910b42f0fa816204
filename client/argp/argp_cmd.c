// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Commands: made by the program, then registered below the program or another command.

#include "argp.h"

#include "core/report.h"

#include <stdlib.h>
#include <string.h>

// Flags and commands that the program has made and not registered yet.
static struct list callers = {&callers, &callers};

static bool is_below(const struct list *cmds, const struct doca_argp_cmd *cmd)
{
    const struct doca_argp_cmd *c;
    list_for_each (c, cmds, link) {
        if (c == cmd || is_below(&c->cmds, cmd))
            return true;
    }
    return false;
}

static bool is_callers(const struct doca_argp_cmd *cmd)
{
    const struct doca_argp_cmd *c;
    list_for_each (c, &callers, link) {
        if (c == cmd)
            return true;
    }
    return false;
}

static bool is_cmd(const struct doca_argp_cmd *cmd)
{
    return is_below(&callers, cmd) || is_below(&argp.program.cmds, cmd);
}

static bool was_registered(const struct doca_argp_cmd *cmd)
{
    return is_cmd(cmd) && !is_callers(cmd);
}

static bool have_param(const struct list *cmds, const struct doca_argp_param *param)
{
    const struct doca_argp_cmd *c;
    list_for_each (c, cmds, link) {
        if (cmd_has_param(c, param))
            return true;
    }
    return false;
}

bool cmd_has_param(const struct doca_argp_cmd *cmd, const struct doca_argp_param *param)
{
    const struct doca_argp_param *p;
    list_for_each (p, &cmd->params, link) {
        if (p == param)
            return true;
    }
    return have_param(&cmd->cmds, param);
}

bool cmds_have_param(const struct doca_argp_param *param)
{
    return cmd_has_param(&argp.program, param) || have_param(&callers, param);
}

static doca_error_t refuse(const char *function)
{
    return report_why(function, DOCA_ERROR_INVALID_VALUE,
                      "cmd is not a command, or was registered or destroyed");
}

// ---- lifetime ---------------------------------------------------------------------

static void cmd_free(struct doca_argp_cmd *cmd)
{
    cmd_clear(cmd);
    free(cmd->name);
    free(cmd->description);
    free(cmd);
}

void cmd_clear(struct doca_argp_cmd *cmd)
{
    struct doca_argp_param *param, *next;
    struct doca_argp_cmd *below, *next_below;

    list_for_each_safe (param, next, &cmd->params, link) {
        list_remove(&param->link);
        param_free(param);
    }
    list_for_each_safe (below, next_below, &cmd->cmds, link) {
        list_remove(&below->link);
        cmd_free(below);
    }
}

void cmd_reset(struct doca_argp_cmd *cmd)
{
    struct doca_argp_param *param;
    struct doca_argp_cmd *below;

    list_for_each (param, &cmd->params, link) {
        param->given = false;
    }
    list_for_each (below, &cmd->cmds, link) {
        cmd_reset(below);
    }
}

struct doca_argp_cmd *cmd_named(const struct doca_argp_cmd *cmd, const char *name)
{
    struct doca_argp_cmd *c;
    list_for_each (c, &cmd->cmds, link) {
        if (!strcmp(c->name, name))
            return c;
    }
    return NULL;
}

doca_error_t cmd_create(const char *function, struct doca_argp_cmd **cmd)
{
    if (!cmd)
        return REFUSED_NULL_OF(function, cmd);
    struct doca_argp_cmd *made = calloc(1, sizeof(*made));
    if (!made)
        return report(function, DOCA_ERROR_NO_MEMORY, NULL);
    list_init(&made->params);
    list_init(&made->cmds);
    list_append(&callers, &made->link);
    *cmd = made;
    return DOCA_SUCCESS;
}

static doca_error_t refuse_registered(const char *function)
{
    return report_why(function, DOCA_ERROR_BAD_STATE,
                      "the command was registered, and belongs to the parser");
}

doca_error_t cmd_destroy(const char *function, struct doca_argp_cmd *cmd)
{
    if (was_registered(cmd))
        return refuse_registered(function);
    if (!is_callers(cmd))
        return refuse(function);
    list_remove(&cmd->link);
    cmd_free(cmd);
    return DOCA_SUCCESS;
}

// ---- properties -------------------------------------------------------------------

static bool can_set(const char *function, const struct doca_argp_cmd *cmd, bool given)
{
    if (!is_callers(cmd))
        refuse(function);
    else if (!given)
        report_why(function, DOCA_ERROR_INVALID_VALUE, "the value is NULL: nothing is changed");
    else
        return true;
    return false;
}

static void set_text(struct doca_argp_cmd *cmd, char **field, const char *text)
{
    free(*field);
    *field = strdup(text);
    if (!*field)
        cmd->incomplete = true;
}

void cmd_set_name(const char *function, struct doca_argp_cmd *cmd, const char *name)
{
    if (can_set(function, cmd, name != NULL))
        set_text(cmd, &cmd->name, name);
}

void cmd_set_description(const char *function, struct doca_argp_cmd *cmd, const char *description)
{
    if (can_set(function, cmd, description != NULL))
        set_text(cmd, &cmd->description, description);
}

void cmd_set_callback(const char *function, struct doca_argp_cmd *cmd, argp_config_cb callback)
{
    if (can_set(function, cmd, callback != NULL))
        cmd->callback = callback;
}

void cmd_set_hidden(const char *function, struct doca_argp_cmd *cmd)
{
    if (can_set(function, cmd, true))
        cmd->hidden = true;
}

// ---- registration -----------------------------------------------------------------

doca_error_t cmd_register_param(const char *function, struct doca_argp_cmd *cmd,
                                struct doca_argp_param *param)
{
    if (!cmd || !param)
        return REFUSED_NULL_OF(function, cmd, param);
    if (!is_cmd(cmd))
        return refuse(function);
    if (argp.running)
        return report_why(function, DOCA_ERROR_BAD_STATE, "called from within doca_argp_start()");
    return param_register(function, ARGP_3, cmd, param);
}

static doca_error_t check_complete(const struct doca_argp_cmd *above,
                                   const struct doca_argp_cmd *cmd, struct errtext *err)
{
    if (!argp.name)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "call doca_argp_init() first");
    if (argp.running)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "called from within doca_argp_start()");
    if (cmd->incomplete)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "out of memory");
    if (!cmd->name || !cmd->description)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "the command has no %s: call doca_argp_cmd_set_%s()",
                           cmd->name ? "description" : "name", cmd->name ? "description" : "name");
    if (!*cmd->name || *cmd->name == '-' || strpbrk(cmd->name, " ="))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "\"%s\" is not a valid name: write one word without dashes in front "
                           "and without \"=\"",
                           cmd->name);
    if (cmd_named(above, cmd->name))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "there is a command %s already",
                           cmd->name);
    return DOCA_SUCCESS;
}

doca_error_t cmd_register(const char *function, struct doca_argp_cmd *above, bool to_program,
                          struct doca_argp_cmd *cmd)
{
    struct errtext err;

    if (to_program)
        above = &argp.program;
    if (!above || !cmd)
        return REFUSED_NULL_OF(function, above, cmd);
    if (was_registered(cmd))
        return refuse_registered(function);
    if (!is_callers(cmd) || above == cmd || is_below(&cmd->cmds, above) ||
        (!to_program && !is_cmd(above)))
        return refuse(function);

    list_remove(&cmd->link);
    doca_error_t result = check_complete(above, cmd, &err);
    if (result == DOCA_SUCCESS) {
        cmd->above = above;
        list_append(&above->cmds, &cmd->link);
    } else {
        cmd_free(cmd);
    }
    return report(function, result, &err);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Flags while the program makes them, until they are registered.

#include "argp.h"

#include "core/report.h"

#include <stdlib.h>
#include <string.h>

// Finds a flag that belongs to the program. Every call checks this first, so that a flag
// that was registered or freed is refused instead of touched.
static struct list callers = {&callers, &callers};
static bool by_create; // what param_by_create() returns

bool param_by_create(void)
{
    return by_create;
}

bool param_is_new(const struct doca_argp_param *param)
{
    const struct doca_argp_param *p;
    list_for_each (p, &callers, link) {
        if (p == param)
            return true;
    }
    return false;
}

void param_free(struct doca_argp_param *param)
{
    if (!param)
        return;
    free((char *)param->short_name);
    free((char *)param->long_name);
    free((char *)param->arguments);
    free((char *)param->description);
    free(param);
}

struct doca_argp_param *param_make(void)
{
    struct doca_argp_param *p = calloc(1, sizeof(*p));
    if (p)
        list_append(&callers, &p->link);
    return p;
}

doca_error_t doca_argp_param_create(struct doca_argp_param **param)
{
    if (!param)
        return report(__func__, DOCA_ERROR_INVALID_VALUE, NULL);
    struct doca_argp_param *p = param_make();
    if (!p)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    by_create = true;
    *param = p;
    return DOCA_SUCCESS;
}

static doca_error_t refuse(const char *function, enum argp_interface interface,
                           const struct doca_argp_param *param)
{
    if (interface == ARGP_3 && cmds_have_param(param))
        return report_why(function, DOCA_ERROR_BAD_STATE,
                          "the flag was registered, and belongs to the parser");
    return report_why(function, DOCA_ERROR_INVALID_VALUE,
                      "param is not a flag, or was registered or destroyed");
}

doca_error_t doca_argp_param_destroy(struct doca_argp_param *param)
{
    if (!param_is_new(param))
        return refuse(__func__, argp.interface, param);
    list_remove(&param->link);
    param_free(param);
    return DOCA_SUCCESS;
}

// ---- properties ------------------------------------------------------------------

// Returns whether the program may still change it; reports if not.
static bool can_set(const struct doca_argp_param *param, bool value_ok, const char *function)
{
    struct errtext err;
    if (!param_is_new(param))
        errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                    "param is not a flag, or was registered or destroyed: nothing is changed");
    else if (!value_ok)
        errtext_set(&err, DOCA_ERROR_INVALID_VALUE, "the value is not valid: nothing is changed");
    else
        return true;
    report(function, DOCA_ERROR_INVALID_VALUE, &err);
    return false;
}

void param_set_text(struct doca_argp_param *param, const char **field, const char *text)
{
    if (!text)
        return;
    free((char *)*field);
    *field = strdup(text);
    if (!*field)
        param->incomplete = true;
}

void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name)
{
    if (can_set(param, name != NULL, __func__))
        param_set_text(param, &param->short_name, name);
}

void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name)
{
    if (can_set(param, name != NULL, __func__))
        param_set_text(param, &param->long_name, name);
}

void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments)
{
    if (can_set(param, arguments != NULL, __func__))
        param_set_text(param, &param->arguments, arguments);
}

void doca_argp_param_set_description(struct doca_argp_param *param, const char *description)
{
    if (can_set(param, description != NULL, __func__))
        param_set_text(param, &param->description, description);
}

void param_set_callback(struct doca_argp_param *param, argp_value_cb callback, bool config_first)
{
    if (!can_set(param, callback != NULL, "doca_argp_param_set_callback"))
        return;
    param->callback = callback;
    param->config_first = config_first;
}

void doca_argp_param_set_callback(struct doca_argp_param *param, callback_func callback)
{
    param_set_callback(param, callback, false);
}

void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
{
    int last = argp.interface == ARGP_3 ? ARGP_TYPE_DOUBLE : (int)DOCA_ARGP_TYPE_JSON_OBJ;
    bool known = (int)type > DOCA_ARGP_TYPE_UNKNOWN && (int)type <= last;
    if (can_set(param, known, __func__))
        param->type = type;
}

void doca_argp_param_set_mandatory(struct doca_argp_param *param)
{
    if (can_set(param, true, __func__))
        param->mandatory = true;
}

void doca_argp_param_set_cli_only(struct doca_argp_param *param)
{
    if (can_set(param, true, __func__))
        param->cli_only = true;
}

void doca_argp_param_set_multiplicity(struct doca_argp_param *param)
{
    if (can_set(param, true, __func__))
        param->multiplicity = true;
}

void param_set_option(const char *function, struct doca_argp_param *param, enum param_option option)
{
    if (!can_set(param, true, function))
        return;
    switch (option) {
    case PARAM_SINGULAR:
        param->singular = true;
        break;
    case PARAM_INHERITED:
        param->inherited = true;
        break;
    case PARAM_HIDDEN:
        param->hidden = true;
        break;
    }
}

// ---- registration ------------------------------------------------------------------

static doca_error_t check_complete(const struct doca_argp_param *p, struct errtext *err)
{
    const char *lacks = NULL;

    if (p->incomplete)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "out of memory");
    if (!p->short_name && !p->long_name)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "the flag has no name: set a short or a long one");
    if (!p->description)
        lacks = "description";
    else if (!p->callback)
        lacks = "callback";
    else if (!p->type)
        lacks = "type";
    if (lacks)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "flag %s has no %s: call doca_argp_param_set_%s()", FLAG_NAME(p), lacks,
                           lacks);
    if (p->type == DOCA_ARGP_TYPE_JSON_OBJ && !p->long_name && argp.interface != ARGP_3)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "flag %s has no long name, which a file needs", FLAG_NAME(p));
    return DOCA_SUCCESS;
}

static doca_error_t check_names(const struct doca_argp_cmd *cmd, const struct doca_argp_param *p,
                                struct errtext *err)
{
    const char *names[] = {p->short_name, p->long_name};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (names[i] && (!*names[i] || *names[i] == '-' || strchr(names[i], '=')))
            return errtext_set(
                err, DOCA_ERROR_INVALID_VALUE,
                "\"%s\" is not a valid name: write it without dashes and without \"=\"", names[i]);
    if (p->short_name && strchr(p->short_name, ' '))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "short name \"%s\" has a space",
                           p->short_name);
    if (p->short_name && cmd_flag_by_short(cmd, p->short_name))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "there is a flag -%s already",
                           p->short_name);
    if (p->long_name && cmd_flag_by_long(cmd, p->long_name))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "there is a flag --%s already",
                           p->long_name);
    return DOCA_SUCCESS;
}

doca_error_t param_register(const char *function, enum argp_interface interface,
                            struct doca_argp_cmd *cmd, struct doca_argp_param *input_param)
{
    struct errtext err;
    doca_error_t early = interface == ARGP_3 ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_INITIALIZATION;
    if (!param_is_new(input_param))
        return refuse(function, interface, input_param);

    list_remove(&input_param->link);
    doca_error_t result = argp.name ? check_complete(input_param, &err)
                                    : errtext_set(&err, early, "call doca_argp_init() first");
    if (result == DOCA_SUCCESS)
        result = check_names(cmd, input_param, &err);
    if (result == DOCA_SUCCESS)
        list_append(&cmd->params, &input_param->link);
    else
        param_free(input_param);
    return report(function, result, &err);
}

doca_error_t doca_argp_register_param(struct doca_argp_param *input_param)
{
    return param_register(__func__, ARGP_2_2, &argp.program, input_param);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A start from beginning to end.

#include "argp.h"

#include "core/report.h"
#include "log/error_text.h"
#include "log/log.h"

#include <stdlib.h>
#include <string.h>

static void reset_last_start(void)
{
    argp.current = &argp.program;
    cmd_reset(&argp.program);
    for (enum builtin b = 0; b < BUILTINS; b++)
        builtins[b].given = false;
    argp.log_level = argp.sdk_log_level = 0;
    free(steal_ptr(argp.grpc_address));
    words_clear(&argp.dpdk_words);
}

static doca_error_t check_arguments(int argc, char **argv, struct errtext *err)
{
    bool ok = argc >= 1 && argv;
    for (int i = 0; ok && i < argc; i++)
        ok = argv[i] != NULL;
    return ok ? DOCA_SUCCESS
              : errtext_set(err, DOCA_ERROR_INVALID_VALUE, "argc and argv are not those of main()");
}

// ---- mandatory flags ---------------------------------------------------------------

static void name_missing(const struct doca_argp_param *param, char *names, size_t size)
{
    if (!param->mandatory || param->given)
        return;
    size_t length = strlen(names);
    snprintf(names + length, size - length, "%s%s", length ? ", " : "", FLAG_NAME(param));
}

static doca_error_t check_mandatory(struct errtext *err)
{
    char missing[200] = "";
    if (argp.grpc)
        name_missing(&builtins[BUILTIN_GRPC], missing, sizeof(missing));
    for (const struct doca_argp_cmd *cmd = argp.current; cmd; cmd = cmd->above) {
        const struct doca_argp_param *param;
        list_for_each (param, &cmd->params, link) {
            name_missing(param, missing, sizeof(missing));
        }
    }
    if (!*missing)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "missing: %s%s", missing,
                       strchr(missing, ',') ? " are mandatory" : " is mandatory");
}

// A singular flag must be the only one, and then no flag is mandatory.
static doca_error_t check_alone(bool *alone, struct errtext *err)
{
    const struct doca_argp_param *singular = NULL;
    unsigned given = 0;

    for (const struct doca_argp_cmd *cmd = argp.current; cmd; cmd = cmd->above) {
        const struct doca_argp_param *param;
        list_for_each (param, &cmd->params, link) {
            given += param->given;
            if (param->given && param->singular)
                singular = param;
        }
    }
    *alone = singular;
    if (singular && given > 1)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%s must stand alone: leave the other flags out", FLAG_NAME(singular));
    return DOCA_SUCCESS;
}

// ---- callbacks ---------------------------------------------------------------------

static void *value_pointer(struct value *value)
{
    switch (value->param->type) {
    case DOCA_ARGP_TYPE_STRING:
        return value->string;
    case DOCA_ARGP_TYPE_INT:
        return &value->number;
    case DOCA_ARGP_TYPE_BOOLEAN:
        return &value->yes;
    case ARGP_TYPE_DOUBLE:
        return &value->real;
    default:
        return value_is_device(value) ? (void *)&value->device : (void *)value->json;
    }
}

static doca_error_t run_callback(struct value *value)
{
    void *pointer = value_pointer(value);
    value->own_device = value->own_rep = false; // from here on the program closes them
    if (value->param->no_result) {
        ((argp_plain_cb)(void (*)(void))value->param->callback)(argp.config, pointer);
        return DOCA_SUCCESS;
    }
    return value->param->config_first ? value->param->callback(argp.config, pointer)
                                      : value->param->callback(pointer, argp.config);
}

static doca_error_t run_callbacks(struct list *list)
{
    struct value *value;
    list_for_each (value, list, link) {
        if (!value->param->callback)
            continue;
        doca_error_t result = run_callback(value);
        if (result != DOCA_SUCCESS) {
            argp_print(LOG_HERE, "%s: the program refuses %s: %s", argp.name,
                       FLAG_NAME(value->param), error_description(result));
            return result;
        }
    }
    return DOCA_SUCCESS;
}

// Calls the callbacks of commands, from the outermost one on.
static doca_error_t run_commands(const struct doca_argp_cmd *cmd)
{
    if (!cmd->above)
        return DOCA_SUCCESS;
    doca_error_t result = run_commands(cmd->above);
    if (result == DOCA_SUCCESS && cmd->callback) {
        result = cmd->callback(argp.config);
        if (result != DOCA_SUCCESS)
            argp_print(LOG_HERE, "%s: the program refuses the command %s: %s", argp.name, cmd->name,
                       error_description(result));
    }
    return result;
}

static doca_error_t run_dpdk(char *program)
{
    struct words *words = &argp.dpdk_words;
    char *only_name[] = {program, NULL};

    if (!argp.dpdk)
        return DOCA_SUCCESS;
    if (words->list)
        words->list[0] = program;
    return argp.dpdk(words->count + 1, words->list ? words->list : only_name);
}

// ---- start -------------------------------------------------------------------------

static doca_error_t take_general(const struct values *values)
{
    if (values->grpc_address) {
        argp.grpc_address = strdup(values->grpc_address);
        if (!argp.grpc_address)
            return DOCA_ERROR_NO_MEMORY;
    }
    argp.log_level = values->log_level;
    argp.sdk_log_level = values->sdk_log_level;
    if (argp.log_level)
        log_limit_set_all(LOG_TAKES_PROGRAM, LOG_MILDEST, argp.log_level);
    if (argp.sdk_log_level)
        log_limit_set_all(LOG_TAKES_OWN, LOG_MILDEST, argp.sdk_log_level);
    return DOCA_SUCCESS;
}

// Parses and checks. Sets *usage if the command line is wrong, so that help is useful.
static doca_error_t collect(int argc, char **argv, struct values *values, bool *ended, bool *usage,
                            struct errtext *err)
{
    doca_error_t result = check_arguments(argc, argv, err);
    if (result != DOCA_SUCCESS)
        return result;
    result = cli_parse(argc, argv, values, ended, err);
    *usage = !*ended && result != DOCA_SUCCESS && result != DOCA_ERROR_NO_MEMORY;
    if (result == DOCA_SUCCESS && values->file)
        result = json_parse(values, err);
    if (result != DOCA_SUCCESS)
        return result;
    bool alone = false;
    result = check_alone(&alone, err);
    if (result == DOCA_SUCCESS && !alone)
        result = check_mandatory(err);
    *usage = result != DOCA_SUCCESS;
    return result;
}

static doca_error_t open_all(struct values *values)
{
    struct errtext err;
    doca_error_t result = devices_open(values, &err);
    if (result != DOCA_SUCCESS)
        argp_print(errtext_place(&err), "%s: %s", argp.name, err.s);
    return result;
}

static doca_error_t run(char *program, struct values *values)
{
    doca_error_t result = take_general(values);
    if (result == DOCA_SUCCESS)
        result = open_all(values);
    if (result == DOCA_SUCCESS)
        result = run_dpdk(program);
    if (result == DOCA_SUCCESS)
        result = run_callbacks(&values->from_file);
    if (result == DOCA_SUCCESS)
        result = run_callbacks(&values->from_line);
    if (result == DOCA_SUCCESS)
        result = run_commands(argp.current);
    if (result != DOCA_SUCCESS || !argp.validation)
        return result;
    if (!argp.no_results)
        return argp.validation(argp.config);
    ((argp_plain_cb)(void (*)(void))argp.validation)(argp.config, NULL);
    return DOCA_SUCCESS;
}

static doca_error_t start(int argc, char **argv)
{
    cleanup_values struct values values;
    struct errtext err = {.s = ""};
    bool ended = false, usage = false;

    values_init(&values);
    reset_last_start();
    doca_error_t result = collect(argc, argv, &values, &ended, &usage, &err);
    if (result == DOCA_SUCCESS)
        return run(argv[0], &values);

    if (usage)
        help_print(stderr);
    if (!ended)
        argp_print(errtext_place(&err), "%s: %s", argp.name, err.s);
    return result;
}

doca_error_t argp_start(const char *function, enum argp_interface interface, int argc, char **argv)
{
    struct errtext err;
    if (!argv)
        return REFUSED_NULL_OF(function, argv);
    if (!argp.name)
        return argp_need_init(function, interface, DOCA_ERROR_INITIALIZATION);
    if (argp.running)
        return report(
            function,
            errtext_set(&err,
                        interface == ARGP_3 ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_INITIALIZATION,
                        "called from within itself"),
            &err);
    argp.running = true;
    doca_error_t result = start(argc, argv);
    argp.running = false;
    argp.current = &argp.program;
    return result;
}

doca_error_t doca_argp_start(int argc, char **argv)
{
    return argp_start(__func__, ARGP_2_2, argc, argv);
}

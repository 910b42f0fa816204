// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The parser's beginning and end, the settings besides flags, and the queries.

#include "argp.h"

#include "core/report.h"

#include <doca_log.h>

#include <stdlib.h>
#include <string.h>

static doca_error_t need_init(doca_error_t code, const char *function)
{
    struct errtext err;
    return report(function, errtext_set(&err, code, "call doca_argp_init() first"), &err);
}

doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
    struct errtext err;

    if (argp.name)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                                  "called before for %s: call doca_argp_destroy() first",
                                  argp.name),
                      &err);
    if (!program_name || !*program_name)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_INVALID_VALUE, "program_name is NULL or empty"),
                      &err);
    argp.name = strdup(program_name);
    if (!argp.name)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    argp.config = program_config;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_destroy(void)
{
    struct errtext err;
    if (argp.running)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_IN_USE, "called from within doca_argp_start()"),
                      &err);

    struct doca_argp_param *param, *next;
    list_for_each_safe (param, next, &argp.params, link) {
        list_remove(&param->link);
        param_free(param);
    }
    free(argp.name);
    free(argp.grpc_address);
    words_clear(&argp.dpdk_words);
    argp = (struct argp){.params = {&argp.params, &argp.params}};
    return DOCA_SUCCESS;
}

void doca_argp_usage(void)
{
    if (!argp.name) {
        need_init(DOCA_ERROR_INITIALIZATION, __func__);
        return;
    }
    help_print(stdout);
    exit(EXIT_SUCCESS);
}

doca_error_t set_version_callback(callback_func callback, bool config_first)
{
    static const char function[] = "doca_argp_register_version_callback";

    if (!argp.name)
        return need_init(DOCA_ERROR_INVALID_VALUE, function);
    if (!callback)
        return report(function, DOCA_ERROR_INVALID_VALUE, NULL);
    argp.version = callback;
    argp.version_config_first = config_first;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_version_callback(callback_func callback)
{
    return set_version_callback(callback, false);
}

doca_error_t doca_argp_register_validation_callback(validation_callback callback)
{
    if (!argp.name)
        return need_init(DOCA_ERROR_INVALID_VALUE, __func__);
    if (!callback)
        return report(__func__, DOCA_ERROR_INVALID_VALUE, NULL);
    argp.validation = callback;
    return DOCA_SUCCESS;
}

void doca_argp_set_dpdk_program(dpdk_callback callback)
{
    if (!argp.name)
        need_init(DOCA_ERROR_INITIALIZATION, __func__);
    else if (!callback)
        report(__func__, DOCA_ERROR_INVALID_VALUE, NULL);
    else
        argp.dpdk = callback;
}

void doca_argp_set_grpc_program(void)
{
    if (!argp.name)
        need_init(DOCA_ERROR_INITIALIZATION, __func__);
    else
        argp.grpc = true;
}

doca_error_t doca_argp_get_grpc_addr(const char **address)
{
    struct errtext err;
    if (!argp.name)
        return need_init(DOCA_ERROR_INVALID_VALUE, __func__);
    if (!address)
        return report(__func__, DOCA_ERROR_INVALID_VALUE, NULL);
    if (!argp.grpc_address)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                                  "no address was given: doca_argp_set_grpc_program() and "
                                  "doca_argp_start() must come first"),
                      &err);
    *address = argp.grpc_address;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_log_level(int *log_level)
{
    if (!argp.name)
        return need_init(DOCA_ERROR_INVALID_VALUE, __func__);
    if (!log_level)
        return report(__func__, DOCA_ERROR_INVALID_VALUE, NULL);
    *log_level = argp.log_level ? argp.log_level : (int)doca_log_global_level_get();
    return DOCA_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The parser's beginning and end, the settings besides flags, and the queries.

#include "argp.h"

#include "core/report.h"
#include "log/log.h"

#include <doca_log.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

doca_error_t argp_need_init(const char *function, enum argp_interface interface, doca_error_t old)
{
    struct errtext err;
    doca_error_t code = interface == ARGP_3 ? DOCA_ERROR_BAD_STATE : old;
    return report(function, errtext_set(&err, code, "call doca_argp_init() first"), &err);
}

static doca_error_t need_init(doca_error_t code, const char *function)
{
    return argp_need_init(function, ARGP_2_2, code);
}

doca_error_t argp_init(const char *function, enum argp_interface interface, const char *name,
                       void *config)
{
    struct errtext err;

    if (argp.name)
        return report(
            function,
            errtext_set(&err, interface == ARGP_3 ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_INVALID_VALUE,
                        "called before for %s: call doca_argp_destroy() first", argp.name),
            &err);
    if (!name && interface == ARGP_3)
        name = program_invocation_short_name;
    if (!name || !*name)
        return report(function,
                      errtext_set(&err, DOCA_ERROR_INVALID_VALUE, "program_name is NULL or empty"),
                      &err);
    argp.name = strdup(name);
    if (!argp.name)
        return report(function, DOCA_ERROR_NO_MEMORY, NULL);
    argp.config = config;
    argp.interface = interface;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
    return argp_init(__func__, ARGP_2_2, program_name, program_config);
}

doca_error_t argp_destroy(const char *function, enum argp_interface interface)
{
    struct errtext err;
    if (argp.running)
        return report(function,
                      errtext_set(&err,
                                  interface == ARGP_3 ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_IN_USE,
                                  "called from within doca_argp_start()"),
                      &err);

    cmd_clear(&argp.program);
    free(argp.name);
    free(argp.grpc_address);
    words_clear(&argp.dpdk_words);
    argp_reset();
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_destroy(void)
{
    return argp_destroy(__func__, ARGP_2_2);
}

void argp_print(struct log_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (argp.logger) {
        argp.logger(DOCA_LOG_LEVEL_ERROR, format, args);
    } else {
        char text[sizeof(struct errtext) + 256];
        vsnprintf(text, sizeof(text), format, args);
        log_own(DOCA_LOG_LEVEL_ERROR, place, "%s", text);
    }
    va_end(args);
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

doca_error_t argp_set_version(const char *function, enum argp_interface interface,
                              argp_value_cb callback, bool config_first)
{
    if (!callback)
        return report(function, DOCA_ERROR_INVALID_VALUE, NULL);
    if (!argp.name)
        return argp_need_init(function, interface, DOCA_ERROR_INVALID_VALUE);
    argp.version = callback;
    argp.version_config_first = config_first;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_version_callback(callback_func callback)
{
    return argp_set_version(__func__, ARGP_2_2, callback, false);
}

doca_error_t argp_set_validation(const char *function, enum argp_interface interface,
                                 argp_config_cb callback)
{
    if (!callback)
        return report(function, DOCA_ERROR_INVALID_VALUE, NULL);
    if (!argp.name)
        return argp_need_init(function, interface, DOCA_ERROR_INVALID_VALUE);
    argp.validation = callback;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_validation_callback(validation_callback callback)
{
    return argp_set_validation(__func__, ARGP_2_2, callback);
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

int argp_sdk_log_level(void)
{
    return argp.sdk_log_level ? argp.sdk_log_level
                              : (int)log_limit_of_all(LOG_TAKES_OWN, LOG_MILDEST);
}

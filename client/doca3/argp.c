// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The argument parser of DOCA 3: codes of its own, commands, and more properties of flags.

#include "argp/argp.h"
#include "core/report.h"

_Static_assert((int)DOCA_ARGP_TYPE_DEVICE == (int)ARGP_TYPE_DEVICE &&
                   (int)DOCA_ARGP_TYPE_DEVICE_REP == (int)ARGP_TYPE_DEVICE_REP &&
                   (int)DOCA_ARGP_TYPE_DOUBLE == (int)ARGP_TYPE_DOUBLE,
               "the same numbers");
_Static_assert(sizeof(struct doca_argp_device_rep_ctx) == sizeof(struct argp_device_rep) &&
                   offsetof(struct doca_argp_device_rep_ctx, dev_rep) ==
                       offsetof(struct argp_device_rep, rep) &&
                   offsetof(struct doca_argp_device_ctx, devargs) ==
                       offsetof(struct argp_device, arguments),
               "callbacks get these");

// ---- the parser -----------------------------------------------------------------------

doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
    return argp_init(__func__, ARGP_3, program_name, program_config);
}

doca_error_t doca_argp_destroy(void)
{
    if (!argp.name)
        return argp_need_init(__func__, ARGP_3, DOCA_ERROR_BAD_STATE);
    return argp_destroy(__func__, ARGP_3);
}

doca_error_t doca_argp_start(int argc, char **argv)
{
    return argp_start(__func__, ARGP_3, argc, argv);
}

doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback)
{
    return argp_set_version(__func__, ARGP_3, callback, false);
}

doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
{
    return argp_set_validation(__func__, ARGP_3, callback);
}

doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback)
{
    if (!callback)
        return REFUSED_NULL(callback);
    if (!argp.name)
        return argp_need_init(__func__, ARGP_3, DOCA_ERROR_BAD_STATE);
    if (argp.logger)
        return report_why(
            __func__, DOCA_ERROR_ALREADY_EXIST,
            "there is such a function: call doca_argp_disable_logger_callback() first");
    argp.logger = callback;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_logger_callback(void)
{
    if (!argp.name)
        return argp_need_init(__func__, ARGP_3, DOCA_ERROR_BAD_STATE);
    if (!argp.logger)
        return report_why(__func__, DOCA_ERROR_BAD_STATE, "no logger callback is registered");
    argp.logger = NULL;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback, void *usr_ctx)
{
    if (!callback)
        return REFUSED_NULL(callback);
    if (!argp.name)
        return argp_need_init(__func__, ARGP_3, DOCA_ERROR_BAD_STATE);
    argp.open_device = callback;
    argp.open_context = usr_ctx;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_pedantic_config_parsing(void)
{
    if (!argp.name)
        return argp_need_init(__func__, ARGP_3, DOCA_ERROR_BAD_STATE);
    argp.lenient = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_sdk_log_level(int *log_level)
{
    if (!argp.name)
        return argp_need_init(__func__, ARGP_2_2, DOCA_ERROR_INVALID_VALUE);
    if (!log_level)
        return REFUSED_NULL(log_level);
    *log_level = argp_sdk_log_level();
    return DOCA_SUCCESS;
}

// ---- flags ----------------------------------------------------------------------------

doca_error_t doca_argp_register_param(struct doca_argp_param *input_param)
{
    return param_register(__func__, ARGP_3, &argp.program, input_param);
}

void doca_argp_param_set_singular(struct doca_argp_param *param)
{
    param_set_option(__func__, param, PARAM_SINGULAR);
}

void doca_argp_param_set_inherited(struct doca_argp_param *param)
{
    param_set_option(__func__, param, PARAM_INHERITED);
}

void doca_argp_param_set_hidden(struct doca_argp_param *param)
{
    param_set_option(__func__, param, PARAM_HIDDEN);
}

// ---- commands -------------------------------------------------------------------------

doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd)
{
    return cmd_create(__func__, cmd);
}

doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd)
{
    return cmd_destroy(__func__, cmd);
}

void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name)
{
    cmd_set_name(__func__, cmd, name);
}

void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description)
{
    cmd_set_description(__func__, cmd, description);
}

void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback)
{
    cmd_set_callback(__func__, cmd, callback);
}

void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd)
{
    cmd_set_hidden(__func__, cmd);
}

doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
                                          struct doca_argp_param *input_param)
{
    return cmd_register_param(__func__, cmd, input_param);
}

doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd)
{
    return cmd_register(__func__, cmd, false, input_cmd);
}

doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd)
{
    return cmd_register(__func__, NULL, true, input_cmd);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Callbacks of the 1.3 interface, which take the configuration as their first argument.

#include "argp/argp.h"
#include "compat13/compat13.h"

void doca_1_3_argp_param_set_callback(struct doca_argp_param *param, callback_func callback)
{
    param_set_callback(param, callback, true);
}

doca_error_t doca_1_3_argp_register_version_callback(callback_func callback)
{
    return argp_set_version("doca_argp_register_version_callback", ARGP_2_2, callback, true);
}

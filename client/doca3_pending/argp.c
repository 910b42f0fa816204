// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_argp.h of DOCA 3 has and the library does not do yet: whoever implements a function
// deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_argp_register_cmd)
PENDING(doca_argp_register_logger_callback)
PENDING(doca_argp_disable_logger_callback)
PENDING_VALUE(doca_argp_param_set_singular)
PENDING_VALUE(doca_argp_param_set_inherited)
PENDING_VALUE(doca_argp_param_set_hidden)
PENDING(doca_argp_cmd_create)
PENDING_VALUE(doca_argp_cmd_set_name)
PENDING_VALUE(doca_argp_cmd_set_description)
PENDING_VALUE(doca_argp_cmd_set_callback)
PENDING_VALUE(doca_argp_cmd_set_hidden)
PENDING(doca_argp_cmd_register_param)
PENDING(doca_argp_cmd_register_cmd)
PENDING(doca_argp_cmd_destroy)
PENDING(doca_argp_get_sdk_log_level)

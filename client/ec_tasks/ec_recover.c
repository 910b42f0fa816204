// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The recover task: the missing blocks.

#define EC_NAME(rest)    EC_NAME_OF(rest)
#define EC_NAME_OF(rest) doca_ec_task_recover_##rest
#define EC_TASK          struct doca_ec_task_recover
#define EC_TYPE          EC_RECOVER_DATA
#define EC_SET_MATRIX    set_recover_matrix
#define EC_GET_MATRIX    get_recover_matrix
#define EC_SET_SRC       set_available_blocks
#define EC_GET_SRC       get_available_blocks
#define EC_SET_DST       set_recovered_data_blocks
#define EC_GET_DST       get_recovered_data
#include "ec_functions.h"

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The create task: redundancy blocks of data blocks.

#define EC_NAME(rest)    EC_NAME_OF(rest)
#define EC_NAME_OF(rest) doca_ec_task_create_##rest
#define EC_TASK          struct doca_ec_task_create
#define EC_TYPE          EC_CREATE_RDNC
#define EC_SET_MATRIX    set_coding_matrix
#define EC_GET_MATRIX    get_coding_matrix
#define EC_SET_SRC       set_original_data_blocks
#define EC_GET_SRC       get_original_data_blocks
#define EC_SET_DST       set_rdnc_blocks
#define EC_GET_DST       get_rdnc_blocks
#include "ec_functions.h"

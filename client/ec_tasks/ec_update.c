// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The update task: redundancy blocks after some data blocks have changed.

#define EC_NAME(rest)    EC_NAME_OF(rest)
#define EC_NAME_OF(rest) doca_ec_task_update_##rest
#define EC_TASK          struct doca_ec_task_update
#define EC_TYPE          EC_UPDATE_RDNC
#define EC_SET_MATRIX    set_update_matrix
#define EC_GET_MATRIX    get_update_matrix
#define EC_SET_SRC       set_original_updated_and_rdnc_blocks
#define EC_GET_SRC       get_original_updated_and_rdnc_blocks
#define EC_SET_DST       set_updated_rdnc_blocks
#define EC_GET_DST       get_updated_rdnc_blocks
#include "ec_functions.h"

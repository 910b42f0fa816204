// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The galois_mul task: any matrix times any blocks.

#define EC_NAME(rest)    EC_NAME_OF(rest)
#define EC_NAME_OF(rest) doca_ec_task_galois_mul_##rest
#define EC_TASK          struct doca_ec_task_galois_mul
#define EC_TYPE          EC_GALOIS_MUL
#define EC_SET_MATRIX    set_coding_matrix
#define EC_GET_MATRIX    get_coding_matrix
#define EC_SET_SRC       set_src_buf
#define EC_GET_SRC       get_src_buf
#define EC_SET_DST       set_dst_buf
#define EC_GET_DST       get_dst_buf
#include "ec_functions.h"

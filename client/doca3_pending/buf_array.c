// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_buf_array.h of DOCA 3 has and the library does not do yet: whoever implements a
// function deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_3_buf_arr_create)
PENDING(doca_3_buf_arr_set_params)

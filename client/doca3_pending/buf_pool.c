// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_buf_pool.h of DOCA 3 has and the library does not do yet: whoever implements a function
// deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_buf_pool_create)
PENDING(doca_buf_pool_destroy)
PENDING(doca_buf_pool_start)
PENDING(doca_buf_pool_stop)
PENDING(doca_buf_pool_buf_alloc)
PENDING(doca_buf_pool_set_user_data)
PENDING(doca_buf_pool_set_element_alignment)
PENDING(doca_buf_pool_get_num_elements)
PENDING(doca_buf_pool_get_num_free_elements)
PENDING(doca_buf_pool_get_user_data)
PENDING(doca_buf_pool_get_element_alignment)

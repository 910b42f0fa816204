// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_buf.h of DOCA 3 has and the library does not do yet: whoever implements a function
// deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_buf_inc_refcount)
PENDING(doca_buf_dec_refcount)
PENDING(doca_buf_set_data_len)
PENDING(doca_buf_get_next_in_list)
PENDING(doca_buf_get_last_in_list)
PENDING(doca_buf_is_last_in_list)
PENDING(doca_buf_is_first_in_list)
PENDING(doca_buf_get_list_len)
PENDING(doca_buf_chain_list)
PENDING(doca_buf_chain_list_tail)
PENDING(doca_buf_unchain_list)

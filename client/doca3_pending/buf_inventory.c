// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_buf_inventory.h of DOCA 3 has and the library does not do yet: whoever implements a
// function deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_3_buf_inventory_create)
PENDING(doca_buf_inventory_buf_get_by_args)
PENDING(doca_buf_inventory_set_user_data)
PENDING(doca_buf_inventory_expand)
PENDING(doca_buf_inventory_buf_reuse_by_addr)
PENDING(doca_buf_inventory_buf_reuse_by_data)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_ctx.h of DOCA 3 has and the library does not do yet: whoever implements a function
// deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_3_ctx_start)
PENDING(doca_3_ctx_stop)
PENDING(doca_ctx_get_num_inflight_tasks)
PENDING(doca_ctx_set_user_data)
PENDING(doca_ctx_get_user_data)
PENDING(doca_ctx_set_state_changed_cb)
PENDING(doca_ctx_get_state)
PENDING_VALUE(doca_ctx_flush_tasks)
PENDING(doca_ctx_set_completion_vector)
PENDING(doca_ctx_cap_get_num_completion_vectors)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_pe.h of DOCA 3 has and the library does not do yet: whoever implements a function
// deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_pe_create)
PENDING(doca_pe_destroy)
PENDING_VALUE(doca_pe_progress)
PENDING(doca_pe_get_notification_handle)
PENDING(doca_pe_clear_notification)
PENDING(doca_pe_request_notification)
PENDING(doca_pe_get_num_inflight_tasks)
PENDING(doca_task_submit)
PENDING(doca_task_submit_ex)
PENDING(doca_task_batch_submit)
PENDING(doca_task_try_submit)
PENDING(doca_task_batch_try_submit)
PENDING_VALUE(doca_task_free)
PENDING_VALUE(doca_task_batch_free)
PENDING(doca_task_get_status)
PENDING(doca_task_batch_get_status)
PENDING_VALUE(doca_task_set_user_data)
PENDING_VALUE(doca_task_batch_set_user_data)
PENDING_VALUE(doca_task_get_user_data)
PENDING_VALUE(doca_task_batch_get_user_data)
PENDING_VALUE(doca_task_get_ctx)
PENDING_VALUE(doca_task_batch_get_ctx)
PENDING_VALUE(doca_task_batch_get_ctx_user_data)
PENDING_VALUE(doca_task_batch_get_tasks_num)
PENDING(doca_pe_connect_ctx)
PENDING(doca_pe_set_event_mode)

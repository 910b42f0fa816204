// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_dma.h of DOCA 3 has and the library does not do yet: whoever implements a function
// deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_3_dma_create)
PENDING(doca_3_dma_destroy)
PENDING(doca_dma_cap_task_memcpy_is_supported)
PENDING_VALUE(doca_3_dma_as_ctx)
PENDING(doca_dma_cap_get_max_num_tasks)
PENDING(doca_dma_cap_task_memcpy_get_max_buf_list_len)
PENDING(doca_dma_cap_task_memcpy_get_max_buf_size)
PENDING(doca_dma_task_memcpy_set_conf)
PENDING(doca_dma_task_memcpy_alloc_init)
PENDING_VALUE(doca_dma_task_memcpy_as_task)
PENDING_VALUE(doca_dma_task_memcpy_set_src)
PENDING_VALUE(doca_dma_task_memcpy_get_src)
PENDING_VALUE(doca_dma_task_memcpy_set_dst)
PENDING_VALUE(doca_dma_task_memcpy_get_dst)
PENDING(doca_dma_set_ordered_completions)
PENDING(doca_dma_get_ordered_completions)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_mmap_advise.h of DOCA 3 has and the library does not do yet: whoever implements a
// function deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_mmap_advise_create)
PENDING(doca_mmap_advise_destroy)
PENDING_VALUE(doca_mmap_advise_as_ctx)
PENDING(doca_mmap_advise_cap_task_cache_invalidate_is_supported)
PENDING(doca_mmap_advise_task_cache_invalidate_get_max_buf_size)
PENDING(doca_mmap_advise_task_invalidate_cache_set_conf)
PENDING(doca_mmap_advise_task_invalidate_cache_alloc_init)
PENDING_VALUE(doca_mmap_advise_task_invalidate_cache_as_doca_task)
PENDING_VALUE(doca_mmap_advise_task_invalidate_cache_set_buf)
PENDING_VALUE(doca_mmap_advise_task_invalidate_cache_get_buf)

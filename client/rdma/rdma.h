// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An RDMA instance of DOCA 2.2: a context with one end, and one work queue.

#ifndef CLIENT_RDMA_RDMA_H
#define CLIENT_RDMA_RDMA_H

#include "rdma_end.h"
#include "work/ctx.h"

#include <doca_rdma.h>

struct doca_rdma {
    struct doca_ctx ctx;
    struct rdma_end end;
    struct rdma_receives receives;
};

static inline bool rdma_type_known(int type)
{
    return type >= DOCA_RDMA_JOB_RECV && type <= DOCA_RDMA_JOB_ATOMIC_FETCH_ADD;
}

// ---- job.c: jobs when they are submitted, and their results ------------------------------------

doca_error_t rdma_prepare(struct work_item *item, const void *submitted);
// Executes it, in shared memory.
enum work_status rdma_run(struct work_item *item);
void rdma_finish(const struct work_item *item, union doca_data *result);

#endif

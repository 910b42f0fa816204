// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Atomic tasks on a word of the other side.

#include "rdma_task.h"

RDMA_TASK_COMMON(atomic_cmp_swp, RDMA_JOB_ATOMIC_CMP_SWP)
RDMA_TASK_COMMON(atomic_fetch_add, RDMA_JOB_ATOMIC_FETCH_ADD)

doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
    struct doca_rdma_task_atomic_cmp_swp **task)
{
    if (__builtin_expect(!rdma || !rdma_connection || !task, 0))
        return REFUSED_NULL(rdma, rdma_connection, task);
    struct rdma_task_fields fields = {.connection = rdma_connection,
                                      .local = result_buf,
                                      .remote = dst_buf,
                                      .operand = swap_data,
                                      .compare = cmp_data};
    return rdma_task_take(__func__, rdma, RDMA_JOB_ATOMIC_CMP_SWP, &fields, user_data,
                          (void **)task);
}

doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_atomic_fetch_add **task)
{
    if (__builtin_expect(!rdma || !rdma_connection || !task, 0))
        return REFUSED_NULL(rdma, rdma_connection, task);
    struct rdma_task_fields fields = {
        .connection = rdma_connection, .local = result_buf, .remote = dst_buf, .operand = add_data};
    return rdma_task_take(__func__, rdma, RDMA_JOB_ATOMIC_FETCH_ADD, &fields, user_data,
                          (void **)task);
}

RDMA_TASK_FIELD(atomic_cmp_swp, dst_buf, struct doca_buf *, remote)
RDMA_TASK_FIELD(atomic_cmp_swp, result_buf, struct doca_buf *, local)
RDMA_TASK_FIELD(atomic_cmp_swp, cmp_data, uint64_t, compare)
RDMA_TASK_FIELD(atomic_cmp_swp, swap_data, uint64_t, operand)
RDMA_TASK_FIELD(atomic_fetch_add, dst_buf, struct doca_buf *, remote)
RDMA_TASK_FIELD(atomic_fetch_add, result_buf, struct doca_buf *, local)
RDMA_TASK_FIELD(atomic_fetch_add, add_data, uint64_t, operand)

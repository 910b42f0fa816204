// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks that send a message.

#include "rdma_task.h"

RDMA_TASK_COMMON(send, RDMA_JOB_SEND)
RDMA_TASK_COMMON(send_imm, RDMA_JOB_SEND_IMM)

doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *rdma_connection,
                                               const struct doca_buf *src_buf,
                                               union doca_data user_data,
                                               struct doca_rdma_task_send **task)
{
    if (__builtin_expect(!rdma || !rdma_connection || !task, 0))
        return REFUSED_NULL(rdma, rdma_connection, task);
    struct rdma_task_fields fields = {.connection = rdma_connection, .local = src_buf};
    return rdma_task_take(__func__, rdma, RDMA_JOB_SEND, &fields, user_data, (void **)task);
}

doca_error_t doca_rdma_task_send_imm_allocate_init(struct doca_rdma *rdma,
                                                   struct doca_rdma_connection *rdma_connection,
                                                   const struct doca_buf *src_buf,
                                                   doca_be32_t immediate_data,
                                                   union doca_data user_data,
                                                   struct doca_rdma_task_send_imm **task)
{
    if (__builtin_expect(!rdma || !rdma_connection || !task, 0))
        return REFUSED_NULL(rdma, rdma_connection, task);
    struct rdma_task_fields fields = {
        .connection = rdma_connection, .local = src_buf, .immediate = immediate_data};
    return rdma_task_take(__func__, rdma, RDMA_JOB_SEND_IMM, &fields, user_data, (void **)task);
}

RDMA_TASK_FIELD(send, src_buf, const struct doca_buf *, local)
RDMA_TASK_FIELD(send_imm, src_buf, const struct doca_buf *, local)
RDMA_TASK_FIELD(send_imm, immediate_data, doca_be32_t, immediate)

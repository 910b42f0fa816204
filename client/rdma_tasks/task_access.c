// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks that read and write memory of the other side.

#include "rdma_task.h"

RDMA_TASK_COMMON(read, RDMA_JOB_READ)
RDMA_TASK_COMMON(write, RDMA_JOB_WRITE)
RDMA_TASK_COMMON(write_imm, RDMA_JOB_WRITE_IMM)

doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *rdma_connection,
                                               const struct doca_buf *src_buf,
                                               struct doca_buf *dst_buf, union doca_data user_data,
                                               struct doca_rdma_task_read **task)
{
    if (__builtin_expect(!rdma || !rdma_connection || !task, 0))
        return REFUSED_NULL(rdma, rdma_connection, task);
    struct rdma_task_fields fields = {
        .connection = rdma_connection, .local = dst_buf, .remote = src_buf};
    return rdma_task_take(__func__, rdma, RDMA_JOB_READ, &fields, user_data, (void **)task);
}

doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
                                                struct doca_rdma_connection *rdma_connection,
                                                const struct doca_buf *src_buf,
                                                struct doca_buf *dst_buf, union doca_data user_data,
                                                struct doca_rdma_task_write **task)
{
    if (__builtin_expect(!rdma || !rdma_connection || !task, 0))
        return REFUSED_NULL(rdma, rdma_connection, task);
    struct rdma_task_fields fields = {
        .connection = rdma_connection, .local = src_buf, .remote = dst_buf};
    return rdma_task_take(__func__, rdma, RDMA_JOB_WRITE, &fields, user_data, (void **)task);
}

doca_error_t doca_rdma_task_write_imm_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    const struct doca_buf *src_buf, struct doca_buf *dst_buf, doca_be32_t immediate_data,
    union doca_data user_data, struct doca_rdma_task_write_imm **task)
{
    if (__builtin_expect(!rdma || !rdma_connection || !task, 0))
        return REFUSED_NULL(rdma, rdma_connection, task);
    struct rdma_task_fields fields = {.connection = rdma_connection,
                                      .local = src_buf,
                                      .remote = dst_buf,
                                      .immediate = immediate_data};
    return rdma_task_take(__func__, rdma, RDMA_JOB_WRITE_IMM, &fields, user_data, (void **)task);
}

RDMA_TASK_FIELD(read, src_buf, const struct doca_buf *, remote)
RDMA_TASK_FIELD(read, dst_buf, struct doca_buf *, local)
RDMA_TASK_FIELD(write, src_buf, const struct doca_buf *, local)
RDMA_TASK_FIELD(write, dst_buf, struct doca_buf *, remote)
RDMA_TASK_FIELD(write_imm, src_buf, const struct doca_buf *, local)
RDMA_TASK_FIELD(write_imm, dst_buf, struct doca_buf *, remote)
RDMA_TASK_FIELD(write_imm, immediate_data, doca_be32_t, immediate)

uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task)
{
    return rdma_task_result_len(__func__, task);
}

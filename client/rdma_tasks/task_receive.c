// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The receive task. It takes the next message of any connection.

#include "rdma_task.h"

RDMA_TASK_BASE(receive, RDMA_JOB_RECV)

doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
                                                  union doca_data user_data,
                                                  struct doca_rdma_task_receive **task)
{
    if (__builtin_expect(!rdma || !task, 0))
        return REFUSED_NULL(rdma, task);
    struct rdma_task_fields fields = {.local = dst_buf};
    return rdma_task_take(__func__, rdma, RDMA_JOB_RECV, &fields, user_data, (void **)task);
}

RDMA_TASK_FIELD(receive, dst_buf, struct doca_buf *, local)

// ---- results -----------------------------------------------------------------------------------

// Returns the job of a task that has succeeded; NULL, and nothing was received, if it has not.
static const struct rdma_job *result_of(const char *function,
                                        const struct doca_rdma_task_receive *task)
{
    if (!task) {
        task_null(function);
        return NULL;
    }
    const struct work_item *item = &((const struct rdma_task *)task)->task.item;
    return item->state < TASK_IN_FLIGHT && item->error == DOCA_SUCCESS ? rdma_task_job(task) : NULL;
}

enum doca_rdma_opcode
doca_rdma_task_receive_get_result_opcode(const struct doca_rdma_task_receive *task)
{
    const struct rdma_job *job = result_of(__func__, task);

    return job ? (enum doca_rdma_opcode)job->opcode : DOCA_RDMA_OPCODE_RECV_SEND;
}

uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task)
{
    const struct rdma_job *job = result_of(__func__, task);

    return job ? (uint32_t)job->length : 0;
}

doca_be32_t
doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task)
{
    const struct rdma_job *job = result_of(__func__, task);

    return job ? job->immediate : 0;
}

const struct doca_rdma_connection *
doca_rdma_task_receive_get_result_rdma_connection(const struct doca_rdma_task_receive *task)
{
    if (!task) {
        task_null(__func__);
        return NULL;
    }
    const struct rdma_end *end = rdma_task_job(task)->end; // also of one that has failed there
    return end ? container_of(end, struct doca_rdma_connection, end) : NULL;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks on a sync event of the other side.

#include "rdma_task.h"

RDMA_TASK_COMMON(remote_net_sync_event_get, RDMA_JOB_EVENT_GET)
RDMA_TASK_COMMON(remote_net_sync_event_notify_set, RDMA_JOB_EVENT_SET)
RDMA_TASK_COMMON(remote_net_sync_event_notify_add, RDMA_JOB_EVENT_ADD)

// ---- allocation --------------------------------------------------------------------------------

static doca_error_t take(const char *function, struct doca_rdma *rdma, enum rdma_job_kind kind,
                         const struct rdma_task_fields *fields,
                         const struct doca_sync_event_remote_net *event, union doca_data user_data,
                         void **task)
{
    doca_error_t r = rdma_task_take(function, rdma, kind, fields, user_data, task);

    if (r == DOCA_SUCCESS)
        ((struct rdma_event_task *)*task)->event = (struct doca_sync_event_remote_net *)event;
    return r;
}

doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    const struct doca_sync_event_remote_net *event, struct doca_buf *dst_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_get **task)
{
    struct rdma_task_fields fields = {.connection = rdma_connection, .local = dst_buf};

    if (!rdma || !rdma_connection || !event || !task)
        return REFUSED_NULL(rdma, rdma_connection, event, task);
    return take(__func__, rdma, RDMA_JOB_EVENT_GET, &fields, event, user_data, (void **)task);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    struct doca_sync_event_remote_net *event, const struct doca_buf *src_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_set **task)
{
    struct rdma_task_fields fields = {.connection = rdma_connection, .local = src_buf};

    if (!rdma || !rdma_connection || !event || !task)
        return REFUSED_NULL(rdma, rdma_connection, event, task);
    return take(__func__, rdma, RDMA_JOB_EVENT_SET, &fields, event, user_data, (void **)task);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    struct doca_sync_event_remote_net *event, struct doca_buf *result_buf, uint64_t add_data,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_add **task)
{
    struct rdma_task_fields fields = {
        .connection = rdma_connection, .local = result_buf, .operand = add_data};

    if (!rdma || !rdma_connection || !event || !task)
        return REFUSED_NULL(rdma, rdma_connection, event, task);
    return take(__func__, rdma, RDMA_JOB_EVENT_ADD, &fields, event, user_data, (void **)task);
}

// ---- fields ------------------------------------------------------------------------------------

#define EVENT_FIELD(name, type)                                                                    \
    void doca_rdma_task_##name##_set_sync_event(struct doca_rdma_task_##name *task, type event)    \
    {                                                                                              \
        if (rdma_task_settable(__func__, task))                                                    \
            ((struct rdma_event_task *)task)->event = (struct doca_sync_event_remote_net *)event;  \
    }                                                                                              \
    type doca_rdma_task_##name##_get_sync_event(const struct doca_rdma_task_##name *task)          \
    {                                                                                              \
        return rdma_task_read(__func__, task) ? ((const struct rdma_event_task *)task)->event      \
                                              : NULL;                                              \
    }

EVENT_FIELD(remote_net_sync_event_get, const struct doca_sync_event_remote_net *)
EVENT_FIELD(remote_net_sync_event_notify_set, struct doca_sync_event_remote_net *)
EVENT_FIELD(remote_net_sync_event_notify_add, struct doca_sync_event_remote_net *)
RDMA_TASK_FIELD(remote_net_sync_event_get, dst_buf, struct doca_buf *, local)
RDMA_TASK_FIELD(remote_net_sync_event_notify_set, src_buf, const struct doca_buf *, local)
RDMA_TASK_FIELD(remote_net_sync_event_notify_add, result_buf, struct doca_buf *, local)
RDMA_TASK_FIELD(remote_net_sync_event_notify_add, add_data, uint64_t, operand)

uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_len(
    const struct doca_rdma_task_remote_net_sync_event_get *task)
{
    return rdma_task_result_len(__func__, task);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA without connection objects.

#include "compat25.h"
#include "core/refused.h"
#include "rdma_tasks/single.h"

doca_error_t doca_2_5_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
    return rdma_single_create(dev, rdma);
}

doca_error_t doca_2_5_rdma_export(const struct doca_rdma *rdma, const void **details, size_t *size)
{
    // The exported object is made here, and so belongs to the context, which is const for the
    // program.
    return rdma_single_export((struct doca_rdma *)(uintptr_t)rdma, details, size);
}

doca_error_t doca_2_5_rdma_connect(struct doca_rdma *rdma, const void *details, size_t size)
{
    return rdma_single_connect(rdma, details, size);
}

static doca_error_t not_connected(const char *function, const struct doca_rdma *rdma)
{
    if (!rdma)
        return refused(function, "the RDMA context is NULL");
    return report_why(function, DOCA_ERROR_BAD_STATE,
                      "the RDMA context is not connected; call doca_rdma_export() and "
                      "doca_rdma_connect() first");
}

// The rest of a function that takes a connection since 2.7.
#define WITH_CONNECTION(name, rdma, ...)                                                           \
    struct doca_rdma_connection *connection = rdma_single_connection(rdma);                        \
    if (__builtin_expect(!connection, 0))                                                          \
        return not_connected("doca_rdma_task_" #name "_allocate_init", rdma);                      \
    return doca_rdma_task_##name##_allocate_init(rdma, connection, __VA_ARGS__)

doca_error_t doca_2_5_rdma_task_send_allocate_init(struct doca_rdma *rdma,
                                                   const struct doca_buf *src_buf,
                                                   union doca_data user_data,
                                                   struct doca_rdma_task_send **task)
{
    WITH_CONNECTION(send, rdma, src_buf, user_data, task);
}

doca_error_t doca_2_5_rdma_task_send_imm_allocate_init(struct doca_rdma *rdma,
                                                       const struct doca_buf *src_buf,
                                                       doca_be32_t immediate_data,
                                                       union doca_data user_data,
                                                       struct doca_rdma_task_send_imm **task)
{
    WITH_CONNECTION(send_imm, rdma, src_buf, immediate_data, user_data, task);
}

doca_error_t doca_2_5_rdma_task_read_allocate_init(struct doca_rdma *rdma,
                                                   const struct doca_buf *src_buf,
                                                   struct doca_buf *dst_buf,
                                                   union doca_data user_data,
                                                   struct doca_rdma_task_read **task)
{
    WITH_CONNECTION(read, rdma, src_buf, dst_buf, user_data, task);
}

doca_error_t doca_2_5_rdma_task_write_allocate_init(struct doca_rdma *rdma,
                                                    const struct doca_buf *src_buf,
                                                    struct doca_buf *dst_buf,
                                                    union doca_data user_data,
                                                    struct doca_rdma_task_write **task)
{
    WITH_CONNECTION(write, rdma, src_buf, dst_buf, user_data, task);
}

doca_error_t doca_2_5_rdma_task_write_imm_allocate_init(
    struct doca_rdma *rdma, const struct doca_buf *src_buf, struct doca_buf *dst_buf,
    doca_be32_t immediate_data, union doca_data user_data, struct doca_rdma_task_write_imm **task)
{
    WITH_CONNECTION(write_imm, rdma, src_buf, dst_buf, immediate_data, user_data, task);
}

doca_error_t
doca_2_5_rdma_task_atomic_cmp_swp_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
                                                struct doca_buf *result_buf, uint64_t cmp_data,
                                                uint64_t swap_data, union doca_data user_data,
                                                struct doca_rdma_task_atomic_cmp_swp **task)
{
    WITH_CONNECTION(atomic_cmp_swp, rdma, dst_buf, result_buf, cmp_data, swap_data, user_data,
                    task);
}

doca_error_t doca_2_5_rdma_task_atomic_fetch_add_allocate_init(
    struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task)
{
    WITH_CONNECTION(atomic_fetch_add, rdma, dst_buf, result_buf, add_data, user_data, task);
}

doca_error_t doca_2_5_rdma_task_remote_net_sync_event_get_allocate_init(
    struct doca_rdma *rdma, const struct doca_sync_event_remote_net *event,
    struct doca_buf *dst_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_get **task)
{
    WITH_CONNECTION(remote_net_sync_event_get, rdma, event, dst_buf, user_data, task);
}

doca_error_t doca_2_5_rdma_task_remote_net_sync_event_notify_set_allocate_init(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
    const struct doca_buf *src_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_set **task)
{
    WITH_CONNECTION(remote_net_sync_event_notify_set, rdma, event, src_buf, user_data, task);
}

doca_error_t doca_2_5_rdma_task_remote_net_sync_event_notify_add_allocate_init(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_add **task)
{
    WITH_CONNECTION(remote_net_sync_event_notify_add, rdma, event, result_buf, add_data, user_data,
                    task);
}

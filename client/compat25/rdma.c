// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA without connection objects.

#include "compat25.h"
#include "rdma_tasks/single.h"

doca_error_t doca_2_5_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
    return rdma_single_create(dev, rdma);
}

doca_error_t doca_2_5_rdma_export(const struct doca_rdma *rdma, const void **details, size_t *size)
{
    // What is exported is made here, and so belongs to the context that the program has const.
    return rdma_single_export((struct doca_rdma *)(uintptr_t)rdma, details, size);
}

doca_error_t doca_2_5_rdma_connect(struct doca_rdma *rdma, const void *details, size_t size)
{
    return rdma_single_connect(rdma, details, size);
}

doca_error_t doca_2_5_rdma_task_send_allocate_init(struct doca_rdma *rdma,
                                                   const struct doca_buf *src_buf,
                                                   union doca_data user_data,
                                                   struct doca_rdma_task_send **task)
{
    return doca_rdma_task_send_allocate_init(rdma, rdma_single_connection(rdma), src_buf, user_data,
                                             task);
}

doca_error_t doca_2_5_rdma_task_send_imm_allocate_init(struct doca_rdma *rdma,
                                                       const struct doca_buf *src_buf,
                                                       doca_be32_t immediate_data,
                                                       union doca_data user_data,
                                                       struct doca_rdma_task_send_imm **task)
{
    return doca_rdma_task_send_imm_allocate_init(rdma, rdma_single_connection(rdma), src_buf,
                                                 immediate_data, user_data, task);
}

doca_error_t doca_2_5_rdma_task_read_allocate_init(struct doca_rdma *rdma,
                                                   const struct doca_buf *src_buf,
                                                   struct doca_buf *dst_buf,
                                                   union doca_data user_data,
                                                   struct doca_rdma_task_read **task)
{
    return doca_rdma_task_read_allocate_init(rdma, rdma_single_connection(rdma), src_buf, dst_buf,
                                             user_data, task);
}

doca_error_t doca_2_5_rdma_task_write_allocate_init(struct doca_rdma *rdma,
                                                    const struct doca_buf *src_buf,
                                                    struct doca_buf *dst_buf,
                                                    union doca_data user_data,
                                                    struct doca_rdma_task_write **task)
{
    return doca_rdma_task_write_allocate_init(rdma, rdma_single_connection(rdma), src_buf, dst_buf,
                                              user_data, task);
}

doca_error_t doca_2_5_rdma_task_write_imm_allocate_init(
    struct doca_rdma *rdma, const struct doca_buf *src_buf, struct doca_buf *dst_buf,
    doca_be32_t immediate_data, union doca_data user_data, struct doca_rdma_task_write_imm **task)
{
    return doca_rdma_task_write_imm_allocate_init(rdma, rdma_single_connection(rdma), src_buf,
                                                  dst_buf, immediate_data, user_data, task);
}

doca_error_t
doca_2_5_rdma_task_atomic_cmp_swp_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
                                                struct doca_buf *result_buf, uint64_t cmp_data,
                                                uint64_t swap_data, union doca_data user_data,
                                                struct doca_rdma_task_atomic_cmp_swp **task)
{
    return doca_rdma_task_atomic_cmp_swp_allocate_init(rdma, rdma_single_connection(rdma), dst_buf,
                                                       result_buf, cmp_data, swap_data, user_data,
                                                       task);
}

doca_error_t doca_2_5_rdma_task_atomic_fetch_add_allocate_init(
    struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task)
{
    return doca_rdma_task_atomic_fetch_add_allocate_init(
        rdma, rdma_single_connection(rdma), dst_buf, result_buf, add_data, user_data, task);
}

doca_error_t doca_2_5_rdma_task_remote_net_sync_event_get_allocate_init(
    struct doca_rdma *rdma, const struct doca_sync_event_remote_net *event,
    struct doca_buf *dst_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_get **task)
{
    return doca_rdma_task_remote_net_sync_event_get_allocate_init(
        rdma, rdma_single_connection(rdma), event, dst_buf, user_data, task);
}

doca_error_t doca_2_5_rdma_task_remote_net_sync_event_notify_set_allocate_init(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
    const struct doca_buf *src_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_set **task)
{
    return doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
        rdma, rdma_single_connection(rdma), event, src_buf, user_data, task);
}

doca_error_t doca_2_5_rdma_task_remote_net_sync_event_notify_add_allocate_init(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_add **task)
{
    return doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
        rdma, rdma_single_connection(rdma), event, result_buf, add_data, user_data, task);
}

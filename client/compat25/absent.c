// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What DOCA 2.5 and 2.6 have, and docad does not: handles for the DPA and GPUs, and shared receive
// queues.

#include "compat25.h"

#include "core/report.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define NEVER(name, why, ...)                                                                      \
    doca_error_t doca_2_5_##name(__VA_ARGS__)                                                      \
    {                                                                                              \
        return report_why("doca_" #name, DOCA_ERROR_NOT_SUPPORTED, why);                           \
    }

// ---- the DPA, and GPUs -------------------------------------------------------------------------

#define HARDWARE "there is no such hardware: no DPA, and no GPU"

NEVER(buf_arr_get_dpa_handle, HARDWARE, const struct doca_buf_arr *buf_arr,
      struct doca_dpa_dev_buf_arr **dpa_buf_arr)
NEVER(rdma_get_dpa_handle, HARDWARE, struct doca_rdma *rdma, struct doca_dpa_dev_rdma **dpa_rdma)
NEVER(sync_event_export_to_dpa, HARDWARE, struct doca_sync_event *event, struct doca_dpa *dpa,
      doca_dpa_dev_sync_event_t *handle)
NEVER(sync_event_export_to_gpu, HARDWARE, struct doca_sync_event *event, struct doca_gpu *gpu,
      doca_gpu_dev_sync_event_t **handle)
NEVER(sync_event_remote_net_export_to_dpa, HARDWARE, struct doca_sync_event_remote_net *event,
      struct doca_dpa *dpa, doca_dpa_dev_sync_event_remote_net_t *handle)
NEVER(sync_event_remote_net_export_to_gpu, HARDWARE, struct doca_sync_event_remote_net *event,
      struct doca_gpu *gpu, doca_gpu_dev_sync_event_remote_net_t *handle)

// ---- shared receive queues, which 2.6 alone has ------------------------------------------------

#define QUEUE "only programs on a DPA post receives to a shared receive queue, and there is no DPA"

NEVER(rdma_create_with_srq, QUEUE, struct doca_dev *dev, struct doca_rdma_srq *rdma_srq,
      struct doca_rdma **rdma)
NEVER(rdma_srq_create, QUEUE, struct doca_dev *dev, struct doca_rdma_srq **rdma_srq)
NEVER(rdma_srq_destroy, QUEUE, struct doca_rdma_srq *rdma_srq)
NEVER(rdma_srq_cap_get_max_shared_recv_queue_size, QUEUE, const struct doca_devinfo *devinfo,
      uint32_t *max_shared_recv_queue_size)
NEVER(rdma_srq_cap_task_receive_get_max_dst_buf_list_len, QUEUE, const struct doca_devinfo *devinfo,
      uint32_t *max_buf_list_len)
NEVER(rdma_srq_set_shared_recv_queue_size, QUEUE, struct doca_rdma_srq *rdma_srq,
      uint32_t shared_recv_queue_size)
NEVER(rdma_srq_get_shared_recv_queue_size, QUEUE, const struct doca_rdma_srq *rdma_srq,
      uint32_t *shared_recv_queue_size)
NEVER(rdma_srq_task_receive_set_dst_buf_list_len, QUEUE, struct doca_rdma_srq *rdma_srq,
      uint32_t buf_list_len)
NEVER(rdma_srq_task_receive_get_dst_buf_list_len, QUEUE, const struct doca_rdma_srq *rdma_srq,
      uint32_t *buf_list_len)
NEVER(rdma_srq_set_type, QUEUE, struct doca_rdma_srq *rdma_srq, int srq_type)
NEVER(rdma_srq_get_type, QUEUE, struct doca_rdma_srq *rdma_srq, int *srq_type)
NEVER(rdma_srq_get_dpa_handle, QUEUE, const struct doca_rdma_srq *rdma_srq,
      struct doca_dpa_dev_rdma_srq **dpa_rdma_srq)

struct doca_ctx *doca_2_5_rdma_srq_as_ctx(struct doca_rdma_srq *rdma_srq)
{
    return NULL;
}

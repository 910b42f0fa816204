// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Functions for programs of the DPA or a GPU, and for those that drive a device themselves. There
// is no such hardware, and it is not emulated: they and their capabilities always return
// DOCA_ERROR_NOT_SUPPORTED.

#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_dma.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>
#include <doca_uar.h>
#include <doca_umem.h>

#include "core/report.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static doca_error_t never(const char *function)
{
    return report_why(function, DOCA_ERROR_NOT_SUPPORTED,
                      "there is no such hardware: no DPA, no GPU, and no card to drive");
}

#define NEVER(name, ...)                                                                           \
    doca_error_t name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        return never(#name);                                                                       \
    }

// doca_comch_consumer.h
NEVER(doca_comch_consumer_completion_create, struct doca_comch_consumer_completion **consumer_comp)
NEVER(doca_comch_consumer_completion_set_dpa_thread,
      struct doca_comch_consumer_completion *consumer_comp, struct doca_dpa_thread *dpa_thread)
NEVER(doca_comch_consumer_completion_destroy, struct doca_comch_consumer_completion *consumer_comp)
NEVER(doca_comch_consumer_completion_start, struct doca_comch_consumer_completion *consumer_comp)
NEVER(doca_comch_consumer_completion_stop, struct doca_comch_consumer_completion *consumer_comp)
NEVER(doca_comch_consumer_completion_get_dpa_handle,
      struct doca_comch_consumer_completion *consumer_comp,
      doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle)
NEVER(doca_comch_consumer_completion_set_max_num_consumers,
      struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers)
NEVER(doca_comch_consumer_completion_get_max_num_consumers,
      const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers)
NEVER(doca_comch_consumer_completion_set_max_num_recv,
      struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv)
NEVER(doca_comch_consumer_completion_get_max_num_recv,
      const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv)
NEVER(doca_comch_consumer_completion_set_imm_data_len,
      struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len)
NEVER(doca_comch_consumer_completion_get_imm_data_len,
      const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len)
NEVER(doca_comch_consumer_set_dev_max_num_recv, struct doca_comch_consumer *consumer,
      uint32_t dev_num_recv)
NEVER(doca_comch_consumer_set_completion, struct doca_comch_consumer *consumer,
      struct doca_comch_consumer_completion *consumer_comp, uint32_t user_data)
NEVER(doca_comch_consumer_get_dpa_handle, struct doca_comch_consumer *consumer,
      doca_dpa_dev_comch_consumer_t *dpa_consumer)

// doca_comch_msgq.h
NEVER(doca_comch_msgq_create, struct doca_dev *dev, struct doca_comch_msgq **msgq)
NEVER(doca_comch_msgq_destroy, struct doca_comch_msgq *msgq)
NEVER(doca_comch_msgq_set_dpa_consumer, struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
NEVER(doca_comch_msgq_set_max_num_consumers, struct doca_comch_msgq *msgq,
      uint32_t max_num_consumers)
NEVER(doca_comch_msgq_set_dpa_producer, struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
NEVER(doca_comch_msgq_set_max_num_producers, struct doca_comch_msgq *msgq,
      uint32_t max_num_producers)
NEVER(doca_comch_msgq_start, struct doca_comch_msgq *msgq)
NEVER(doca_comch_msgq_stop, struct doca_comch_msgq *msgq)
NEVER(doca_comch_msgq_consumer_create, struct doca_comch_msgq *msgq,
      struct doca_comch_consumer **consumer)
NEVER(doca_comch_msgq_producer_create, struct doca_comch_msgq *msgq,
      struct doca_comch_producer **producer)

// doca_comch_producer.h
NEVER(doca_comch_producer_dpa_completion_attach, struct doca_comch_producer *producer,
      struct doca_dpa_completion *dpa_comp)
NEVER(doca_comch_producer_get_dpa_handle, struct doca_comch_producer *producer,
      doca_dpa_dev_comch_producer_t *dpa_producer)

// doca_dma.h
NEVER(doca_dma_get_gpu_handle, struct doca_dma *dma, struct doca_gpu_dma **gpu_dma)

// doca_rdma.h
NEVER(doca_rdma_get_dpa_handle, struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma)
NEVER(doca_rdma_get_gpu_handle, struct doca_rdma *rdma, struct doca_gpu_dev_rdma **gpu_rdma)
NEVER(doca_rdma_dpa_completion_attach, struct doca_rdma *rdma, struct doca_dpa_completion *dpa_comp)

// doca_sync_event.h
NEVER(doca_sync_event_add_publisher_location_dpa, struct doca_sync_event *event,
      struct doca_dpa *dpa)
NEVER(doca_sync_event_add_publisher_location_gpu, struct doca_sync_event *event,
      struct doca_gpu *gpu)
NEVER(doca_sync_event_add_subscriber_location_dpa, struct doca_sync_event *event,
      struct doca_dpa *dpa)
NEVER(doca_sync_event_add_subscriber_location_gpu, struct doca_sync_event *event,
      struct doca_gpu *gpu)
NEVER(doca_sync_event_get_dpa_handle, struct doca_sync_event *event, struct doca_dpa *dpa,
      doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
NEVER(doca_sync_event_get_gpu_handle, struct doca_sync_event *event, struct doca_gpu *gpu,
      doca_gpu_dev_sync_event_t **gpu_dev_se)
NEVER(doca_sync_event_remote_net_get_dpa_handle, struct doca_sync_event_remote_net *event,
      struct doca_dpa *dpa, doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event)
NEVER(doca_sync_event_remote_net_get_gpu_handle, struct doca_sync_event_remote_net *event,
      struct doca_gpu *gpu, doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event)

// doca_uar.h
NEVER(doca_uar_create, const struct doca_dev *dev, enum doca_uar_allocation_type allocation_type,
      struct doca_uar **uar)
NEVER(doca_uar_dpa_create, struct doca_dpa *dpa, struct doca_uar **uar)
NEVER(doca_uar_destroy, struct doca_uar *uar)
NEVER(doca_uar_id_get, const struct doca_uar *uar, uint32_t *id)
NEVER(doca_uar_page_get, const struct doca_uar *uar, void **page)
NEVER(doca_uar_reg_addr_get, const struct doca_uar *uar, void **reg)

// doca_umem.h
NEVER(doca_umem_create, const struct doca_dev *dev, void *address, size_t size,
      uint32_t access_flags, struct doca_umem **umem_obj)
NEVER(doca_umem_dpa_create, struct doca_dpa *dpa, uint64_t address, size_t size,
      uint32_t access_flags, struct doca_umem **umem_obj)
NEVER(doca_umem_gpu_create, struct doca_gpu *gpu, struct doca_dev *dev, void *address, size_t size,
      uint32_t access_flags, struct doca_umem **umem_obj)
NEVER(doca_umem_destroy, struct doca_umem *umem_obj)
NEVER(doca_umem_get_id, const struct doca_umem *umem_obj, uint32_t *umem_id)
NEVER(doca_umem_get_size, const struct doca_umem *umem_obj, uint32_t *umem_size)
NEVER(doca_umem_get_address, const struct doca_umem *umem_obj, void **umem_addr)

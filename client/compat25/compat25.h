// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Functions of DOCA 2.5 and 2.6 that 2.7 and later have with other arguments, or not at all.
// Programs that are built from source declare them with the headers in include/doca-2.5, and
// executables of those releases come here through the runtime directories sdk-2.5 and sdk-2.6,
// which lead doca_NAME to doca_2_5_NAME. Objects are those of DOCA 3; struct doca_cc_server and so
// on are its comch objects.

#ifndef CLIENT_COMPAT25_COMPAT25_H
#define CLIENT_COMPAT25_COMPAT25_H

#include <doca_buf_array.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>

// ---- rdma.c: one connection for each context, which is STARTING until that is connected ---------

DOCA_STABLE doca_error_t doca_2_5_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma);
DOCA_STABLE doca_error_t doca_2_5_rdma_export(const struct doca_rdma *rdma, const void **details,
                                              size_t *size);
DOCA_STABLE doca_error_t doca_2_5_rdma_connect(struct doca_rdma *rdma, const void *details,
                                               size_t size);
DOCA_STABLE doca_error_t doca_2_5_rdma_task_send_allocate_init(struct doca_rdma *rdma,
                                                               const struct doca_buf *src_buf,
                                                               union doca_data user_data,
                                                               struct doca_rdma_task_send **task);
DOCA_STABLE doca_error_t doca_2_5_rdma_task_send_imm_allocate_init(
    struct doca_rdma *rdma, const struct doca_buf *src_buf, doca_be32_t immediate_data,
    union doca_data user_data, struct doca_rdma_task_send_imm **task);
DOCA_STABLE doca_error_t doca_2_5_rdma_task_read_allocate_init(struct doca_rdma *rdma,
                                                               const struct doca_buf *src_buf,
                                                               struct doca_buf *dst_buf,
                                                               union doca_data user_data,
                                                               struct doca_rdma_task_read **task);
DOCA_STABLE doca_error_t doca_2_5_rdma_task_write_allocate_init(struct doca_rdma *rdma,
                                                                const struct doca_buf *src_buf,
                                                                struct doca_buf *dst_buf,
                                                                union doca_data user_data,
                                                                struct doca_rdma_task_write **task);
DOCA_STABLE doca_error_t doca_2_5_rdma_task_write_imm_allocate_init(
    struct doca_rdma *rdma, const struct doca_buf *src_buf, struct doca_buf *dst_buf,
    doca_be32_t immediate_data, union doca_data user_data, struct doca_rdma_task_write_imm **task);
DOCA_STABLE doca_error_t doca_2_5_rdma_task_atomic_cmp_swp_allocate_init(
    struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
    uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
    struct doca_rdma_task_atomic_cmp_swp **task);
DOCA_STABLE doca_error_t doca_2_5_rdma_task_atomic_fetch_add_allocate_init(
    struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task);
DOCA_STABLE doca_error_t doca_2_5_rdma_task_remote_net_sync_event_get_allocate_init(
    struct doca_rdma *rdma, const struct doca_sync_event_remote_net *event,
    struct doca_buf *dst_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_get **task);
DOCA_STABLE doca_error_t doca_2_5_rdma_task_remote_net_sync_event_notify_set_allocate_init(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
    const struct doca_buf *src_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_set **task);
DOCA_STABLE doca_error_t doca_2_5_rdma_task_remote_net_sync_event_notify_add_allocate_init(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_add **task);

// ---- channels.c: what is uint32_t from 2.6 on is size_t in 2.5, and numbers of tasks are
// logarithms -

DOCA_STABLE doca_error_t doca_2_5_cc_cap_get_max_clients(const struct doca_devinfo *devinfo,
                                                         size_t *number);
DOCA_STABLE doca_error_t doca_2_5_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo,
                                                          size_t *size);
DOCA_STABLE doca_error_t doca_2_5_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                                 size_t *size);
DOCA_STABLE doca_error_t doca_2_5_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                                            size_t *number);
DOCA_STABLE doca_error_t doca_2_5_cc_server_set_max_msg_size(struct doca_comch_server *server,
                                                             size_t size);
DOCA_STABLE doca_error_t doca_2_5_cc_server_get_max_msg_size(const struct doca_comch_server *server,
                                                             size_t *size);
DOCA_STABLE doca_error_t doca_2_5_cc_server_set_recv_queue_size(struct doca_comch_server *server,
                                                                size_t size);
DOCA_STABLE doca_error_t
doca_2_5_cc_server_get_recv_queue_size(const struct doca_comch_server *server, size_t *size);
DOCA_STABLE doca_error_t doca_2_5_cc_client_set_max_msg_size(struct doca_comch_client *client,
                                                             size_t size);
DOCA_STABLE doca_error_t doca_2_5_cc_client_get_max_msg_size(const struct doca_comch_client *client,
                                                             size_t *size);
DOCA_STABLE doca_error_t doca_2_5_cc_client_set_recv_queue_size(struct doca_comch_client *client,
                                                                size_t size);
DOCA_STABLE doca_error_t
doca_2_5_cc_client_get_recv_queue_size(const struct doca_comch_client *client, size_t *size);
DOCA_STABLE doca_error_t doca_2_5_cc_server_send_task_set_conf(
    struct doca_comch_server *server, doca_comch_task_send_completion_cb_t done,
    doca_comch_task_send_completion_cb_t failed, uint8_t log_num_tasks);
DOCA_STABLE doca_error_t doca_2_5_cc_client_send_task_set_conf(
    struct doca_comch_client *client, doca_comch_task_send_completion_cb_t done,
    doca_comch_task_send_completion_cb_t failed, uint8_t log_num_tasks);
DOCA_STABLE doca_error_t doca_2_5_cc_server_send_task_alloc_init(
    struct doca_comch_server *server, struct doca_comch_connection *peer, const void *msg,
    size_t len, struct doca_comch_task_send **task);
DOCA_STABLE doca_error_t doca_2_5_cc_client_send_task_alloc_init(
    struct doca_comch_client *client, struct doca_comch_connection *peer, const void *msg,
    size_t len, struct doca_comch_task_send **task);
DOCA_STABLE doca_error_t
doca_2_5_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo, size_t *size);
DOCA_STABLE doca_error_t
doca_2_5_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo, size_t *log);
DOCA_STABLE doca_error_t doca_2_5_cc_consumer_post_recv_task_set_conf(
    struct doca_comch_consumer *consumer, doca_comch_consumer_task_post_recv_completion_cb_t done,
    doca_comch_consumer_task_post_recv_completion_cb_t failed, size_t log_num_tasks);
DOCA_STABLE doca_error_t
doca_2_5_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo, size_t *size);
DOCA_STABLE doca_error_t
doca_2_5_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo, size_t *log);
DOCA_STABLE doca_error_t doca_2_5_cc_producer_send_task_set_conf(
    struct doca_comch_producer *producer, doca_comch_producer_task_send_completion_cb_t done,
    doca_comch_producer_task_send_completion_cb_t failed, size_t log_num_tasks);
// In 2.5 and 2.6: messages of the fast path have no immediate data yet.
DOCA_STABLE doca_error_t doca_2_5_cc_producer_task_send_alloc_init(
    struct doca_comch_producer *producer, struct doca_buf *buf, uint32_t consumer_id,
    struct doca_comch_producer_task_send **task);

// ---- version.c ---------------------------------------------------------------------------------

DOCA_STABLE const char *doca_2_5_version_runtime(void);
DOCA_STABLE const char *doca_2_6_version_runtime(void);

// ---- devices.c ---------------------------------------------------------------------------------

// In bit/s, as a double.
DOCA_STABLE doca_error_t doca_2_5_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
                                                          double *active_rate);
DOCA_STABLE doca_error_t doca_2_5_pe_set_notification_handle(struct doca_pe *pe, int handle,
                                                             union doca_data completion_key);

// ---- absent.c: what no software can do, or no program uses any more ---------------------------

struct doca_rdma_srq;
struct doca_dpa_dev_rdma_srq;
struct doca_dpa_dev_rdma;
struct doca_dpa_dev_buf_arr;

DOCA_STABLE doca_error_t doca_2_5_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
                                                         struct doca_dpa_dev_buf_arr **dpa_buf_arr);
DOCA_STABLE doca_error_t doca_2_5_rdma_get_dpa_handle(struct doca_rdma *rdma,
                                                      struct doca_dpa_dev_rdma **dpa_rdma);
DOCA_STABLE doca_error_t doca_2_5_sync_event_export_to_dpa(struct doca_sync_event *event,
                                                           struct doca_dpa *dpa,
                                                           doca_dpa_dev_sync_event_t *handle);
DOCA_STABLE doca_error_t doca_2_5_sync_event_export_to_gpu(struct doca_sync_event *event,
                                                           struct doca_gpu *gpu,
                                                           doca_gpu_dev_sync_event_t **handle);
DOCA_STABLE doca_error_t doca_2_5_sync_event_remote_net_export_to_dpa(
    struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
    doca_dpa_dev_sync_event_remote_net_t *handle);
DOCA_STABLE doca_error_t doca_2_5_sync_event_remote_net_export_to_gpu(
    struct doca_sync_event_remote_net *event, struct doca_gpu *gpu,
    doca_gpu_dev_sync_event_remote_net_t *handle);
DOCA_STABLE doca_error_t doca_2_5_rdma_create_with_srq(struct doca_dev *dev,
                                                       struct doca_rdma_srq *rdma_srq,
                                                       struct doca_rdma **rdma);
DOCA_STABLE doca_error_t doca_2_5_rdma_srq_create(struct doca_dev *dev,
                                                  struct doca_rdma_srq **rdma_srq);
DOCA_STABLE doca_error_t doca_2_5_rdma_srq_destroy(struct doca_rdma_srq *rdma_srq);
DOCA_STABLE struct doca_ctx *doca_2_5_rdma_srq_as_ctx(struct doca_rdma_srq *rdma_srq);
DOCA_STABLE doca_error_t doca_2_5_rdma_srq_cap_get_max_shared_recv_queue_size(
    const struct doca_devinfo *devinfo, uint32_t *max_shared_recv_queue_size);
DOCA_STABLE doca_error_t doca_2_5_rdma_srq_cap_task_receive_get_max_dst_buf_list_len(
    const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);
DOCA_STABLE doca_error_t doca_2_5_rdma_srq_set_shared_recv_queue_size(
    struct doca_rdma_srq *rdma_srq, uint32_t shared_recv_queue_size);
DOCA_STABLE doca_error_t doca_2_5_rdma_srq_get_shared_recv_queue_size(
    const struct doca_rdma_srq *rdma_srq, uint32_t *shared_recv_queue_size);
DOCA_STABLE doca_error_t doca_2_5_rdma_srq_task_receive_set_dst_buf_list_len(
    struct doca_rdma_srq *rdma_srq, uint32_t buf_list_len);
DOCA_STABLE doca_error_t doca_2_5_rdma_srq_task_receive_get_dst_buf_list_len(
    const struct doca_rdma_srq *rdma_srq, uint32_t *buf_list_len);
DOCA_STABLE doca_error_t doca_2_5_rdma_srq_set_type(struct doca_rdma_srq *rdma_srq, int srq_type);
DOCA_STABLE doca_error_t doca_2_5_rdma_srq_get_type(struct doca_rdma_srq *rdma_srq, int *srq_type);
DOCA_STABLE doca_error_t doca_2_5_rdma_srq_get_dpa_handle(
    const struct doca_rdma_srq *rdma_srq, struct doca_dpa_dev_rdma_srq **dpa_rdma_srq);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_rdma.h
 * RDMA as 2.5 and 2.6 have it: a context has one connection, and tasks do not name it.
 *
 * All else is as in doca_rdma.h of DOCA 3. Source: table of differences. Since: 2.5.
 */
#ifndef DOCA_2_5_RDMA_H_
#define DOCA_2_5_RDMA_H_

#include "../doca-3/doca_rdma.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A handle for DPA programs. */
struct doca_dpa_dev_rdma;

/**
 * Connects the context to the other side's. It is RUNNING then, and its tasks wait until the other
 * side has done the same.
 *
 * @param rdma the RDMA context, which is STARTING.
 * @param remote_rdma_conn_details the other side's descriptor.
 * @param remote_rdma_conn_details_size its number of bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or these bytes are no descriptor;
 *   DOCA_ERROR_BAD_STATE the context is not started, was connected already, or doca_rdma_export()
 *   was not called;
 *   DOCA_ERROR_CONNECTION_ABORTED the other side has gone or has connected elsewhere, or docad
 *   refused it. The connection stays as it was, and may be tried again.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
                               size_t remote_rdma_conn_details_size) DOCA_2_5_SYMBOL(rdma_connect);

/**
 * Makes an RDMA context on the device, which need not have an RDMA card: software functions do
 * RDMA in memory. The context has one connection. doca_ctx_start() leaves it STARTING, and it is
 * RUNNING when that is connected.
 *
 * @param dev the device.
 * @param rdma where to put the RDMA context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY if there is no memory;
 *   DOCA_ERROR_INITIALIZATION if the device has gone.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
    DOCA_2_5_SYMBOL(rdma_create);

/**
 * Makes the connection of the context, and a descriptor by which the other side connects to it. The
 * program brings the descriptor there. It lasts until the context is stopped, and has at most 256
 * bytes.
 *
 * @param rdma the RDMA context, which is STARTING.
 * @param local_rdma_conn_details where to put the descriptor.
 * @param local_rdma_conn_details_size where to put its number of bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the context is not started;
 *   DOCA_ERROR_CONNECTION_ABORTED docad refused it, or has gone. Each connection is one of the
 * queue pairs that a program may have: queue_pairs_per_session of docad.conf(5);
 *   DOCA_ERROR_NO_MEMORY out of memory.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_export(const struct doca_rdma *rdma, const void **local_rdma_conn_details,
                              size_t *local_rdma_conn_details_size) DOCA_2_5_SYMBOL(rdma_export);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param rdma the RDMA context.
 * @param dpa_rdma where to put the DPA RDMA.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_BAD_STATE.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, struct doca_dpa_dev_rdma **dpa_rdma)
    DOCA_2_5_SYMBOL(rdma_get_dpa_handle);

/**
 * Takes a compare and swap task.
 *
 * The destination is a word of 8 bytes of the other side, whose address is a multiple of 8. The
 * result gets what was in it before: it has 8 bytes of data, or none and room for 8.
 *
 * @param rdma the RDMA context.
 * @param dst_buf the destination buffer.
 * @param result_buf the result buffer.
 * @param cmp_data the compare data.
 * @param swap_data the swap data.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context is not connected, or has no such tasks.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_task_atomic_cmp_swp_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
                                            struct doca_buf *result_buf, uint64_t cmp_data,
                                            uint64_t swap_data, union doca_data user_data,
                                            struct doca_rdma_task_atomic_cmp_swp **task)
    DOCA_2_5_SYMBOL(rdma_task_atomic_cmp_swp_allocate_init);

/**
 * Takes a fetch and add task.
 *
 * The destination is a word of 8 bytes of the other side, whose address is a multiple of 8. The
 * result gets what was in it before: it has 8 bytes of data, or none and room for 8.
 *
 * @param rdma the RDMA context.
 * @param dst_buf the destination buffer.
 * @param result_buf the result buffer.
 * @param add_data the add data.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context is not connected, or has no such tasks.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
    struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task)
    DOCA_2_5_SYMBOL(rdma_task_atomic_fetch_add_allocate_init);

/**
 * Takes a read task.
 *
 * It reads the data of the source, as far as the destination has room behind its own data, and
 * appends them. A source without data stands for all its bytes. If there is no room at all, the
 * task fails.
 *
 * @param rdma the RDMA context.
 * @param src_buf the source buffer, or NULL: nothing is read.
 * @param dst_buf the destination buffer; NULL is for a source that is NULL.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context is not connected, or has no such tasks.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
                                               const struct doca_buf *src_buf,
                                               struct doca_buf *dst_buf, union doca_data user_data,
                                               struct doca_rdma_task_read **task)
    DOCA_2_5_SYMBOL(rdma_task_read_allocate_init);

/**
 * Takes a task that reads a sync event of the other side.
 *
 * @param rdma the RDMA context.
 * @param event the remote event.
 * @param dst_buf the destination buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the event or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context is not connected, or has no such tasks.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
    struct doca_rdma *rdma, const struct doca_sync_event_remote_net *event,
    struct doca_buf *dst_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_get **task)
    DOCA_2_5_SYMBOL(rdma_task_remote_net_sync_event_get_allocate_init);

/**
 * Takes a task that adds to a sync event of the other side.
 *
 * @param rdma the RDMA context.
 * @param event the remote event.
 * @param result_buf the result buffer.
 * @param add_data the add data.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the event or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context is not connected, or has no such tasks.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_add **task)
    DOCA_2_5_SYMBOL(rdma_task_remote_net_sync_event_notify_add_allocate_init);

/**
 * Takes a task that sets a sync event of the other side.
 *
 * @param rdma the RDMA context.
 * @param event the remote event.
 * @param src_buf the source buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the event or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context is not connected, or has no such tasks.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
    const struct doca_buf *src_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_set **task)
    DOCA_2_5_SYMBOL(rdma_task_remote_net_sync_event_notify_set_allocate_init);

/**
 * Takes a send task.
 *
 * @param rdma the RDMA context.
 * @param src_buf the source buffer, or NULL: the message is empty.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context is not connected, or has no such tasks.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_task_send_allocate_init(struct doca_rdma *rdma, const struct doca_buf *src_buf,
                                  union doca_data user_data, struct doca_rdma_task_send **task)
    DOCA_2_5_SYMBOL(rdma_task_send_allocate_init);

/**
 * Takes a send task with immediate data.
 *
 * @param rdma the RDMA context.
 * @param src_buf the source buffer, or NULL: the message is empty.
 * @param immediate_data the immediate data.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context is not connected, or has no such tasks.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_task_send_imm_allocate_init(struct doca_rdma *rdma, const struct doca_buf *src_buf,
                                      doca_be32_t immediate_data, union doca_data user_data,
                                      struct doca_rdma_task_send_imm **task)
    DOCA_2_5_SYMBOL(rdma_task_send_imm_allocate_init);

/**
 * Takes a write task.
 *
 * @param rdma the RDMA context.
 * @param src_buf the source buffer, or NULL: nothing is written.
 * @param dst_buf the destination buffer; NULL is for a source that is NULL.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context is not connected, or has no such tasks.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
                                                const struct doca_buf *src_buf,
                                                struct doca_buf *dst_buf, union doca_data user_data,
                                                struct doca_rdma_task_write **task)
    DOCA_2_5_SYMBOL(rdma_task_write_allocate_init);

/**
 * Takes a write task with immediate data.
 *
 * @param rdma the RDMA context.
 * @param src_buf the source buffer, or NULL: nothing is written.
 * @param dst_buf the destination buffer; NULL is for a source that is NULL.
 * @param immediate_data the immediate data.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context is not connected, or has no such tasks.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_imm_allocate_init(
    struct doca_rdma *rdma, const struct doca_buf *src_buf, struct doca_buf *dst_buf,
    doca_be32_t immediate_data, union doca_data user_data, struct doca_rdma_task_write_imm **task)
    DOCA_2_5_SYMBOL(rdma_task_write_imm_allocate_init);

/**
 * How many GIDs the device has.
 *
 * @param devinfo the device.
 * @param gid_table_size where to put the GID table size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid_table_size(struct doca_devinfo *devinfo,
                                              uint32_t *gid_table_size);

/**
 * Returns GIDs of the device, from one index on.
 *
 * @param devinfo the device.
 * @param start_index the start index.
 * @param num_entries the number of entries.
 * @param gid_array the GID.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the entries go beyond the table;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5; 2.7 has it in another form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid(struct doca_devinfo *devinfo, uint32_t start_index,
                                   uint32_t num_entries, struct doca_rdma_gid *gid_array);

#if DOCA_USE_VERSION == 25
/**
 * Says whether packets have a global routing header, of an idle context.
 *
 * @param rdma the RDMA context.
 * @param grh_enabled whether they have.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5; 2.6 has a uint8_t.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, bool grh_enabled)
    DOCA_3_SYMBOL(rdma_set_grh_enabled);

/**
 * Returns whether packets have a global routing header.
 *
 * @param rdma the RDMA context.
 * @param grh_enabled receives whether they have.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5; 2.6 has a uint8_t.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, bool *grh_enabled)
    DOCA_3_SYMBOL(rdma_get_grh_enabled);
#else

/*
 * ---- shared receive queues
 *
 * DOCA 2.6 has no function of the host that posts a receive to one: programs on a DPA do, by the
 * handle of doca_rdma_srq_get_dpa_handle(), and the public samples of 2.6 that make one set its
 * data path to the DPA. docad has no DPA.
 */

/** A shared receive queue. */
struct doca_rdma_srq;
/** A handle for DPA programs. */
struct doca_dpa_dev_rdma_srq;

/** Types of shared receive queues. */
enum doca_rdma_srq_type {
    DOCA_RDMA_SRQ_TYPE_LINKED_LIST = 0, /**< a linked list */
    DOCA_RDMA_SRQ_TYPE_CYCLIC = 1       /**< a ring */
};

/**
 * Would make an RDMA context that receives from a shared receive queue.
 *
 * @param dev the device.
 * @param rdma_srq the queue.
 * @param rdma stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create_with_srq(struct doca_dev *dev, struct doca_rdma_srq *rdma_srq,
                                       struct doca_rdma **rdma)
    DOCA_2_5_SYMBOL(rdma_create_with_srq);

/**
 * Would return the context of a shared receive queue.
 *
 * @param rdma_srq_ctx the queue.
 * @return NULL: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_rdma_srq_as_ctx(struct doca_rdma_srq *rdma_srq_ctx)
    DOCA_2_5_SYMBOL(rdma_srq_as_ctx);

/**
 * Would return the greatest size of a shared receive queue.
 *
 * @param devinfo the device.
 * @param max_shared_recv_queue_size stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_cap_get_max_shared_recv_queue_size(const struct doca_devinfo *devinfo,
                                                              uint32_t *max_shared_recv_queue_size)
    DOCA_2_5_SYMBOL(rdma_srq_cap_get_max_shared_recv_queue_size);

/**
 * Would return the greatest number of buffers of a receive task.
 *
 * @param devinfo the device.
 * @param max_buf_list_len stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_srq_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_buf_list_len)
    DOCA_2_5_SYMBOL(rdma_srq_cap_task_receive_get_max_dst_buf_list_len);

/**
 * Would make a shared receive queue.
 *
 * @param dev the device.
 * @param rdma_srq stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_create(struct doca_dev *dev, struct doca_rdma_srq **rdma_srq)
    DOCA_2_5_SYMBOL(rdma_srq_create);

/**
 * Would free a shared receive queue.
 *
 * @param rdma_srq the queue.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_destroy(struct doca_rdma_srq *rdma_srq)
    DOCA_2_5_SYMBOL(rdma_srq_destroy);

/**
 * Would return the handle of a queue for programs of a DPA.
 *
 * @param rdma_srq the queue.
 * @param dpa_rdma_srq stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_get_dpa_handle(const struct doca_rdma_srq *rdma_srq,
                                          struct doca_dpa_dev_rdma_srq **dpa_rdma_srq)
    DOCA_2_5_SYMBOL(rdma_srq_get_dpa_handle);

/**
 * Would return the size of a queue.
 *
 * @param rdma_srq the queue.
 * @param shared_recv_queue_size stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_get_shared_recv_queue_size(const struct doca_rdma_srq *rdma_srq,
                                                      uint32_t *shared_recv_queue_size)
    DOCA_2_5_SYMBOL(rdma_srq_get_shared_recv_queue_size);

/**
 * Would return the type of a queue.
 *
 * @param rdma_srq the queue.
 * @param srq_type stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_get_type(struct doca_rdma_srq *rdma_srq,
                                    enum doca_rdma_srq_type *srq_type)
    DOCA_2_5_SYMBOL(rdma_srq_get_type);

/**
 * Would set the size of a queue.
 *
 * @param rdma_srq the queue.
 * @param shared_recv_queue_size the size.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_set_shared_recv_queue_size(struct doca_rdma_srq *rdma_srq,
                                                      uint32_t shared_recv_queue_size)
    DOCA_2_5_SYMBOL(rdma_srq_set_shared_recv_queue_size);

/**
 * Would set the type of a queue.
 *
 * @param rdma_srq the queue.
 * @param srq_type the type.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_set_type(struct doca_rdma_srq *rdma_srq,
                                    enum doca_rdma_srq_type srq_type)
    DOCA_2_5_SYMBOL(rdma_srq_set_type);

/**
 * Would return the number of buffers of a receive task.
 *
 * @param rdma_srq the queue.
 * @param buf_list_len stays as it is.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_task_receive_get_dst_buf_list_len(const struct doca_rdma_srq *rdma_srq,
                                                             uint32_t *buf_list_len)
    DOCA_2_5_SYMBOL(rdma_srq_task_receive_get_dst_buf_list_len);

/**
 * Would set the number of buffers of a receive task.
 *
 * @param rdma_srq the queue.
 * @param buf_list_len the number.
 * @return DOCA_ERROR_NOT_SUPPORTED: only a DPA posts receives to a shared queue.
 *
 * Source: table. Since: 2.6, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_task_receive_set_dst_buf_list_len(struct doca_rdma_srq *rdma_srq,
                                                             uint32_t buf_list_len)
    DOCA_2_5_SYMBOL(rdma_srq_task_receive_set_dst_buf_list_len);

#endif

#ifdef __cplusplus
}
#endif

#endif /* DOCA_2_5_RDMA_H_ */

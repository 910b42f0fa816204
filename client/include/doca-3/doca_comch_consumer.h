// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_comch_consumer.h
 * The receiving end of the fast path of Comch: a context of its own, on an engine of any thread.
 *
 * The map has the connection's device, and DOCA_ACCESS_FLAG_PCI_READ_WRITE or
 * DOCA_ACCESS_FLAG_RDMA_WRITE; the latter alone lets nobody read. It stays started: while the
 * consumer is started, the process at the other end of the connection may write to it.
 *
 * Between machines, whose daemons exchange no descriptors, messages travel over the daemons' link,
 * and this process alone writes to its memory. If the library of the other side is older, the start
 * of a client's consumer is DOCA_ERROR_NOT_SUPPORTED, and that of a server never ends.
 *
 * Start is DOCA_ERROR_IN_PROGRESS. The consumer runs when the other side has connected to it, which
 * takes progress of the engines of the server and the client as well. It ends by itself when the
 * connection ends: tasks fail with DOCA_ERROR_CONNECTION_RESET, and it is idle.
 *
 * Each message takes the receive that was posted first. Its bytes are appended to the buffer's
 * data. A receive without a buffer takes a message without bytes. Stop ends the receives that have
 * no message yet with DOCA_ERROR_SHUTDOWN; one whose bytes are being written is waited for.
 */
#ifndef DOCA_COMCH_CONSUMER_H_
#define DOCA_COMCH_CONSUMER_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;
/** A device. */
struct doca_dev;
/** A device. */
struct doca_devinfo;
/** A map. */
struct doca_mmap;
/** A DPA thread. */
struct doca_dpa_thread;
/** A connection. */
struct doca_comch_connection;
/** A consumer. */
struct doca_comch_consumer;
/** A consumer completion. */
struct doca_comch_consumer_completion;
/** A comch consumer task: post receive. */
struct doca_comch_consumer_task_post_recv;
/** A context. */
struct doca_ctx;
/** A task. */
struct doca_task;

/** A handle for GPU or DPA programs. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;

/** A handle for GPU or DPA programs. */
typedef uint64_t doca_dpa_dev_comch_consumer_t;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
    struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Receiving end of the fast path on a connection; the map holds the receive memory.
 *
 * @param comch_connection the connection.
 * @param buf_mmap the map.
 * @param consumer where to put the consumer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_mmap *buf_mmap,
                                        struct doca_comch_consumer **consumer);

/**
 * Frees the consumer; it must be idle.
 *
 * @param consumer the consumer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_INITIALIZATION a resource could not be set up.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/**
 * Tells whether the device can do this: comch consumer.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Id the other side names in its sends.
 *
 * @param consumer the consumer.
 * @param id where to put the id.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id);

/**
 * The greatest number of tasks that the device allows.
 *
 * @param devinfo the device.
 * @param max_num_tasks where to put the greatest number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);

/**
 * The greatest buffer size that the device allows.
 *
 * @param devinfo the device.
 * @param max_buf_size where to put the greatest buffer size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);

/**
 * The greatest buffer list length that the device allows.
 *
 * @param devinfo the device.
 * @param max_buf_list_len where to put the greatest buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);

/**
 * The greatest consumers that the device allows.
 *
 * @param devinfo the device.
 * @param max_consumers where to put the greatest consumers.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_consumers);

/**
 * The greatest immediate data length that the device allows.
 *
 * @param devinfo the device.
 * @param max_imm_data_len where to put the greatest immediate data length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_imm_data_len);

/**
 * Reads the immediate data length of the consumer.
 *
 * @param consumer the consumer.
 * @param imm_data_len where to put the immediate data length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
                                                  uint32_t *imm_data_len);

/**
 * Sets the immediate data length of the consumer. Allowed before the start.
 *
 * @param consumer the consumer.
 * @param imm_data_len the immediate data length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
                                                  uint32_t imm_data_len);

/**
 * The context of the consumer: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param consumer the consumer.
 * @return the context.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

/**
 * Makes a consumer completion (DPA).
 *
 * @param consumer_comp where to put the consumer completion.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param consumer_comp the consumer completion.
 * @param dpa_thread the DPA thread.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
                                              struct doca_dpa_thread *dpa_thread);

/**
 * Frees the consumer completion (DPA); it must be idle.
 *
 * @param consumer_comp the consumer completion.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp);

/**
 * Comch consumer completion start.
 *
 * @param consumer_comp the consumer completion.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp);

/**
 * Comch consumer completion stop.
 *
 * @param consumer_comp the consumer completion.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param consumer_comp the consumer completion.
 * @param consumer_comp_handle where to put the consumer comp handle.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    struct doca_comch_consumer_completion *consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle);

/**
 * Sets the greatest number of consumers of the consumer completion. Allowed before the
 * start.
 *
 * @param consumer_comp the consumer completion.
 * @param max_num_consumers the greatest number of consumers.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers);

/**
 * The greatest number of consumers that the consumer completion allows.
 *
 * @param consumer_comp the consumer completion.
 * @param max_num_consumers where to put the greatest number of consumers.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers);

/**
 * Sets the greatest number of receive of the consumer completion. Allowed before the start.
 *
 * @param consumer_comp the consumer completion.
 * @param max_num_recv the greatest number of receive.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_recv(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv);

/**
 * The greatest number of receive that the consumer completion allows.
 *
 * @param consumer_comp the consumer completion.
 * @param max_num_recv where to put the greatest number of receive.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_recv(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv);

/**
 * Sets the immediate data length of the consumer completion. Allowed before the start.
 *
 * @param consumer_comp the consumer completion.
 * @param imm_data_len the immediate data length.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here. With it:
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the object is in a state that does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_imm_data_len(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len);

/**
 * Reads the immediate data length of the consumer completion.
 *
 * @param consumer_comp the consumer completion.
 * @param imm_data_len where to put the immediate data length.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here. With it:
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_imm_data_len(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len);

/**
 * Sets the device greatest number of receive of the consumer. Allowed before the start.
 *
 * @param consumer the consumer.
 * @param dev_num_recv the device number of receive.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
                                                      uint32_t dev_num_recv);

/**
 * Sets the completion of the consumer. Allowed before the start.
 *
 * @param consumer the consumer.
 * @param consumer_comp the consumer completion.
 * @param user_data the user data.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
                                   struct doca_comch_consumer_completion *consumer_comp,
                                   uint32_t user_data);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param consumer the consumer.
 * @param dpa_consumer where to put the DPA consumer.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here. With it:
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the object is in a state that does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
                                                doca_dpa_dev_comch_consumer_t *dpa_consumer);

/**
 * Before start: the success and the error callback of post recv tasks and how many can
 * exist at once.
 *
 * @param consumer the consumer.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed.
 * @param num_post_recv_tasks the number of post receive tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    struct doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks);

/**
 * Takes a post recv task from the pool and fills it; DOCA_ERROR_NO_MEMORY when all are out.
 *
 * @param consumer the consumer.
 * @param buf the buffer.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
                                              struct doca_buf *buf,
                                              struct doca_comch_consumer_task_post_recv **task);

/**
 * The buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task);

/**
 * Changes the buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param buf the buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
                                                struct doca_buf *buf);

/**
 * Who sent it.
 *
 * @param task the task.
 * @return the producer id.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
    const struct doca_comch_consumer_task_post_recv *task);

/**
 * Immediate bytes that came with it (not NUL terminated).
 *
 * @param task the task.
 * @return the immediate data.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
    const struct doca_comch_consumer_task_post_recv *task);

/**
 * The immediate data length of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the immediate data length.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
    const struct doca_comch_consumer_task_post_recv *task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_CONSUMER_H_ */

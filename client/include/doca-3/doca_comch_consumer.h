/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
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
 * Makes a consumer: the receiving end of the fast path on a connection. Its id is the lowest that
 * no other consumer of this side of the connection has. It receives into buffers of one map, which
 * the process at the other end of the connection may write to while the consumer is started.
 *
 * The consumer may outlive the connection, but not be started then.
 *
 * @param comch_connection the connection, of a server or of a client.
 * @param buf_mmap a map of this process that is started, has the connection's device, and
 *   DOCA_ACCESS_FLAG_PCI_READ_WRITE or DOCA_ACCESS_FLAG_RDMA_WRITE.
 * @param consumer receives the consumer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the map does not have the connection's device;
 *   DOCA_ERROR_NO_MEMORY if there is no memory, or this side of the connection has 256 consumers;
 *   DOCA_ERROR_BAD_STATE if the map is not started, or was imported, or the connection has ended;
 *   DOCA_ERROR_NOT_PERMITTED if the map lacks the permission.
 *
 * Source: table; what the map needs is our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_mmap *buf_mmap,
                                        struct doca_comch_consumer **consumer);

/**
 * Frees a consumer that is idle, with its tasks. Its id may be given to another one.
 *
 * @param consumer the consumer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_INITIALIZATION unless it is idle: nothing is changed.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/**
 * Says whether consumers can be made for connections of the device: software functions can,
 * ibverbs devices cannot.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS if they can;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * The id that producers of the other side name in their sends, and that the new-consumer event
 * tells there: 1 to doca_comch_consumer_cap_get_max_consumers(). Of a consumer in any state.
 *
 * @param consumer the consumer.
 * @param id receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table; the numbers are our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id);

/**
 * The greatest number of receive tasks of a consumer: 8192 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_num_tasks receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);

/**
 * The greatest number of bytes of a message: 1 GiB on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_buf_size receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table; the figure is our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);

/**
 * The greatest number of buffers that a receive may chain: 1 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_buf_list_len receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table; the figure is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);

/**
 * The greatest number of consumers that each side of a connection may have: 256 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_consumers receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_consumers);

/**
 * The greatest number of bytes of immediate data: 32 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_imm_data_len receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_imm_data_len);

/**
 * Returns how many bytes of immediate data the consumer takes. In any state.
 *
 * @param consumer the consumer.
 * @param imm_data_len receives the number: 32, unless another one was set.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table; the default is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
                                                  uint32_t *imm_data_len);

/**
 * Says how many bytes of immediate data an idle consumer takes. A send with more fails on the
 * other side.
 *
 * @param consumer the consumer.
 * @param imm_data_len 0 to doca_comch_consumer_cap_get_max_imm_data_len().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for more than 32;
 *   DOCA_ERROR_BAD_STATE unless the consumer is idle.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_BAD_STATE.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_BAD_STATE.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
                                                doca_dpa_dev_comch_consumer_t *dpa_consumer);

/**
 * Says how many receive tasks an idle consumer has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param consumer the consumer.
 * @param task_completion_cb called for each task that has received a message.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param num_post_recv_tasks 1 to doca_comch_consumer_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the consumer is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    struct doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks);

/**
 * Takes a receive task of a consumer that runs. It receives one message, appended to the data of
 * its buffer, when it is submitted and its turn has come.
 *
 * Submission fails with DOCA_ERROR_INVALID_VALUE, and one line of the log, if the buffer was given
 * back, does not lie in the consumer's map, is a list, or has data outside itself. The task itself
 * fails with DOCA_ERROR_INVALID_VALUE if the buffer was changed meanwhile; DOCA_ERROR_IO_FAILED if
 * the message could not be written, or the other side breaks the rules, which ends the consumer;
 * DOCA_ERROR_CONNECTION_RESET if the connection ends; DOCA_ERROR_SHUTDOWN if the consumer is
 * stopped.
 *
 * @param consumer the consumer.
 * @param buf a buffer of the consumer's map, or NULL: room for immediate data alone.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the consumer does not run, or has no tasks.
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

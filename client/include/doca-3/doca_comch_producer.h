/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_comch_producer.h
 * The sending end of the fast path of Comch: a context of its own, on an engine of any thread.
 *
 * A send names a consumer of the other side by the id that the new-consumer event told. Submission
 * returns DOCA_ERROR_AGAIN, and the task stays with the program, while that consumer has posted
 * fewer receives than were sent to. Nothing is logged then.
 *
 * The task ends when the message is in the consumer's memory. It fails with
 *   DOCA_ERROR_NOT_FOUND if there is no such consumer, or it has ended;
 *   DOCA_ERROR_INVALID_VALUE if the message is longer than the receive that is next, if there are
 *   more immediate data than the consumer takes, or if the buffer is a list or cannot be read: no
 *   receive is used up;
 *   DOCA_ERROR_CONNECTION_RESET if the consumer stops meanwhile.
 *
 * Between machines (our choice):
 *   - the task ends when the message has been handed over to docad: a consumer that ends later does
 *     not get it;
 *   - a stop waits for sends that have found room only for a part of their message, and an engine
 *     with such sends does not sleep;
 *   - the buffer is memory of this process: imported memory is DOCA_ERROR_NOT_SUPPORTED.
 */
#ifndef DOCA_COMCH_PRODUCER_H_
#define DOCA_COMCH_PRODUCER_H_

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
/** A DPA thread. */
struct doca_dpa_thread;
/** A connection. */
struct doca_comch_connection;
/** A producer. */
struct doca_comch_producer;
/** A DPA completion. */
struct doca_dpa_completion;
/** A comch producer task: send. */
struct doca_comch_producer_task_send;
/** A context. */
struct doca_ctx;
/** A task. */
struct doca_task;

/** A handle for GPU or DPA programs. */
typedef uint64_t doca_dpa_dev_comch_producer_t;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_comch_producer_task_send_completion_cb_t)(
    struct doca_comch_producer_task_send *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Makes a producer: the sending end of the fast path on a connection. It may be used in any
 * thread, and send to every consumer of the other side. It may outlive the connection; its sends
 * fail then.
 *
 * @param comch_connection the connection, of a server or of a client.
 * @param producer receives the producer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY if there is no memory, or this side of the connection has 4096 producers;
 *   DOCA_ERROR_BAD_STATE if the connection has ended;
 *   DOCA_ERROR_NOT_PERMITTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_comch_producer **producer);

/**
 * Frees a producer that is idle, with its tasks.
 *
 * @param producer the producer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_INITIALIZATION unless it is idle: nothing is changed.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);

/**
 * Says whether producers can be made for connections of the device: software functions can,
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
doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * The id that consumers of the other side see with each message. No two producers of one side of a
 * connection have the same. In any state.
 *
 * @param producer the producer.
 * @param id receives it: 1 or more.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table; the numbers are our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id);

/**
 * The greatest number of send tasks of a producer: 8192 on every device.
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
doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
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
doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);

/**
 * The greatest number of buffers that a send may chain: 1 on every device.
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
doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);

/**
 * The greatest number of producers that each side of a connection may have: 4096 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_producers receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_producers);

/**
 * The context of the producer: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param producer the producer.
 * @return the context.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);

/**
 * Sets the device greatest number of send of the producer. Allowed before the start.
 *
 * @param producer the producer.
 * @param dev_num_send the device number of send.
 * @return DOCA_ERROR_NOT_SUPPORTED: there is no such hardware here;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
                                                      uint32_t dev_num_send);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param producer the producer.
 * @param dpa_comp the DPA completion.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
                                                       struct doca_dpa_completion *dpa_comp);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param producer the producer.
 * @param dpa_producer where to put the DPA producer.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_BAD_STATE.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
                                                doca_dpa_dev_comch_producer_t *dpa_producer);

/**
 * Says how many send tasks an idle producer has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param producer the producer.
 * @param task_completion_cb called for each task whose message is in the consumer's memory.
 * @param task_error_cb called for each task that failed.
 * @param num_send_tasks 1 to doca_comch_producer_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the producer is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_set_conf(
    struct doca_comch_producer *producer,
    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Takes a send task of a producer that runs. What its submission and the task itself can return
 * stands at the top of this file. The buffer and the immediate data stay as they are until the
 * task is over.
 *
 * @param producer the producer.
 * @param buf the buffer whose data are sent, or NULL: a message without bytes.
 * @param imm_data immediate data to send along, or NULL.
 * @param imm_data_len its bytes: 0 to 32, and to what the consumer takes.
 * @param consumer_id the consumer's id, as the new-consumer event told it.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, for more than 32 bytes of immediate data, or if they are
 *     NULL and have a length;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the producer does not run, or has no tasks.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
                                                      const struct doca_buf *buf, uint8_t *imm_data,
                                                      uint32_t imm_data_len, uint32_t consumer_id,
                                                      struct doca_comch_producer_task_send **task);

/**
 * The buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task);

/**
 * Changes the buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param buf the buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
                                           const struct doca_buf *buf);

/**
 * The consumer id of the task.
 *
 * @param task the task.
 * @return the consumer id.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task);

/**
 * Changes the consumer id of a task that is not submitted.
 *
 * @param task the task.
 * @param consumer_id the consumer id.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
                                                   const uint32_t consumer_id);

/**
 * The immediate data of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the immediate data.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
uint8_t *
doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task);

/**
 * The immediate data length of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the immediate data length.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task);

/**
 * Changes the immediate data of a task that is not submitted.
 *
 * @param task the task.
 * @param imm_data where to put the immediate data.
 * @param imm_data_len the immediate data length.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
                                                uint8_t *imm_data, uint32_t imm_data_len);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_PRODUCER_H_ */

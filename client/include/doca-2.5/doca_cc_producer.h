/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_cc_producer.h
 * Producers of Comch as 2.5 and 2.6 have it.
 *
 * A producer sends the data of buffers to consumers of the other side (doca_cc_consumer.h). It
 * behaves as doca_comch_producer.h of DOCA 3 says, without immediate data.
 *
 * The submission of a task fails with DOCA_ERROR_INVALID_VALUE, and one line of the log, if its
 * buffer was given back, is a list, or has data outside itself. A task fails with
 * DOCA_ERROR_NOT_FOUND if the other side has no such consumer, or with the error of its connection.
 *
 * Source: table of differences. Since: 2.5; 2.7 has doca_comch_producer.h.
 */
#ifndef DOCA_CC_PRODUCER_H_
#define DOCA_CC_PRODUCER_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_cc.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;
/** A map. */
struct doca_mmap;
/** A producer. */
struct doca_cc_producer;

#if DOCA_USE_VERSION == 25
/** A task that sends a message. */
struct doca_cc_producer_send_task;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_cc_producer_send_task_comp_handler)(struct doca_cc_producer_send_task *task,
                                                        union doca_data task_user_data,
                                                        union doca_data ctx_user_data);
#else
/** A task that sends a message. */
struct doca_cc_producer_task_send;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_cc_producer_task_send_completion_cb_t)(struct doca_cc_producer_task_send *task,
                                                           union doca_data task_user_data,
                                                           union doca_data ctx_user_data);
#endif

/**
 * Makes a producer: the sending end of the fast path on a connection. It may be used in any
 * thread, and send to every consumer of the other side. It may outlive the connection; its sends
 * fail then.
 *
 * @param cc_connection the connection, of a server or of a client.
 * @param producer receives the producer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY if there is no memory, or this side of the connection has 4096 producers;
 *   DOCA_ERROR_BAD_STATE if the connection has ended;
 *   DOCA_ERROR_NOT_PERMITTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_create(struct doca_cc_connection *cc_connection,
                                     struct doca_cc_producer **producer)
    DOCA_LATER_SYMBOL(comch_producer_create);

/**
 * Frees a producer that is idle, with its tasks.
 *
 * @param producer the producer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_INITIALIZATION unless it is idle: nothing is changed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_destroy(struct doca_cc_producer *producer)
    DOCA_LATER_SYMBOL(comch_producer_destroy);

/**
 * The greatest number of bytes of a message: 1 GiB on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_buf_size receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                   doca_cc_size_t *max_buf_size)
    DOCA_CC_SYMBOL(producer_cap_get_max_buf_size);

/**
 * The context of the producer: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param producer the producer.
 * @return the context.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_cc_producer_as_ctx(struct doca_cc_producer *producer)
    DOCA_LATER_SYMBOL(comch_producer_as_ctx);

#if DOCA_USE_VERSION == 25
/**
 * Says whether producers can be made for connections of the device: software functions can,
 * ibverbs devices cannot.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS if they can;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_is_producer_supported(const struct doca_devinfo *devinfo)
    DOCA_LATER_SYMBOL(comch_producer_cap_is_supported);

/**
 * The base-2 logarithm of the greatest number of send tasks of a producer: 13 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_log_num_tasks receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
                                                        size_t *max_log_num_tasks)
    DOCA_2_5_SYMBOL(cc_producer_cap_get_max_log_num_tasks);

/**
 * Says how many send tasks an idle producer has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param producer the producer.
 * @param task_completion_cb called for each task whose message is in the consumer's memory.
 * @param task_error_cb called for each task that failed.
 * @param log_num_tasks the base-2 logarithm of their number, at most that of the greatest.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the producer is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_send_task_set_conf(
    struct doca_cc_producer *producer, doca_cc_producer_send_task_comp_handler task_completion_cb,
    doca_cc_producer_send_task_comp_handler task_error_cb, size_t log_num_tasks)
    DOCA_2_5_SYMBOL(cc_producer_send_task_set_conf);

/**
 * Takes a send task of a producer that runs. What its submission and the task itself can return
 * stands at the top of this file. The buffer stays as it is until the task is over.
 *
 * @param producer the producer.
 * @param buf the buffer whose data are sent, or NULL: a message without bytes.
 * @param consumer_id the consumer's id, of the event of new consumers.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the producer does not run, or has no tasks.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *producer,
                                                   struct doca_buf *buf, int consumer_id,
                                                   struct doca_cc_producer_send_task **task)
    DOCA_2_5_SYMBOL(cc_producer_task_send_alloc_init);

/**
 * The buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_cc_producer_send_task_get_buf(struct doca_cc_producer_send_task *task)
    DOCA_LATER_SYMBOL(comch_producer_task_send_get_buf);

/**
 * Changes the buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param buf the buffer.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
void doca_cc_producer_send_task_set_buf(struct doca_cc_producer_send_task *task,
                                        struct doca_buf *buf)
    DOCA_LATER_SYMBOL(comch_producer_task_send_set_buf);

/**
 * The consumer id of the task.
 *
 * @param task the task.
 * @return the consumer id.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
int doca_cc_producer_send_task_get_consumer_id(struct doca_cc_producer_send_task *task)
    DOCA_LATER_SYMBOL(comch_producer_task_send_get_consumer_id);

/**
 * Changes the consumer id of a task that is not submitted.
 *
 * @param task the task.
 * @param consumer_id the consumer id.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
void doca_cc_producer_send_task_set_consumer_id(struct doca_cc_producer_send_task *task,
                                                const int consumer_id)
    DOCA_LATER_SYMBOL(comch_producer_task_send_set_consumer_id);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_cc_producer_send_task_as_task(struct doca_cc_producer_send_task *task)
    DOCA_LATER_SYMBOL(comch_producer_task_send_as_task);

#else
/**
 * Says whether producers can be made for connections of the device: software functions can,
 * ibverbs devices cannot.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS if they can;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_cap_is_supported(const struct doca_devinfo *devinfo)
    DOCA_LATER_SYMBOL(comch_producer_cap_is_supported);

/**
 * The id that consumers of the other side see with each message. No two producers of one side of a
 * connection have the same. In any state.
 *
 * @param producer the producer.
 * @param id receives it: 1 or more.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_get_id(const struct doca_cc_producer *producer, uint32_t *id)
    DOCA_LATER_SYMBOL(comch_producer_get_id);

/**
 * The greatest number of send tasks of a producer: 8192 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_num_tasks receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_num_tasks)
    DOCA_LATER_SYMBOL(comch_producer_cap_get_max_num_tasks);

/**
 * The greatest number of producers that each side of a connection may have: 4096 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_producers receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_producers)
    DOCA_LATER_SYMBOL(comch_producer_cap_get_max_producers);

/**
 * Says how many send tasks an idle producer has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param producer the producer.
 * @param task_completion_cb called for each task whose message is in the consumer's memory.
 * @param task_error_cb called for each task that failed.
 * @param num_send_tasks 1 to doca_cc_producer_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the producer is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_cc_producer_task_send_set_conf(struct doca_cc_producer *producer,
                                    doca_cc_producer_task_send_completion_cb_t task_completion_cb,
                                    doca_cc_producer_task_send_completion_cb_t task_error_cb,
                                    uint32_t num_send_tasks)
    DOCA_LATER_SYMBOL(comch_producer_task_send_set_conf);

/**
 * Takes a send task of a producer that runs. What its submission and the task itself can return
 * stands at the top of this file. The buffer stays as it is until the task is over.
 *
 * @param producer the producer.
 * @param buf the buffer whose data are sent, or NULL: a message without bytes.
 * @param consumer_id the consumer's id, of the event of new consumers.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the producer does not run, or has no tasks.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_task_send_alloc_init(struct doca_cc_producer *producer,
                                                   struct doca_buf *buf, uint32_t consumer_id,
                                                   struct doca_cc_producer_task_send **task)
    DOCA_2_5_SYMBOL(cc_producer_task_send_alloc_init);

/**
 * The buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_cc_producer_task_send_get_buf(struct doca_cc_producer_task_send *task)
    DOCA_LATER_SYMBOL(comch_producer_task_send_get_buf);

/**
 * Changes the buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param buf the buffer.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
void doca_cc_producer_task_send_set_buf(struct doca_cc_producer_task_send *task,
                                        struct doca_buf *buf)
    DOCA_LATER_SYMBOL(comch_producer_task_send_set_buf);

/**
 * The consumer id of the task.
 *
 * @param task the task.
 * @return the consumer id.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_cc_producer_task_send_get_consumer_id(struct doca_cc_producer_task_send *task)
    DOCA_LATER_SYMBOL(comch_producer_task_send_get_consumer_id);

/**
 * Changes the consumer id of a task that is not submitted.
 *
 * @param task the task.
 * @param consumer_id the consumer id.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
void doca_cc_producer_task_send_set_consumer_id(struct doca_cc_producer_task_send *task,
                                                const uint32_t consumer_id)
    DOCA_LATER_SYMBOL(comch_producer_task_send_set_consumer_id);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_cc_producer_task_send_as_task(struct doca_cc_producer_task_send *task)
    DOCA_LATER_SYMBOL(comch_producer_task_send_as_task);

#endif

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CC_PRODUCER_H_ */

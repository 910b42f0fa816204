/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_cc_consumer.h
 * Consumers of Comch as 2.5 and 2.6 have it.
 *
 * A consumer receives messages of any size into buffers that the program has posted. The other side
 * gets its id by an event, and sends to it with a producer (doca_cc_producer.h). It behaves as
 * doca_comch_consumer.h of DOCA 3 says, without immediate data.
 *
 * Source: table of differences. Since: 2.5; 2.7 has doca_comch_consumer.h.
 */
#ifndef DOCA_CC_CONSUMER_H_
#define DOCA_CC_CONSUMER_H_

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
/** A consumer. */
struct doca_cc_consumer;

#if DOCA_USE_VERSION == 25
/** A task that receives a message. */
struct doca_cc_consumer_post_recv_task;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_cc_consumer_post_recv_task_comp_handler)(
    struct doca_cc_consumer_post_recv_task *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
#else
/** A task that receives a message. */
struct doca_cc_consumer_task_post_recv;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_cc_consumer_task_post_recv_completion_cb_t)(
    struct doca_cc_consumer_task_post_recv *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
#endif

/**
 * Makes a consumer: the receiving end of the fast path on a connection. Its id is the lowest that
 * no other consumer of this side of the connection has. It receives into buffers of one map, which
 * the process at the other end of the connection may write to while the consumer is started.
 *
 * The consumer may outlive the connection, but not be started then.
 *
 * @param cc_connection the connection, of a server or of a client.
 * @param buf_mmap a map of this process that is started, has the connection's device, and
 *   DOCA_ACCESS_FLAG_PCI_READ_WRITE or DOCA_ACCESS_FLAG_RDMA_WRITE.
 * @param consumer receives the consumer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the map does not have the connection's device;
 *   DOCA_ERROR_NO_MEMORY if there is no memory, or this side of the connection has 256 consumers;
 *   DOCA_ERROR_BAD_STATE if the map is not started, or was imported, or the connection has ended;
 *   DOCA_ERROR_NOT_PERMITTED if the map lacks the permission.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_create(struct doca_cc_connection *cc_connection,
                                     struct doca_mmap *buf_mmap, struct doca_cc_consumer **consumer)
    DOCA_LATER_SYMBOL(comch_consumer_create);

/**
 * Frees a consumer that is idle, with its tasks. Its id may be given to another one.
 *
 * @param consumer the consumer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_INITIALIZATION unless it is idle: nothing is changed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_destroy(struct doca_cc_consumer *consumer)
    DOCA_LATER_SYMBOL(comch_consumer_destroy);

/**
 * The id that producers of the other side name in their sends, and that the new-consumer event
 * tells there: 1 to doca_cc_consumer_cap_get_max_consumers(). Of a consumer in any state.
 *
 * @param consumer the consumer.
 * @param id receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_get_id(const struct doca_cc_consumer *consumer, uint32_t *id)
    DOCA_LATER_SYMBOL(comch_consumer_get_id);

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
doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                   doca_cc_size_t *max_buf_size)
    DOCA_CC_SYMBOL(consumer_cap_get_max_buf_size);

/**
 * The context of the consumer: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param consumer the consumer.
 * @return the context.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer)
    DOCA_LATER_SYMBOL(comch_consumer_as_ctx);

#if DOCA_USE_VERSION == 25
/**
 * Says whether consumers can be made for connections of the device: software functions can,
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
doca_error_t doca_cc_cap_is_consumer_supported(const struct doca_devinfo *devinfo)
    DOCA_LATER_SYMBOL(comch_consumer_cap_is_supported);

/**
 * The base-2 logarithm of the greatest number of receive tasks of a consumer: 13 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_log_num_tasks receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
                                                        size_t *max_log_num_tasks)
    DOCA_2_5_SYMBOL(cc_consumer_cap_get_max_log_num_tasks);

/**
 * Says how many receive tasks an idle consumer has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param consumer the consumer.
 * @param task_completion_cb called for each task that has received a message.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param log_num_tasks the base-2 logarithm of their number, at most that of the greatest.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the consumer is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_post_recv_task_set_conf(
    struct doca_cc_consumer *consumer,
    doca_cc_consumer_post_recv_task_comp_handler task_completion_cb,
    doca_cc_consumer_post_recv_task_comp_handler task_error_cb, size_t log_num_tasks)
    DOCA_2_5_SYMBOL(cc_consumer_post_recv_task_set_conf);

/**
 * Takes a receive task of a consumer that runs. It receives one message, appended to the data of
 * its buffer, when it is submitted and its turn has come.
 *
 * Submission fails with DOCA_ERROR_INVALID_VALUE, and one line of the log, if the buffer was given
 * back, does not lie in the consumer's map, is a list, or has data outside itself. The task itself
 * fails with DOCA_ERROR_INVALID_VALUE if the buffer was changed since; DOCA_ERROR_IO_FAILED if
 * the message could not be written, or the other side breaks the rules, which ends the consumer;
 * DOCA_ERROR_CONNECTION_RESET if the connection ends; DOCA_ERROR_SHUTDOWN if the consumer is
 * stopped.
 *
 * @param consumer the consumer.
 * @param buf a buffer of the consumer's map, or NULL: a message without bytes.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the consumer does not run, or has no tasks.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_cc_consumer_post_recv_task_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
                                           struct doca_cc_consumer_post_recv_task **task)
    DOCA_LATER_SYMBOL(comch_consumer_task_post_recv_alloc_init);

/**
 * The buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_cc_consumer_post_recv_task_get_buf(struct doca_cc_consumer_post_recv_task *task)
    DOCA_LATER_SYMBOL(comch_consumer_task_post_recv_get_buf);

/**
 * Changes the buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param buf the buffer.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
void doca_cc_consumer_post_recv_task_set_buf(struct doca_cc_consumer_post_recv_task *task,
                                             struct doca_buf *buf)
    DOCA_LATER_SYMBOL(comch_consumer_task_post_recv_set_buf);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_cc_consumer_post_recv_task_as_task(struct doca_cc_consumer_post_recv_task *task)
    DOCA_LATER_SYMBOL(comch_consumer_task_post_recv_as_task);

#else
/**
 * Says whether consumers can be made for connections of the device: software functions can,
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
doca_error_t doca_cc_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
    DOCA_LATER_SYMBOL(comch_consumer_cap_is_supported);

/**
 * The greatest number of receive tasks of a consumer: 8192 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_num_tasks receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_num_tasks)
    DOCA_LATER_SYMBOL(comch_consumer_cap_get_max_num_tasks);

/**
 * The greatest number of consumers that each side of a connection may have: 256 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_consumers receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_consumers)
    DOCA_LATER_SYMBOL(comch_consumer_cap_get_max_consumers);

/**
 * Says how many receive tasks an idle consumer has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param consumer the consumer.
 * @param task_completion_cb called for each task that has received a message.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param num_post_recv_tasks 1 to doca_cc_consumer_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the consumer is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_task_post_recv_set_conf(
    struct doca_cc_consumer *consumer,
    doca_cc_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_cc_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks)
    DOCA_LATER_SYMBOL(comch_consumer_task_post_recv_set_conf);

/**
 * Takes a receive task of a consumer that runs. It receives one message, appended to the data of
 * its buffer, when it is submitted and its turn has come.
 *
 * Submission fails with DOCA_ERROR_INVALID_VALUE, and one line of the log, if the buffer was given
 * back, does not lie in the consumer's map, is a list, or has data outside itself. The task itself
 * fails with DOCA_ERROR_INVALID_VALUE if the buffer was changed since; DOCA_ERROR_IO_FAILED if
 * the message could not be written, or the other side breaks the rules, which ends the consumer;
 * DOCA_ERROR_CONNECTION_RESET if the connection ends; DOCA_ERROR_SHUTDOWN if the consumer is
 * stopped.
 *
 * @param consumer the consumer.
 * @param buf a buffer of the consumer's map, or NULL: a message without bytes.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the consumer does not run, or has no tasks.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_cc_consumer_task_post_recv_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
                                           struct doca_cc_consumer_task_post_recv **task)
    DOCA_LATER_SYMBOL(comch_consumer_task_post_recv_alloc_init);

/**
 * The buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_cc_consumer_task_post_recv_get_buf(struct doca_cc_consumer_task_post_recv *task)
    DOCA_LATER_SYMBOL(comch_consumer_task_post_recv_get_buf);

/**
 * Changes the buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param buf the buffer.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
void doca_cc_consumer_task_post_recv_set_buf(struct doca_cc_consumer_task_post_recv *task,
                                             struct doca_buf *buf)
    DOCA_LATER_SYMBOL(comch_consumer_task_post_recv_set_buf);

/**
 * Who sent it.
 *
 * @param task the task.
 * @return the producer id.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
uint32_t
doca_cc_consumer_task_post_recv_get_producer_id(struct doca_cc_consumer_task_post_recv *task)
    DOCA_LATER_SYMBOL(comch_consumer_task_post_recv_get_producer_id);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_cc_consumer_task_post_recv_as_task(struct doca_cc_consumer_task_post_recv *task)
    DOCA_LATER_SYMBOL(comch_consumer_task_post_recv_as_task);

#endif

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CC_CONSUMER_H_ */

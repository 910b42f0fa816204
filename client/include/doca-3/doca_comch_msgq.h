/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_comch_msgq.h
 * Message queues of Comch for DPA programs. There is no such hardware here.
 */
#ifndef DOCA_COMCH_MSGQ_H_
#define DOCA_COMCH_MSGQ_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A message queue. */
struct doca_comch_msgq;
/** A producer. */
struct doca_comch_producer;
/** A consumer. */
struct doca_comch_consumer;
/** A device. */
struct doca_dev;
/** A DPA. */
struct doca_dpa;

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param dev the device.
 * @param msgq where to put the message queue.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param msgq the message queue.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param msgq the message queue.
 * @param dpa the DPA.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param msgq the message queue.
 * @param max_num_consumers the greatest number of consumers.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_consumers);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param msgq the message queue.
 * @param dpa the DPA.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param msgq the message queue.
 * @param max_num_producers the greatest number of producers.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_producers);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param msgq the message queue.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param msgq the message queue.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param msgq the message queue.
 * @param consumer where to put the consumer.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_consumer **consumer);

/**
 * For programs that drive a device themselves. There is no such hardware here, so it is
 * never possible.
 *
 * @param msgq the message queue.
 * @param producer where to put the producer.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_producer **producer);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_MSGQ_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dma.h
 * DMA: jobs that append the data of one buffer, or list of buffers, to another.
 *
 * A DMA context takes one device, and any number of work queues in either mode. Source and
 * destination may each be local or imported.
 *
 * Since 2.2.
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15 /* instead of this file */
#include "doca-1.3/doca_dma.h"
#elif defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#include "doca-1.5/doca_dma.h"
#endif
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <inttypes.h>
#include <stddef.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A DMA context. */
struct doca_dma;

/** Jobs of a DMA context. */
enum doca_dma_job_types {
    DOCA_DMA_JOB_MEMCPY = DOCA_ACTION_DMA_FIRST + 1 /**< struct doca_dma_job_memcpy */
};

/**
 * Copies the data of the source to the tailroom of the destination, whose data lengths
 * grow by the bytes written. Each may be a list (up to
 * doca_dma_get_max_list_buf_num_elem() buffers, counted from the given one): the data of
 * the source buffers is gathered, and the tailrooms of the destination are filled one
 * after the other.
 *
 * doca_workq_submit() returns DOCA_ERROR_INVALID_VALUE if either buffer is NULL or was
 * given back. Everything else is checked when the job is executed. If a job fails,
 * doca_workq_progress_retrieve() returns DOCA_ERROR_IO_FAILED, with the reason in
 * event.result.u64:
 *   DOCA_ERROR_INVALID_VALUE: the source has no data, or more than
 *   doca_dma_get_max_buf_size(); the destination's tailroom is too small; data placed
 *   outside its buffer; a list too long;
 *   DOCA_ERROR_NOT_PERMITTED: the context's device was not added to both memory maps;
 *   a map was not started;
 *   the destination's map does not allow writing; the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET: the exporter has gone;
 *   DOCA_ERROR_NOT_CONNECTED: the exporter's docad is out of reach;
 *   DOCA_ERROR_IO_FAILED: the bytes could not be moved (for instance, memory was
 *   unmapped).
 * A failed job leaves the data lengths of the destination as they were; bytes in its
 * tailroom may have been written.
 *
 * Source and destination may overlap if each is a single buffer of a local map: the result
 * is that of memmove(). The result of other overlaps is not defined.
 *
 * Source: table and guide; the errors and the rule for overlaps are our choice.
 */
struct doca_dma_job_memcpy {
    struct doca_job base;            /**< type is DOCA_DMA_JOB_MEMCPY. */
    struct doca_buf *dst_buff;       /**< Destination. */
    struct doca_buf const *src_buff; /**< Source. */
};

/** What event.result holds for DOCA_DMA_JOB_MEMCPY. */
struct doca_dma_memcpy_result {
    doca_error_t result; /**< DOCA_SUCCESS, or why the job failed. */
};

/**
 * Makes a DMA context. No docad needs to run for it.
 *
 * @param dma receives the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY, also when the process has doca_ctx_get_max_num_ctx() contexts.
 *   (DOCA_ERROR_INITIALIZATION of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dma_create(struct doca_dma **dma);

/**
 * Destroys a DMA context that has no work queues. It may still be started, and have its
 * device, open or closed.
 *
 * @param dma the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL (our choice);
 *   DOCA_ERROR_IN_USE while it has work queues: nothing is changed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dma_destroy(struct doca_dma *dma);

/**
 * Says whether a device can execute a job.
 *
 * @param devinfo the device.
 * @param job_type which job.
 * @return DOCA_SUCCESS if it can;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a type that is not a DMA job;
 *   DOCA_ERROR_NOT_SUPPORTED if it cannot.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dma_job_get_supported(struct doca_devinfo *devinfo,
                                        enum doca_dma_job_types job_type);

/**
 * Returns the DMA context as a context.
 *
 * @param dma the context.
 * @return its base, the same at each call; NULL for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/**
 * Returns the number of buffers that the source or the destination of a job may have.
 *
 * @param devinfo the device.
 * @param max_list_num_elem receives the number: 64.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device has no DMA (our choice).
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                                uint32_t *max_list_num_elem);

/**
 * Returns the number of bytes that a job may copy.
 *
 * @param devinfo the device.
 * @param buf_size receives the number of bytes: 2^40, or less if the device imitates a card.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device has no DMA (our choice).
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_max_buf_size(const struct doca_devinfo *devinfo, uint64_t *buf_size);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DMA_H_ */

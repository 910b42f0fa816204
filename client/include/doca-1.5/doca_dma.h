/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dma.h
 * DMA of the 1.5 interface: jobs that copy the data of one buffer to the place where the
 * data of another begins.
 *
 * A DMA context takes one device, and any number of work queues in either mode. Source and
 * destination may each be local or imported.
 *
 * Since 1.5.
 */
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

/** What a device can do, by the names of 1.3. No function of this interface returns them. */
enum doca_dma_devinfo_caps {
    DOCA_DMA_CAP_NONE = 0,             /**< nothing */
    DOCA_DMA_CAP_HW_OFFLOAD = (1 << 0) /**< copies as a device does */
};

/**
 * Copies the data of the source to the address where the data of the destination begins.
 * The length of the destination's data is not used: only the end of the buffer counts. So one
 * job may be submitted again and again, and overwrites its destination each time. (Later
 * interfaces append.) The submission sets the length to that of what is copied; after a job that
 * fails, it means nothing.
 *
 * A job takes addresses and lengths when it is submitted: doca_buf_set_data() may be called
 * on both buffers right afterwards, for the next job. Jobs whose bytes are mapped here are
 * executed within doca_workq_submit().
 *
 * Each may be a list (up to doca_dma_get_max_list_buf_num_elem() buffers, counted from the
 * given one): the data of the source buffers is gathered, and the destination buffers are
 * filled one after the other, each from where its data begins to its end. The buffers of a
 * list must stay as they are until the event has been retrieved.
 *
 * doca_workq_submit() returns DOCA_ERROR_INVALID_VALUE if either buffer is NULL or was
 * given back. The job's event reports everything else: if a job fails,
 * doca_workq_progress_retrieve() returns DOCA_ERROR_IO_FAILED, with the reason in
 * event.result.u64:
 *   DOCA_ERROR_INVALID_VALUE: the source has more data than doca_dma_get_max_buf_size(), or
 *   than there is room in the destination; data placed outside its buffer; a list too long;
 *   DOCA_ERROR_NOT_PERMITTED: the context's device was not added to both memory maps; the
 *   destination's map does not allow writing; the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET: the exporter has gone;
 *   DOCA_ERROR_NOT_CONNECTED: the exporter's docad is out of reach;
 *   DOCA_ERROR_IO_FAILED: the bytes could not be moved (for instance, memory was unmapped).
 * After a failure some of the bytes may have been written. A job without data succeeds.
 *
 * Source and destination may overlap if each is a single buffer of a local map: the result
 * is that of memmove(). The result of other overlaps is not defined.
 *
 * Source: programs; the errors, lists and the rule for overlaps are our choice.
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
 *
 * Source: table; the errors are our choice. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dma_create(struct doca_dma **dma) DOCA_1_5_SYMBOL(dma_create);

/**
 * Destroys a DMA context that has no work queues. It may still be started, and have its
 * device, open or closed.
 *
 * @param dma the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL (our choice);
 *   DOCA_ERROR_IN_USE while it has work queues: nothing is changed.
 *
 * Source: table. Since: 1.5.
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
 * Source: table. Since: 1.5.
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
 * Source: table. Since: 1.5.
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
 * Source: table. Since: 1.5.
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
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_max_buf_size(const struct doca_devinfo *devinfo, uint64_t *buf_size);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DMA_H_ */

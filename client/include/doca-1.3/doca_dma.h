/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dma.h
 * The DMA library of the 1.3 interface: copies a number of bytes from the start of one
 * buffer to the start of another.
 *
 * Since 1.3.
 */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <inttypes.h>

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
    /** struct doca_dma_job_memcpy. The number tells it from the job of later interfaces. */
    DOCA_DMA_JOB_MEMCPY = DOCA_ACTION_DMA_FIRST + 0x130
};

/** What a device can do: a bit mask. */
enum doca_dma_devinfo_caps {
    DOCA_DMA_CAP_NONE = 0,             /**< nothing */
    DOCA_DMA_CAP_HW_OFFLOAD = (1 << 0) /**< copies as a device does */
};

/**
 * Copies bytes [0, num_bytes_to_copy) of the source to the same place of the destination.
 * Nothing else of either changes.
 *
 * doca_workq_submit() returns DOCA_ERROR_INVALID_VALUE if either buffer is NULL or was given
 * back. Everything else is checked when the job is executed: its event then has the reason in
 * result.u64, or DOCA_SUCCESS if the job has succeeded. (In this interface
 * doca_workq_progress_retrieve() returns DOCA_SUCCESS for both.)
 *   DOCA_ERROR_INVALID_VALUE: num_bytes_to_copy is 0, above 1 TiB, or more than a buffer has;
 *   DOCA_ERROR_NOT_PERMITTED: the context's device was not added to both memory maps;
 *   the destination's map does not allow writing; the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET: the exporter has gone;
 *   DOCA_ERROR_NOT_CONNECTED: the exporter's docad is out of reach;
 *   DOCA_ERROR_IO_FAILED: the bytes could not be moved (for instance, memory was unmapped).
 * After a failure some of the bytes may have been written.
 *
 * If both buffers belong to local maps they may overlap: the result is that of memmove().
 *
 * Source: guide; the errors and the rule for overlaps are our choice.
 */
struct doca_dma_job_memcpy {
    struct doca_job base;            /**< type is DOCA_DMA_JOB_MEMCPY. */
    struct doca_buf *dst_buff;       /**< Destination. */
    struct doca_buf const *src_buff; /**< Source. */
    uint64_t num_bytes_to_copy;      /**< How many bytes. */
};

/**
 * Makes a DMA context. No docad needs to run for it.
 *
 * @param dma receives the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY, also when the process has doca_ctx_get_max_num_ctx() contexts.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dma_create(struct doca_dma **dma);

/**
 * Destroys a DMA context that has no work queues. It may still be started, and have its
 * device, open or closed.
 *
 * @param dma the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_IN_USE while it has work queues: nothing is changed.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dma_destroy(struct doca_dma *dma);

/**
 * Returns the context in the form that doca_ctx.h uses.
 *
 * @param dma the context.
 * @return the same context; NULL for NULL.
 *
 * Source: guide. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/**
 * Returns what a device can do.
 *
 * @param devinfo the device.
 * @param caps [out] mask of enum doca_dma_devinfo_caps; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: guide, programs. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dma_devinfo_caps_get(struct doca_devinfo *devinfo, uint32_t *caps);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DMA_H_ */

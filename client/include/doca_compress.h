/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_compress.h
 * Compression: jobs that compress and decompress deflate, and decompress LZ4.
 *
 * A compression context takes one device (of any kind), and any number of work queues in either
 * mode. Source and destination may each be local or imported, and lists of buffers. A long job is
 * computed by a thread of the library, if the process may use more than one core: submitting it
 * returns at once, several are computed at a time, and they complete in the order in which they
 * end. The environment variable DOCAD_WORKERS limits the number of these threads.
 *
 * Since 2.2.
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15 /* instead of this file */
#include "doca-1.5/doca_compress.h"
#endif
#ifndef DOCA_COMPRESS_H_
#define DOCA_COMPRESS_H_

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A compression context. */
struct doca_compress;

/** Jobs of a compression context. */
enum doca_compress_job_types {
    /** struct doca_compress_deflate_job: compress to raw deflate (RFC 1951). */
    DOCA_COMPRESS_DEFLATE_JOB = DOCA_ACTION_COMPRESS_FIRST + 1,
    DOCA_DECOMPRESS_DEFLATE_JOB, /**< struct doca_compress_deflate_job: decompress it. */
    DOCA_DECOMPRESS_LZ4_JOB      /**< struct doca_compress_lz4_job: decompress one LZ4 block. */
};

/**
 * Compresses or decompresses the source's data to the destination, beginning at the destination's
 * data, whatever its length; afterwards its data is the result. A list of destinations is filled
 * one after the other. Deflate is raw: without the header and trailer of zlib or gzip. What
 * follows the end of a deflate stream in the source is ignored.
 *
 * doca_workq_submit() returns DOCA_ERROR_INVALID_VALUE for a buffer that is NULL or was given
 * back, and DOCA_ERROR_NOT_SUPPORTED for a type that doca_compress_job_get_supported() refuses.
 *
 * If a job fails, doca_workq_progress_retrieve() returns DOCA_ERROR_IO_FAILED, with the reason in
 * event.result.u64:
 *   DOCA_ERROR_FULL: the result does not fit into the destination;
 *   DOCA_ERROR_IO_FAILED: the source is not valid, or bytes could not be read or written;
 *   DOCA_ERROR_INVALID_VALUE: the source has no data, or more than
 *   doca_compress_get_max_buf_size(); a list has more than
 *   doca_compress_get_max_list_buf_num_elem() buffers; data is placed outside of its buffer; a
 *   buffer was changed while the job was in flight;
 *   DOCA_ERROR_NOT_PERMITTED: the context's device was not added to both memory maps; a map was
 *   not started; the destination's map does not allow writing; the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET: the exporter has gone;
 *   DOCA_ERROR_NOT_CONNECTED: the exporter's docad is out of reach;
 *   DOCA_ERROR_BAD_STATE: the process is a child of the one that submitted it.
 * Then the destination's data length is what it was; its bytes may have been written, but none
 * outside of its buffers.
 *
 * Source: table; which error means what is our choice.
 */
struct doca_compress_deflate_job {
    struct doca_job base;            /**< type is one of the two of deflate. */
    struct doca_buf *dst_buff;       /**< Destination. */
    const struct doca_buf *src_buff; /**< Source. */
    /** NULL, or receives the checksums of the plain data when the job's event is retrieved: CRC-32
     * in the low 32 bits, Adler-32 in the high ones. */
    uint64_t *output_chksum;
};

/**
 * Decompresses an LZ4 block (without its size, and without a frame). Everything said of struct
 * doca_compress_deflate_job applies here too; bytes after the end of the block make it fail.
 *
 * Source: table; that it is one block is our choice.
 */
struct doca_compress_lz4_job {
    struct doca_job base;            /**< type is DOCA_DECOMPRESS_LZ4_JOB. */
    struct doca_buf *dst_buff;       /**< Destination. */
    const struct doca_buf *src_buff; /**< Source. */
    /** The same, with xxHash-32 in the high bits (as doca_compress_deflate_job has Adler-32). */
    uint64_t *output_chksum;
};

/**
 * Makes a compression context. No docad needs to run for it.
 *
 * @param compress receives the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY, also when the process has doca_ctx_get_max_num_ctx() contexts.
 *   (DOCA_ERROR_INITIALIZATION of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_compress_create(struct doca_compress **compress);

/**
 * Destroys a compression context that has no work queues. It may still be started, and have its
 * device, open or closed.
 *
 * @param compress the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_IN_USE while work queues are attached: nothing is destroyed;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_compress_destroy(struct doca_compress *compress);

/**
 * Says whether a device has jobs of a type: all have those of deflate if the library was built
 * with ISA-L, and LZ4 if it was built with liblz4 besides.
 *
 * @param devinfo the device.
 * @param job_type the type.
 * @return DOCA_SUCCESS: it has;
 *   DOCA_ERROR_NOT_SUPPORTED: it has not; this is an answer, and not logged;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a type that is not one of enum doca_compress_job_types.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_compress_job_get_supported(struct doca_devinfo *devinfo,
                                             enum doca_compress_job_types job_type);

/**
 * The most data that the source of a job may have: 128 MiB. Destinations may be larger.
 *
 * @param devinfo the device.
 * @param job_type the type.
 * @param max_buffer_size receives the number of bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_SUPPORTED as doca_compress_job_get_supported(), with a log line;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a type that is not one of enum doca_compress_job_types.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_compress_get_max_buf_size(const struct doca_devinfo *devinfo,
                                            enum doca_compress_job_types job_type,
                                            uint64_t *max_buffer_size);

/**
 * The most buffers that the list of a source, or destination, may have, counted from the one in
 * the job: 128, or the limit of the card that the device imitates.
 *
 * @param devinfo the device.
 * @param max_list_num_elem receives the number.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_compress_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                                     uint32_t *max_list_num_elem);

/**
 * The same object as a context, for the functions of doca_ctx.h.
 *
 * @param compress the compression context.
 * @return the context, or NULL if `compress` is NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
struct doca_ctx *doca_compress_as_ctx(struct doca_compress *compress);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_COMPRESS_H_ */

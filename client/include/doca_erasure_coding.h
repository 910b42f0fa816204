/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_erasure_coding.h
 * Erasure coding: jobs that make redundancy blocks of data blocks, and recover missing blocks from
 * those that are left.
 *
 * All blocks of a job have the same length; a source is blocks one after the other, and so is a
 * destination. Their number follows from the matrix. An erasure coding context takes one device (of
 * any kind), and any number of work queues in either mode. Source and destination may each be local
 * or imported, and lists of buffers; a block may lie across buffers. A long job is computed by a
 * thread of the library, if the process may use more than one core: submitting it returns at once,
 * several are computed at a time, and they complete in the order in which they end. The environment
 * variable DOCAD_WORKERS limits the number of these threads.
 *
 * Blocks are multiplied over the field of 256 elements with the polynomial 0x11d, by ISA-L. Where
 * the library was built without it, functions that need it return DOCA_ERROR_NOT_SUPPORTED.
 *
 * Since 2.2.
 */
#ifndef DOCA_ERASURE_CODING_H_
#define DOCA_ERASURE_CODING_H_

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#error "DOCA 1.5 has no doca_erasure_coding.h"
#endif

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

/** An erasure coding context. */
struct doca_ec;

/** A matrix. Jobs only read it, and it is not destroyed while they do. */
struct doca_matrix;

/** Jobs of an erasure coding context. */
enum doca_ec_job_types {
    DOCA_EC_JOB_GALOIS_MUL = DOCA_ACTION_EC_FIRST + 1, /**< struct doca_ec_job */
    DOCA_EC_JOB_CREATE,                                /**< struct doca_ec_job_create */
    DOCA_EC_JOB_UPDATE,                                /**< struct doca_ec_job_update */
    DOCA_EC_JOB_RECOVER                                /**< struct doca_ec_job_recover */
};

/** How a coding matrix is made. */
enum doca_ec_matrix_types {
    /** 1 / (i ^ j). Any missing blocks can be recovered, as many as there are redundancy blocks. */
    DOCA_CODING_MATRIX_CAUCHY = 1,
    /** Powers. With some counts there are missing blocks that cannot be recovered. */
    DOCA_CODING_MATRIX_VANDERMONDE = 2
};

/**
 * Multiplies a matrix of any kind by the blocks of the source. The result is appended to the data
 * of the destination. Everything said here applies to the other jobs, too.
 *
 * doca_workq_submit() returns DOCA_ERROR_INVALID_VALUE for another type, a matrix that is NULL, and
 * a buffer that is NULL or was given back.
 *
 * If a job fails, doca_workq_progress_retrieve() returns DOCA_ERROR_IO_FAILED, with the reason in
 * event.result.u64:
 *   DOCA_ERROR_INVALID_VALUE: the matrix is of another kind than the job; the length of the source
 *   is not a multiple of the matrix's number of input blocks, or it is 0; a block is longer than
 *   doca_ec_get_max_buffer_size(); the destination has no room for the result; a list has more than
 *   doca_ec_get_max_list_buf_num_elem() buffers; data is placed outside of its buffer; a buffer was
 *   changed while the job was in flight;
 *   DOCA_ERROR_NOT_PERMITTED: the context's device was not added to both memory maps; a map was
 *   not started; the destination's map does not allow writing; the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET: the exporter has gone;
 *   DOCA_ERROR_NOT_CONNECTED: the exporter's docad is out of reach;
 *   DOCA_ERROR_IO_FAILED: bytes could not be read or written;
 *   DOCA_ERROR_BAD_STATE: the process is a child of the one that submitted it.
 * Then the destination's data length is what it was; its bytes may have been written, but none
 * outside of its buffers.
 *
 * Source: table; which error means what is our choice.
 */
struct doca_ec_job {
    struct doca_job base;              /**< type is DOCA_EC_JOB_GALOIS_MUL. */
    struct doca_matrix *coding_matrix; /**< Any matrix. */
    const struct doca_buf *src_buff;   /**< As many blocks as the matrix has columns. */
    struct doca_buf *dst_buff;         /**< Receives as many blocks as it has rows. */
};

/** Makes redundancy blocks. See struct doca_ec_job. */
struct doca_ec_job_create {
    struct doca_job base;                          /**< type is DOCA_EC_JOB_CREATE. */
    struct doca_matrix *create_matrix;             /**< A coding matrix. */
    const struct doca_buf *src_original_data_buff; /**< All data blocks. */
    struct doca_buf *dst_rdnc_buff;                /**< Receives the redundancy blocks. */
};

/** Makes redundancy blocks anew after some data blocks have changed. See struct doca_ec_job. */
struct doca_ec_job_update {
    struct doca_job base;              /**< type is DOCA_EC_JOB_UPDATE. */
    struct doca_matrix *update_matrix; /**< Of doca_ec_update_matrix_create(). */
    /** The data blocks in question as they were, then as they are, in the order of the matrix's
     * indices; then all redundancy blocks as they were. */
    const struct doca_buf *src_data_rdnc_buff;
    struct doca_buf *dst_updated_rdnc_buff; /**< Receives all redundancy blocks. */
};

/** Recovers missing blocks. See struct doca_ec_job. */
struct doca_ec_job_recover {
    struct doca_job base;               /**< type is DOCA_EC_JOB_RECOVER. */
    struct doca_matrix *recover_matrix; /**< Of doca_ec_recover_matrix_create(), or a coding
                                             matrix that is its own inverse. */
    /** As many blocks as there are data blocks: the first that are left, data blocks before
     * redundancy blocks, in the order of their indices. */
    const struct doca_buf *src_remaining_data_buff;
    struct doca_buf *dst_recovered_data_buff; /**< Receives the missing blocks, in their order. */
};

/**
 * Makes an erasure coding context. No docad needs to run for it.
 *
 * @param ec receives the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY, also when the process has doca_ctx_get_max_num_ctx() contexts.
 *   (DOCA_ERROR_INITIALIZATION of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ec_create(struct doca_ec **ec);

/**
 * Destroys an erasure coding context that has no work queues. It may still be started, and have its
 * device, open or closed. Its matrices stay.
 *
 * @param ec the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_IN_USE while work queues are attached: nothing is destroyed;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ec_destroy(struct doca_ec *ec);

/**
 * Returns an erasure coding context as a DOCA context, for the functions of doca_ctx.h.
 *
 * @param ctx the context.
 * @return the same object; NULL for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
struct doca_ctx *doca_ec_as_ctx(struct doca_ec *ctx);

/**
 * Says whether a device can do a job: every one can.
 *
 * @param devinfo the device.
 * @param job_type the job.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_SUPPORTED if the library was built without ISA-L;
 *   DOCA_ERROR_INVALID_VALUE for NULL, and a type that is not one of these jobs.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ec_job_get_supported(struct doca_devinfo *devinfo,
                                       enum doca_ec_job_types job_type);

/**
 * Gets the longest block of a job.
 *
 * @param devinfo the device.
 * @param job_type the job.
 * @param max_buffer_size receives the length in bytes: 1 GiB.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, and a type that is not one of these jobs;
 *   DOCA_ERROR_NOT_SUPPORTED as doca_ec_job_get_supported(), with a log line.
 *
 * Source: table; the size is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ec_get_max_buffer_size(const struct doca_devinfo *devinfo,
                                         enum doca_ec_job_types job_type,
                                         uint32_t *max_buffer_size);

/**
 * Gets the greatest number of buffers in a list, on either side.
 *
 * @param devinfo the device.
 * @param max_list_num_elem receives the number: 256.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the number is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ec_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                               uint32_t *max_list_num_elem);

/**
 * Makes a coding matrix.
 *
 * @param ctx a context, in any state.
 * @param type how it is made.
 * @param data_block_count the number of data blocks.
 * @param rdnc_block_count the number of redundancy blocks; 255 blocks together at the most.
 * @param matrix receives the matrix, for doca_ec_matrix_destroy().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, an unknown type, a count of 0, or more than 255 blocks;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_NOT_SUPPORTED if the library was built without ISA-L.
 *
 * Source: table; the last two errors and the limit are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_create(struct doca_ec *ctx, enum doca_ec_matrix_types type,
                                   size_t data_block_count, size_t rdnc_block_count,
                                   struct doca_matrix **matrix);

/**
 * Makes a coding matrix of elements that the program has.
 *
 * @param ctx a context, in any state.
 * @param data the elements: a row for each redundancy block, with an element for each data block.
 *   They are copied.
 * @param data_block_count the number of data blocks.
 * @param rdnc_block_count the number of redundancy blocks; 255 blocks together at the most.
 * @param matrix receives the matrix, for doca_ec_matrix_destroy().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, a count of 0, or more than 255 blocks;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_NOT_SUPPORTED if the library was built without ISA-L.
 *
 * Source: table; the order of the elements is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_from_raw(struct doca_ec *ctx, uint8_t *data, size_t data_block_count,
                                     size_t rdnc_block_count, struct doca_matrix **matrix);

/**
 * Makes the matrix of DOCA_EC_JOB_UPDATE for some data blocks.
 *
 * @param coding_matrix the coding matrix; it may be destroyed afterwards.
 * @param ctx a context, in any state.
 * @param update_indices the indices of the data blocks, from 0, in ascending order.
 * @param n_updates the number of indices.
 * @param matrix receives the matrix, for doca_ec_matrix_destroy().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, no or too many indices, indices that are not in ascending
 *   order or not of data blocks, and a matrix that is not a coding matrix;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_NOT_SUPPORTED if the library was built without ISA-L.
 *
 * Source: table; the last two errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ec_update_matrix_create(const struct doca_matrix *coding_matrix,
                                          struct doca_ec *ctx, uint32_t update_indices[],
                                          size_t n_updates, struct doca_matrix **matrix);

/**
 * Makes the matrix of DOCA_EC_JOB_RECOVER for some missing blocks.
 *
 * @param coding_matrix the coding matrix; it may be destroyed afterwards.
 * @param ctx a context, in any state.
 * @param missing_indices the indices of the blocks, data blocks first and redundancy blocks behind
 *   them, in ascending order.
 * @param n_missing the number of indices, up to the number of redundancy blocks.
 * @param matrix receives the matrix, for doca_ec_matrix_destroy().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, no or too many indices, indices that are not in ascending
 *   order or out of range, a matrix that is not a coding matrix, and blocks that this matrix cannot
 *   recover;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_NOT_SUPPORTED if the library was built without ISA-L.
 *
 * Source: table; the last two errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ec_recover_matrix_create(const struct doca_matrix *coding_matrix,
                                           struct doca_ec *ctx, uint32_t missing_indices[],
                                           size_t n_missing, struct doca_matrix **matrix);

/**
 * Frees a matrix. Jobs that were submitted with it and have not begun fail with
 * DOCA_ERROR_INVALID_VALUE, and no more are taken.
 *
 * @param matrix the matrix.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, a matrix that was freed, and while a job is at work with
 *   it: nothing is freed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_destroy(struct doca_matrix *matrix);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ERASURE_CODING_H_ */

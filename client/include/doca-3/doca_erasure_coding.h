/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_erasure_coding.h
 * Erasure coding: redundancy blocks, and how lost blocks come back.
 *
 * A long task is computed by a thread of the library, if the process may use more than one core:
 * submitting it returns at once, several are computed at a time, and they complete in the order in
 * which they end. The environment variable DOCAD_WORKERS limits the number of these threads. After
 * doca_ctx_stop() tasks that no thread has begun end with DOCA_ERROR_SHUTDOWN.
 */
#ifndef DOCA_ERASURE_CODING_H_
#define DOCA_ERASURE_CODING_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;
/** A context. */
struct doca_ctx;
/** A device. */
struct doca_dev;
/** A device. */
struct doca_devinfo;
/** An erasure coding context. */
struct doca_ec;
/** A matrix. */
struct doca_ec_matrix;
/** An erasure coding task: galois mul. */
struct doca_ec_task_galois_mul;
/** An erasure coding task: create. */
struct doca_ec_task_create;
/** An erasure coding task: update. */
struct doca_ec_task_update;
/** An erasure coding task: recover. */
struct doca_ec_task_recover;
/** A task. */
struct doca_task;

/** Kinds of matrices. */
enum doca_ec_matrix_type {
    DOCA_EC_MATRIX_TYPE_CAUCHY = 1,     /**< Cauchy */
    DOCA_EC_MATRIX_TYPE_VANDERMONDE = 2 /**< Vandermonde */
};

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_ec_task_galois_mul_completion_cb_t)(struct doca_ec_task_galois_mul *task,
                                                        union doca_data task_user_data,
                                                        union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_ec_task_create_completion_cb_t)(struct doca_ec_task_create *task,
                                                    union doca_data task_user_data,
                                                    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_ec_task_update_completion_cb_t)(struct doca_ec_task_update *task,
                                                    union doca_data task_user_data,
                                                    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_ec_task_recover_completion_cb_t)(struct doca_ec_task_recover *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/**
 * Says whether there are tasks that multiply by a matrix: on every device, where there is
 * ISA-L.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no ISA-L, which computes erasure codes.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_task_galois_mul_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many tasks that multiply by a matrix an idle context has, and what is called for them.
 * A second call replaces the tasks of the first. The two functions may be the same.
 *
 * @param ec the erasure coding context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 65536;
 *   DOCA_ERROR_BAD_STATE the context is not idle;
 *   DOCA_ERROR_NO_MEMORY memory ran out;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are allocated;
 *   DOCA_ERROR_NOT_SUPPORTED the library was built without ISA-L.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_galois_mul_set_conf(
    struct doca_ec *ec, doca_ec_task_galois_mul_completion_cb_t successful_task_completion_cb,
    doca_ec_task_galois_mul_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Takes a galois_mul task, which multiplies any matrix by the blocks of the source: as many as the
 * matrix has columns. The destination receives as many as it has rows. Otherwise like
 * doca_ec_task_create_allocate_init().
 *
 * @param ec the erasure coding context.
 * @param coding_matrix the matrix.
 * @param src_buf the source buffer.
 * @param dst_buf the destination buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no tasks of this kind.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_galois_mul_allocate_init(
    struct doca_ec *ec, const struct doca_ec_matrix *coding_matrix, const struct doca_buf *src_buf,
    struct doca_buf *dst_buf, union doca_data user_data, struct doca_ec_task_galois_mul **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_ec_task_galois_mul_as_task(struct doca_ec_task_galois_mul *task);

/**
 * Changes the coding matrix of a task that is not submitted.
 *
 * @param task the task.
 * @param coding_matrix the matrix.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_galois_mul_set_coding_matrix(struct doca_ec_task_galois_mul *task,
                                               const struct doca_ec_matrix *coding_matrix);

/**
 * The coding matrix of the task.
 *
 * @param task the task.
 * @return the matrix.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_ec_matrix *
doca_ec_task_galois_mul_get_coding_matrix(const struct doca_ec_task_galois_mul *task);

/**
 * Changes the source buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param src_buf the source buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_galois_mul_set_src_buf(struct doca_ec_task_galois_mul *task,
                                         const struct doca_buf *src_buf);

/**
 * The source buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *
doca_ec_task_galois_mul_get_src_buf(const struct doca_ec_task_galois_mul *task);

/**
 * Changes the destination buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param dst_buf the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_galois_mul_set_dst_buf(struct doca_ec_task_galois_mul *task,
                                         struct doca_buf *dst_buf);

/**
 * The destination buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_ec_task_galois_mul_get_dst_buf(const struct doca_ec_task_galois_mul *task);

/**
 * Says whether there are create tasks: on every device, where there is ISA-L.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no ISA-L, which computes erasure codes.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_task_create_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many create tasks an idle context has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param ec the erasure coding context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 65536;
 *   DOCA_ERROR_BAD_STATE the context is not idle;
 *   DOCA_ERROR_NO_MEMORY memory ran out;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are allocated;
 *   DOCA_ERROR_NOT_SUPPORTED the library was built without ISA-L.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_create_set_conf(
    struct doca_ec *ec, doca_ec_task_create_completion_cb_t successful_task_completion_cb,
    doca_ec_task_create_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Takes a create task, which makes redundancy blocks. The data of the source is all data blocks,
 * one after the other, of equal length; the redundancy blocks are appended to the data of the
 * destination. Both may be lists of buffers, and blocks may lie across them. A task that fails
 * (DOCA_ERROR_INVALID_VALUE for a matrix of another kind, a length that is not a multiple of the
 * number of blocks, or too little room; DOCA_ERROR_NOT_PERMITTED, CONNECTION_RESET or NOT_CONNECTED
 * for memory that may not, or cannot, be touched) leaves the length of the destination alone, and
 * the context runs on. Fields may be NULL, and set later.
 *
 * @param ec the erasure coding context.
 * @param coding_matrix the matrix.
 * @param original_data_blocks the buffer.
 * @param rdnc_blocks the redundancy buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no tasks of this kind.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_create_allocate_init(struct doca_ec *ec,
                                               const struct doca_ec_matrix *coding_matrix,
                                               const struct doca_buf *original_data_blocks,
                                               struct doca_buf *rdnc_blocks,
                                               union doca_data user_data,
                                               struct doca_ec_task_create **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_ec_task_create_as_task(struct doca_ec_task_create *task);

/**
 * Changes the coding matrix of a task that is not submitted.
 *
 * @param task the task.
 * @param coding_matrix the matrix.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_create_set_coding_matrix(struct doca_ec_task_create *task,
                                           const struct doca_ec_matrix *coding_matrix);

/**
 * The coding matrix of the task.
 *
 * @param task the task.
 * @return the matrix.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_ec_matrix *
doca_ec_task_create_get_coding_matrix(const struct doca_ec_task_create *task);

/**
 * Changes the original data blocks of a task that is not submitted.
 *
 * @param task the task.
 * @param original_data_blocks the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_create_set_original_data_blocks(struct doca_ec_task_create *task,
                                                  const struct doca_buf *original_data_blocks);

/**
 * The original data blocks of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *
doca_ec_task_create_get_original_data_blocks(const struct doca_ec_task_create *task);

/**
 * Changes the redundancy blocks of a task that is not submitted.
 *
 * @param task the task.
 * @param rdnc_blocks the redundancy buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_create_set_rdnc_blocks(struct doca_ec_task_create *task,
                                         struct doca_buf *rdnc_blocks);

/**
 * The redundancy blocks of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_ec_task_create_get_rdnc_blocks(const struct doca_ec_task_create *task);

/**
 * Says whether there are update tasks: on every device, where there is ISA-L.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no ISA-L, which computes erasure codes.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_task_update_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many update tasks an idle context has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param ec the erasure coding context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 65536;
 *   DOCA_ERROR_BAD_STATE the context is not idle;
 *   DOCA_ERROR_NO_MEMORY memory ran out;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are allocated;
 *   DOCA_ERROR_NOT_SUPPORTED the library was built without ISA-L.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_update_set_conf(
    struct doca_ec *ec, doca_ec_task_update_completion_cb_t successful_task_completion_cb,
    doca_ec_task_update_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Takes an update task, which makes redundancy blocks anew after some data blocks have changed. The
 * source has these data blocks as they were, then as they are, in the order of the matrix's
 * indices, then all redundancy blocks as they were. Otherwise like
 * doca_ec_task_create_allocate_init().
 *
 * @param ec the erasure coding context.
 * @param update_matrix the matrix.
 * @param original_updated_and_rdnc_blocks the redundancy buffer.
 * @param updated_rdnc_blocks the redundancy buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no tasks of this kind.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_ec_task_update_allocate_init(struct doca_ec *ec, const struct doca_ec_matrix *update_matrix,
                                  const struct doca_buf *original_updated_and_rdnc_blocks,
                                  struct doca_buf *updated_rdnc_blocks, union doca_data user_data,
                                  struct doca_ec_task_update **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_ec_task_update_as_task(struct doca_ec_task_update *task);

/**
 * Changes the update matrix of a task that is not submitted.
 *
 * @param task the task.
 * @param update_matrix the matrix.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_update_set_update_matrix(struct doca_ec_task_update *task,
                                           const struct doca_ec_matrix *update_matrix);

/**
 * The update matrix of the task.
 *
 * @param task the task.
 * @return the matrix.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_ec_matrix *
doca_ec_task_update_get_update_matrix(const struct doca_ec_task_update *task);

/**
 * Changes the original updated and redundancy blocks of a task that is not submitted.
 *
 * @param task the task.
 * @param original_updated_and_rdnc_blocks the redundancy buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_update_set_original_updated_and_rdnc_blocks(
    struct doca_ec_task_update *task, const struct doca_buf *original_updated_and_rdnc_blocks);

/**
 * The original updated and redundancy blocks of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *
doca_ec_task_update_get_original_updated_and_rdnc_blocks(const struct doca_ec_task_update *task);

/**
 * Changes the updated redundancy blocks of a task that is not submitted.
 *
 * @param task the task.
 * @param updated_rdnc_blocks the redundancy buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_update_set_updated_rdnc_blocks(struct doca_ec_task_update *task,
                                                 struct doca_buf *updated_rdnc_blocks);

/**
 * The updated redundancy blocks of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_ec_task_update_get_updated_rdnc_blocks(const struct doca_ec_task_update *task);

/**
 * Says whether there are recover tasks: on every device, where there is ISA-L.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no ISA-L, which computes erasure codes.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_task_recover_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many recover tasks an idle context has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param ec the erasure coding context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 65536;
 *   DOCA_ERROR_BAD_STATE the context is not idle;
 *   DOCA_ERROR_NO_MEMORY memory ran out;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are allocated;
 *   DOCA_ERROR_NOT_SUPPORTED the library was built without ISA-L.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_recover_set_conf(
    struct doca_ec *ec, doca_ec_task_recover_completion_cb_t successful_task_completion_cb,
    doca_ec_task_recover_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Takes a recover task. The source has as many blocks as there are data blocks: the first that are
 * left, in the order of their indices, data blocks before redundancy blocks. The destination
 * receives the missing blocks in the order of their indices. Otherwise like
 * doca_ec_task_create_allocate_init().
 *
 * The matrix is one of doca_ec_matrix_create_recover(). A coding matrix is taken, too, and
 * multiplied by the source: that recovers a block where there is one redundancy block, the sum of
 * all others, as Vandermonde matrices make it.
 *
 * @param ec the erasure coding context.
 * @param recover_matrix the matrix.
 * @param available_blocks the buffer.
 * @param recovered_data_blocks the buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no tasks of this kind.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_task_recover_allocate_init(struct doca_ec *ec,
                                                const struct doca_ec_matrix *recover_matrix,
                                                const struct doca_buf *available_blocks,
                                                struct doca_buf *recovered_data_blocks,
                                                union doca_data user_data,
                                                struct doca_ec_task_recover **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_ec_task_recover_as_task(struct doca_ec_task_recover *task);

/**
 * Changes the recover matrix of a task that is not submitted.
 *
 * @param task the task.
 * @param recover_matrix the matrix.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_recover_set_recover_matrix(struct doca_ec_task_recover *task,
                                             const struct doca_ec_matrix *recover_matrix);

/**
 * The recover matrix of the task.
 *
 * @param task the task.
 * @return the matrix.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_ec_matrix *
doca_ec_task_recover_get_recover_matrix(const struct doca_ec_task_recover *task);

/**
 * Changes the available blocks of a task that is not submitted.
 *
 * @param task the task.
 * @param available_blocks the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_recover_set_available_blocks(struct doca_ec_task_recover *task,
                                               const struct doca_buf *available_blocks);

/**
 * The available blocks of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *
doca_ec_task_recover_get_available_blocks(const struct doca_ec_task_recover *task);

/**
 * Changes the recovered data blocks of a task that is not submitted.
 *
 * @param task the task.
 * @param recovered_data_blocks the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_ec_task_recover_set_recovered_data_blocks(struct doca_ec_task_recover *task,
                                                    struct doca_buf *recovered_data_blocks);

/**
 * The recovered data of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_ec_task_recover_get_recovered_data(const struct doca_ec_task_recover *task);

/**
 * Makes an erasure-coding context. Blocks are computed by this process: every device can.
 *
 * @param dev the device.
 * @param ec where to put the erasure coding context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the device has gone;
 *   DOCA_ERROR_NO_MEMORY if there is no memory.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_create(struct doca_dev *dev, struct doca_ec **ec) DOCA_3_SYMBOL(ec_create);

/**
 * Frees an erasure-coding context that is idle, with its tasks. Its matrices stay.
 *
 * @param ec the erasure coding context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_BAD_STATE unless it is idle: nothing is changed.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_destroy(struct doca_ec *ec) DOCA_3_SYMBOL(ec_destroy);

/**
 * The context of the erasure coding context: the same object, for the functions of
 * doca_ctx.h and doca_pe.h.
 *
 * @param ec the erasure coding context.
 * @return the context.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_ec_as_ctx(struct doca_ec *ec) DOCA_3_SYMBOL(ec_as_ctx);

/**
 * How many bytes a block may have: 1 GiB on every device.
 *
 * @param devinfo the device.
 * @param max_block_size where to put the greatest block size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no ISA-L, which computes erasure codes.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_get_max_block_size(const struct doca_devinfo *devinfo,
                                            uint64_t *max_block_size);

/**
 * How many buffers a source or a destination may chain: 256 on every device.
 *
 * @param devinfo the device.
 * @param max_buf_list_len where to put the greatest buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                              uint32_t *max_buf_list_len);

/**
 * Makes a coding matrix: what makes redundancy blocks of data blocks. With a Cauchy matrix any
 * missing blocks can be recovered, as many as there are redundancy blocks; with Vandermonde's there
 * are counts and missing blocks for which that is not possible. There can be 255 blocks together.
 * In any state of the context, which does not keep the matrix.
 *
 * @param ec the erasure coding context.
 * @param type the type.
 * @param data_block_count the data block count.
 * @param rdnc_block_count the redundancy block count.
 * @param matrix where to put the matrix.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if there is no such type, or for counts that are 0 or more
 *     than 255 together.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_create(struct doca_ec *ec, enum doca_ec_matrix_type type,
                                   size_t data_block_count, size_t rdnc_block_count,
                                   struct doca_ec_matrix **matrix) DOCA_3_SYMBOL(ec_matrix_create);

/**
 * Makes a coding matrix of elements that the program has: a row for each redundancy block, with an
 * element for each data block. They are copied. The field is that of the polynomial 0x11d.
 *
 * @param ec the erasure coding context.
 * @param data where to put the data.
 * @param data_block_count the data block count.
 * @param rdnc_block_count the redundancy block count.
 * @param matrix where to put the matrix.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for counts that are 0 or more than 255 together.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_create_from_raw(struct doca_ec *ec, uint8_t *data,
                                            size_t data_block_count, size_t rdnc_block_count,
                                            struct doca_ec_matrix **matrix);

/**
 * Makes the matrix of update tasks for some data blocks. The indices count from 0 and ascend. The
 * coding matrix may be destroyed afterwards.
 *
 * @param ec the erasure coding context.
 * @param coding_matrix the matrix.
 * @param update_indices where to put the update indices.
 * @param n_updates the n updates.
 * @param matrix where to put the matrix.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the indices are none, do not ascend, or are not of
 *     data blocks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_create_update(struct doca_ec *ec,
                                          const struct doca_ec_matrix *coding_matrix,
                                          uint32_t update_indices[], size_t n_updates,
                                          struct doca_ec_matrix **matrix);

/**
 * Makes the matrix of recover tasks for some missing blocks. The indices count the data blocks
 * first, then the redundancy blocks, and ascend; there can be as many as there are redundancy
 * blocks. DOCA_ERROR_INVALID_VALUE also says that the blocks that are left do not determine the
 * missing ones. The coding matrix may be destroyed afterwards.
 *
 * @param ec the erasure coding context.
 * @param coding_matrix the matrix.
 * @param missing_indices where to put the missing indices.
 * @param n_missing the n missing.
 * @param matrix where to put the matrix.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if the indices are none, do not ascend, are too many or not
 *     of blocks, or if the blocks that are left do not determine the missing ones.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_create_recover(struct doca_ec *ec,
                                           const struct doca_ec_matrix *coding_matrix,
                                           uint32_t missing_indices[], size_t n_missing,
                                           struct doca_ec_matrix **matrix);

/**
 * Frees a matrix. Tasks that are submitted with it afterwards, or were and have not begun, fail
 * with DOCA_ERROR_INVALID_VALUE.
 *
 * @param matrix the matrix.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, a matrix that was freed, and while a task is at work with
 *   it: nothing is freed.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ec_matrix_destroy(struct doca_ec_matrix *matrix) DOCA_3_SYMBOL(ec_matrix_destroy);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ERASURE_CODING_H_ */

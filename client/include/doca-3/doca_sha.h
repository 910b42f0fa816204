// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_sha.h
 * SHA: tasks that hash, in one or in parts.
 *
 * A long task is computed by a thread of the library, if the process may use more than one core:
 * submitting it returns at once, several are computed at a time, and they complete in the order in
 * which they end. The environment variable DOCAD_WORKERS limits the number of these threads. After
 * doca_ctx_stop() tasks that no thread has begun end with DOCA_ERROR_SHUTDOWN.
 */
#ifndef DOCA_SHA_H_
#define DOCA_SHA_H_

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
/** A SHA context. */
struct doca_sha;
/** A SHA task: hash. */
struct doca_sha_task_hash;
/** A SHA task: partial hash. */
struct doca_sha_task_partial_hash;
/** A task. */
struct doca_task;

/** Algorithms. */
enum doca_sha_algorithm {
    DOCA_SHA_ALGORITHM_SHA1 = 0,   /**< SHA-1 */
    DOCA_SHA_ALGORITHM_SHA256 = 1, /**< SHA-256 */
    DOCA_SHA_ALGORITHM_SHA512 = 2, /**< SHA-512 */
};

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_sha_task_hash_completion_cb_t)(struct doca_sha_task_hash *task,
                                                   union doca_data task_user_data,
                                                   union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_sha_task_partial_hash_completion_cb_t)(struct doca_sha_task_partial_hash *task,
                                                           union doca_data task_user_data,
                                                           union doca_data ctx_user_data);

/**
 * Makes a hash context on the device.
 *
 * @param dev the device.
 * @param sha where to put the SHA context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_create(struct doca_dev *dev, struct doca_sha **sha) DOCA_3_SYMBOL(sha_create);

/**
 * Frees the hash context; it must be idle.
 *
 * @param sha the SHA context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_IN_USE something still uses the object.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_destroy(struct doca_sha *sha) DOCA_3_SYMBOL(sha_destroy);

/**
 * The context of the SHA context: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param sha the SHA context.
 * @return the context.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sha_as_ctx(struct doca_sha *sha) DOCA_3_SYMBOL(sha_as_ctx);

/**
 * Supported of hash tasks on the device.
 *
 * @param devinfo the device.
 * @param algorithm the algorithm.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_task_hash_get_supported(struct doca_devinfo const *devinfo,
                                                  enum doca_sha_algorithm algorithm);

/**
 * Supported of partial hash tasks on the device.
 *
 * @param devinfo the device.
 * @param algorithm the algorithm.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_task_partial_hash_get_supported(struct doca_devinfo const *devinfo,
                                                          enum doca_sha_algorithm algorithm);

/**
 * The greatest list buffer number of element that the device allows.
 *
 * @param devinfo the device.
 * @param max_list_buf_num_elem where to put the greatest list buffer number of element.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_get_max_list_buf_num_elem(struct doca_devinfo const *devinfo,
                                                    uint32_t *max_list_buf_num_elem);

/**
 * The greatest source buffer size that the device allows.
 *
 * @param devinfo the device.
 * @param max_src_buf_size where to put the greatest source buffer size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_get_max_src_buf_size(struct doca_devinfo const *devinfo,
                                               uint64_t *max_src_buf_size);

/**
 * Smallest dst buf size.
 *
 * @param devinfo the device.
 * @param algorithm the algorithm.
 * @param min_dst_buf_size where to put the least destination buffer size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_get_min_dst_buf_size(struct doca_devinfo const *devinfo,
                                               enum doca_sha_algorithm algorithm,
                                               uint32_t *min_dst_buf_size);

/**
 * All partial hash calls but the last take a multiple of this.
 *
 * @param devinfo the device.
 * @param algorithm the algorithm.
 * @param partial_block_size where to put the partial block size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_get_partial_hash_block_size(struct doca_devinfo const *devinfo,
                                                      enum doca_sha_algorithm algorithm,
                                                      uint32_t *partial_block_size);

/**
 * The greatest number of tasks that the SHA context allows.
 *
 * @param sha the SHA context.
 * @param max_num_tasks where to put the greatest number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_get_max_num_tasks(struct doca_sha *sha, uint32_t *max_num_tasks);

/**
 * Before start: the success and the error callback of hash tasks and how many can exist at
 * once.
 *
 * @param sha the SHA context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed.
 * @param log_num_tasks the log number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_hash_set_conf(struct doca_sha *sha,
                                         doca_sha_task_hash_completion_cb_t task_completion_cb,
                                         doca_sha_task_hash_completion_cb_t task_error_cb,
                                         uint8_t log_num_tasks);

/**
 * Takes a hash task: the digest of all data of the source, which may be a list of buffers, is
 * written to the destination, beginning at its data, whose length becomes that of the digest.
 * Buffers may be NULL, and set later. A task that fails leaves the destination's length alone, and
 * the context runs on.
 *
 * @param sha the SHA context.
 * @param algorithm the algorithm.
 * @param src_buf the source buffer.
 * @param dst_buf the destination buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_hash_alloc_init(struct doca_sha *sha, enum doca_sha_algorithm algorithm,
                                           struct doca_buf const *src_buf, struct doca_buf *dst_buf,
                                           union doca_data user_data,
                                           struct doca_sha_task_hash **task);

/**
 * Changes the source of a task that is not submitted.
 *
 * @param task the task.
 * @param src_buf the source buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_hash_set_src(struct doca_sha_task_hash *task,
                                        struct doca_buf const *src_buf);

/**
 * The source of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf const *doca_sha_task_hash_get_src(struct doca_sha_task_hash const *task);

/**
 * Changes the destination of a task that is not submitted.
 *
 * @param task the task.
 * @param dst_buf the destination buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_hash_set_dst(struct doca_sha_task_hash *task, struct doca_buf *dst_buf);

/**
 * The destination of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf const *doca_sha_task_hash_get_dst(struct doca_sha_task_hash const *task);

/**
 * Changes the algorithm of a task that is not submitted.
 *
 * @param task the task.
 * @param algorithm the algorithm.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_hash_set_algorithm(struct doca_sha_task_hash *task,
                                              enum doca_sha_algorithm algorithm);

/**
 * The algorithm of the task.
 *
 * @param task the task.
 * @return the algorithm.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
enum doca_sha_algorithm doca_sha_task_hash_get_algorithm(struct doca_sha_task_hash const *task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sha_task_hash_as_task(struct doca_sha_task_hash *task);

/**
 * Before start: the success and the error callback of partial hash tasks and how many can
 * exist at once.
 *
 * @param sha the SHA context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed.
 * @param log_num_tasks the log number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_partial_hash_set_conf(
    struct doca_sha *sha, doca_sha_task_partial_hash_completion_cb_t task_completion_cb,
    doca_sha_task_partial_hash_completion_cb_t task_error_cb, uint8_t log_num_tasks);

/**
 * Takes a partial hash task, for a message in parts: the same task is submitted with one part after
 * the other, see doca_sha_task_partial_hash_set_src(). Each part but the last must have a length
 * that is a multiple of doca_sha_cap_get_partial_hash_block_size(), else it fails with
 * DOCA_ERROR_INVALID_VALUE and is not part of the message.
 *
 * @param sha the SHA context.
 * @param algorithm the algorithm.
 * @param src_buf the source buffer.
 * @param dst_buf the destination buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_partial_hash_alloc_init(
    struct doca_sha *sha, enum doca_sha_algorithm algorithm, struct doca_buf const *src_buf,
    struct doca_buf *dst_buf, union doca_data user_data, struct doca_sha_task_partial_hash **task);

/**
 * Forgets the parts: the next one begins another message. After the last part of a message, and
 * after a part whose bytes could not be read, nothing else can be submitted.
 *
 * @param task the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_partial_hash_reset(struct doca_sha_task_partial_hash *task);

/**
 * Changes the source of a task that is not submitted.
 *
 * @param task the task.
 * @param src_buf the source buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_partial_hash_set_src(struct doca_sha_task_partial_hash *task,
                                                struct doca_buf const *src_buf);

/**
 * The source of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf const *
doca_sha_task_partial_hash_get_src(struct doca_sha_task_partial_hash const *task);

/**
 * Changes the destination of a task that is not submitted.
 *
 * @param task the task.
 * @param dst_buf the destination buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_partial_hash_set_dst(struct doca_sha_task_partial_hash *task,
                                                struct doca_buf *dst_buf);

/**
 * The destination of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf const *
doca_sha_task_partial_hash_get_dst(struct doca_sha_task_partial_hash const *task);

/**
 * Changes the algorithm of a task that is not submitted.
 *
 * @param task the task.
 * @param algorithm the algorithm.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_partial_hash_set_algorithm(struct doca_sha_task_partial_hash *task,
                                                      enum doca_sha_algorithm algorithm);

/**
 * The algorithm of the task.
 *
 * @param task the task.
 * @return the algorithm.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
enum doca_sha_algorithm
doca_sha_task_partial_hash_get_algorithm(struct doca_sha_task_partial_hash const *task);

/**
 * Makes the part that is submitted next the last one: with it, the digest is written to the
 * destination. DOCA_ERROR_BAD_STATE before the first part was submitted (hash it with a hash task),
 * and while the task is in flight.
 *
 * @param task the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_partial_hash_set_is_final_buf(struct doca_sha_task_partial_hash *task);

/**
 * The is final of the task.
 *
 * @param task the task.
 * @return the is final.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint8_t doca_sha_task_partial_hash_get_is_final(struct doca_sha_task_partial_hash const *task);

/**
 * The has result of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the has result.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint8_t doca_sha_task_partial_hash_get_has_result(struct doca_sha_task_partial_hash const *task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sha_task_partial_hash_as_task(struct doca_sha_task_partial_hash *task);

/* Names that 2.5 has for functions above. */
#define doca_sha_cap_get_max_src_buffer_size           doca_sha_cap_get_max_src_buf_size
#define doca_sha_cap_get_min_dst_buffer_size           doca_sha_cap_get_min_dst_buf_size
#define doca_sha_task_partial_hash_set_is_final_buffer doca_sha_task_partial_hash_set_is_final_buf

#ifdef __cplusplus
}
#endif

#endif /* DOCA_SHA_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_sha.h
 * SHA: tasks that hash, in one or in parts.
 *
 * A long task is computed by a thread of the library, if the process may use more than one core:
 * submitting it returns at once, several are computed at a time, and they complete in the order in
 * which they end. The environment variable DOCAD_WORKERS limits the number of these threads. After
 * doca_ctx_stop() tasks that no thread has begun end with DOCA_ERROR_SHUTDOWN.
 *
 * A source without data is refused with DOCA_ERROR_INVALID_VALUE when its task is submitted: there
 * is no digest of nothing (our choice; in the first generations, a request of length 0 is not
 * valid).
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
    DOCA_SHA_ALGORITHM_SHA512 = 2  /**< SHA-512 */
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
 * Makes a SHA context. Digests are computed by this process: every device can.
 *
 * @param dev a device that is open.
 * @param sha receives the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the device has gone;
 *   DOCA_ERROR_NO_MEMORY if there is no memory.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_create(struct doca_dev *dev, struct doca_sha **sha) DOCA_3_SYMBOL(sha_create);

/**
 * Frees a SHA context that is idle, with its tasks.
 *
 * @param sha the SHA context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_IN_USE unless it is idle: nothing is changed.
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
 * Says whether hash tasks know the algorithm: they know all three on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param algorithm SHA-1, SHA-256 or SHA-512.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such algorithm;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_task_hash_get_supported(struct doca_devinfo const *devinfo,
                                                  enum doca_sha_algorithm algorithm);

/**
 * Says whether partial hash tasks know the algorithm: they know all three on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param algorithm SHA-1, SHA-256 or SHA-512.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such algorithm;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_task_partial_hash_get_supported(struct doca_devinfo const *devinfo,
                                                          enum doca_sha_algorithm algorithm);

/**
 * How many buffers a source may chain: 64 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_list_buf_num_elem receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_get_max_list_buf_num_elem(struct doca_devinfo const *devinfo,
                                                    uint32_t *max_list_buf_num_elem);

/**
 * How many bytes a source may have: 1 TiB on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_src_buf_size receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_get_max_src_buf_size(struct doca_devinfo const *devinfo,
                                               uint64_t *max_src_buf_size);

/**
 * How many bytes a destination needs: the length of the digest, 20, 32 or 64.
 *
 * @param devinfo the device, from a list of devices.
 * @param algorithm SHA-1, SHA-256 or SHA-512.
 * @param min_dst_buf_size receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such algorithm;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_get_min_dst_buf_size(struct doca_devinfo const *devinfo,
                                               enum doca_sha_algorithm algorithm,
                                               uint32_t *min_dst_buf_size);

/**
 * All parts of a message but the last have a length that is a multiple of this: 64 bytes, of
 * SHA-512 128.
 *
 * @param devinfo the device, from a list of devices.
 * @param algorithm SHA-1, SHA-256 or SHA-512.
 * @param partial_block_size receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such algorithm;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_get_partial_hash_block_size(struct doca_devinfo const *devinfo,
                                                      enum doca_sha_algorithm algorithm,
                                                      uint32_t *partial_block_size);

/**
 * How many tasks of each kind a context may have: 65536. Of a context in any state.
 *
 * @param sha the SHA context.
 * @param max_num_tasks receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table; the figure is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_cap_get_max_num_tasks(struct doca_sha *sha, uint32_t *max_num_tasks);

/**
 * Says how many hash tasks an idle context has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param sha the SHA context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param log_num_tasks the binary logarithm of their number: 0 to 16.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
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
 * written to the destination, beginning at its data, whose length becomes that of the digest. A
 * task that fails leaves the destination's length alone, and the context runs on.
 *
 * @param sha the SHA context.
 * @param algorithm SHA-1, SHA-256 or SHA-512.
 * @param src_buf the buffer, or list of buffers, whose data are hashed, or NULL: set later.
 * @param dst_buf the buffer for the digest, or NULL: set later.
 * @param user_data carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such algorithm;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table; what a failure leaves is our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_hash_alloc_init(struct doca_sha *sha, enum doca_sha_algorithm algorithm,
                                           struct doca_buf const *src_buf, struct doca_buf *dst_buf,
                                           union doca_data user_data,
                                           struct doca_sha_task_hash **task);

/**
 * Changes the source of a task that is not in flight.
 *
 * @param task the hash task.
 * @param src_buf the buffer, or list of buffers, whose data are hashed.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the task is in flight: nothing is changed.
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
 * Changes the destination of a task that is not in flight.
 *
 * @param task the hash task.
 * @param dst_buf the buffer for the digest.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the task is in flight: nothing is changed.
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
 * Changes the algorithm of a task that is not in flight.
 *
 * @param task the hash task.
 * @param algorithm SHA-1, SHA-256 or SHA-512.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if there is no such algorithm, or if the task is in flight:
 *     nothing is changed.
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
 * Says how many partial hash tasks an idle context has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param sha the SHA context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param log_num_tasks the binary logarithm of their number: 0 to 16.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_partial_hash_set_conf(
    struct doca_sha *sha, doca_sha_task_partial_hash_completion_cb_t task_completion_cb,
    doca_sha_task_partial_hash_completion_cb_t task_error_cb, uint8_t log_num_tasks);

/**
 * Takes a partial hash task, for a message in parts: the same task is submitted with one part
 * after the other, see doca_sha_task_partial_hash_set_src(). Each part but the last must have a
 * length that is a multiple of doca_sha_cap_get_partial_hash_block_size(), else it fails with
 * DOCA_ERROR_INVALID_VALUE and is not part of the message.
 *
 * @param sha the SHA context.
 * @param algorithm SHA-1, SHA-256 or SHA-512.
 * @param src_buf the buffer, or list of buffers, whose data are hashed, or NULL: set later.
 * @param dst_buf the buffer for the digest, or NULL: set later.
 * @param user_data carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such algorithm;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
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
 * @param task the partial hash task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the task is in flight: nothing is changed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sha_task_partial_hash_reset(struct doca_sha_task_partial_hash *task);

/**
 * Sets the source of a task that is not in flight: the next part of the message.
 *
 * @param task the partial hash task.
 * @param src_buf the buffer, or list of buffers, whose data are hashed.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the task is in flight: nothing is changed.
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
 * Changes the destination of a task that is not in flight.
 *
 * @param task the partial hash task.
 * @param dst_buf the buffer for the digest.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the task is in flight: nothing is changed.
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
 * Changes the algorithm of a task that is not in flight, before the first part of a message.
 *
 * @param task the partial hash task.
 * @param algorithm SHA-1, SHA-256 or SHA-512.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such algorithm;
 *   DOCA_ERROR_BAD_STATE if the task is in flight, or in the middle of a message: nothing is
 *     changed.
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
 * destination.
 *
 * @param task the partial hash task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE before the first part was submitted (hash it with a hash task), and if
 *     the task is in flight: nothing is changed.
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

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_mmap_advise.h
 * Advice about the memory of maps.
 */
#ifndef DOCA_MMAP_ADVISE_H_
#define DOCA_MMAP_ADVISE_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A context. */
struct doca_ctx;
/** A device. */
struct doca_dev;
/** A device. */
struct doca_devinfo;
/** An advice context. */
struct doca_mmap_advise;
/** A buffer. */
struct doca_buf;
/** A map advise task: invalidate cache. */
struct doca_mmap_advise_task_invalidate_cache;
/** A task. */
struct doca_task;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_mmap_advise_task_invalidate_cache_completion_cb_t)(
    struct doca_mmap_advise_task_invalidate_cache *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Context that gives advice about maps of a device (cache invalidation).
 *
 * @param dev the device.
 * @param mmap_advise where to put the advice context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise);

/**
 * Frees the advice context.
 *
 * @param mmap_advise the advice context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_IN_USE the context is not idle.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise);

/**
 * The context of the advice context: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param mmap_advise the advice context.
 * @return the context.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise);

/**
 * Tells whether the device can do this: cache invalidate.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo);

/**
 * The greatest buffer size of the task.
 *
 * @param devinfo the device.
 * @param buf_size where to put the buffer size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                        uint64_t *buf_size);

/**
 * Before start: the success and the error callback of invalidate cache tasks and how many
 * can exist at once.
 *
 * @param mmap_advise the advice context.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
    struct doca_mmap_advise *mmap_advise,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes an invalidate cache task from the pool and fills it; DOCA_ERROR_NO_MEMORY when all
 * are out.
 *
 * @param mmap_advise the advice context.
 * @param buf the buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the context does not run.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
    struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
    struct doca_mmap_advise_task_invalidate_cache **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
    struct doca_mmap_advise_task_invalidate_cache *task);

/**
 * Changes the buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param buf the buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_mmap_advise_task_invalidate_cache_set_buf(
    struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf);

/**
 * The buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
    const struct doca_mmap_advise_task_invalidate_cache *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_ADVISE_H_ */

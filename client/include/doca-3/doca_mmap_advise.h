/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
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
 * Makes a context that gives advice about memory. It is configured, connected to a progress engine
 * and started by doca_ctx.h and doca_pe.h.
 *
 * @param dev the device; kept until the context is destroyed.
 * @param mmap_advise where to put the advice context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NO_MEMORY there is no memory for it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise);

/**
 * Frees the context, and its tasks with it.
 *
 * @param mmap_advise the advice context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap_advise is NULL;
 *   DOCA_ERROR_IN_USE the context is not idle: nothing has happened.
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
 * Says whether the device takes tasks that invalidate the cache: every one does, since caches are
 * coherent here.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE devinfo is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo);

/**
 * Returns the number of bytes that a task may be about.
 *
 * @param devinfo the device.
 * @param buf_size receives the number: any will do.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                        uint64_t *buf_size);

/**
 * Sets the callbacks of tasks that invalidate the cache, and makes the tasks, on a context that is
 * idle. Another call replaces them.
 *
 * @param mmap_advise the advice context.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, the number is 0 or too large (the log says how
 *     large it may be);
 *   DOCA_ERROR_NOT_PERMITTED is named by the table, and not returned here;
 *   DOCA_ERROR_BAD_STATE the context is not idle;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are allocated;
 *   DOCA_ERROR_NO_MEMORY there is no memory for so many.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
    struct doca_mmap_advise *mmap_advise,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes one of the tasks of a context that runs. The buffer must be there until the callback; the
 * task holds no reference of it.
 *
 * @param mmap_advise the advice context.
 * @param buf the buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap_advise or task is NULL;
 *   DOCA_ERROR_NO_MEMORY all tasks are taken;
 *   DOCA_ERROR_BAD_STATE the context does not run, or was started without such tasks.
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
 * Sets the buffer of a task that is not in flight; of another one it does nothing but log a line.
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
 * Returns the buffer of a task.
 *
 * @param task the task.
 * @return the buffer; NULL if task is NULL.
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

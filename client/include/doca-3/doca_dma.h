/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dma.h
 * DMA: tasks that append the data of one buffer, or list of buffers, to another.
 */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

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
/** A GPU DMA. */
struct doca_gpu_dma;
/** A DMA task: memcpy. */
struct doca_dma_task_memcpy;
/** A DMA context. */
struct doca_dma;
/** A task. */
struct doca_task;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(struct doca_dma_task_memcpy *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/**
 * Makes a DMA context. It keeps the device until it is destroyed, even if the program
 * closes it.
 *
 * @param dev the device.
 * @param dma receives the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_INITIALIZATION for a device that was made from a protection domain, which
 *   docad does not know (our choice).
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma) DOCA_3_SYMBOL(dma_create);

/**
 * Destroys an idle context, and all its tasks, also those that the program has not freed.
 * Ends its connection to its engine.
 *
 * @param dma the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL (our choice);
 *   DOCA_ERROR_IN_USE unless the context is idle: nothing is changed.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_dma_destroy(struct doca_dma *dma) DOCA_3_SYMBOL(dma_destroy);

/**
 * Says whether a device can execute memcpy tasks.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS if it can;
 *   DOCA_ERROR_NOT_SUPPORTED if it cannot;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *   (DOCA_ERROR_DRIVER of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);

/**
 * Returns the DMA context as a context.
 *
 * @param dma the context.
 * @return its base, the same at each call; NULL for NULL (our choice).
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma) DOCA_3_SYMBOL(dma_as_ctx);

/**
 * Returns the greatest number of tasks of a context.
 *
 * @param dma the context.
 * @param max_num_tasks receives the number: 65536.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks);

/**
 * Returns the number of buffers that the source or the destination of a task may have.
 *
 * @param devinfo the device.
 * @param max_buf_list_len receives the number: 64.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device has no DMA (our choice).
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                           uint32_t *max_buf_list_len);

/**
 * Returns the number of bytes that a task may copy on any card. Programs split their data by it, or
 * allocate that many bytes for each task. If the device imitates no card, tasks of up to 2^40 bytes
 * work. If it imitates one, the error callback of a longer task gets DOCA_ERROR_IO_FAILED, or
 * DOCA_ERROR_INVALID_VALUE, see docad-cards(7).
 *
 * @param devinfo the device.
 * @param buf_size receives the number of bytes: 2 MiB, as current cards report (our choice), or the
 *   limit of the card that the device imitates.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device has no DMA (our choice).
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                       uint64_t *buf_size);

/**
 * Says how many memcpy tasks an idle context has, and what is called for them. A second
 * call replaces the tasks of the first. The two functions may be the same.
 *
 * @param dma the context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param num_memcpy_tasks 1 to doca_dma_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_NOT_SUPPORTED if the device has no DMA;
 *   DOCA_ERROR_BAD_STATE unless the context is idle (our choice);
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
                                           doca_dma_task_memcpy_completion_cb_t task_completion_cb,
                                           doca_dma_task_memcpy_completion_cb_t task_error_cb,
                                           uint32_t num_memcpy_tasks);

/**
 * Takes a task of a running context, and fills it in.
 *
 * The task copies the data of the source to the tailroom of the destination, whose data
 * grows by it. Each may be a list: the data of the source buffers is gathered, and the
 * destination buffers are filled one after the other. Source and destination may each be
 * local or imported. They may overlap if each is a single buffer of a local map: the result
 * is that of memmove().
 *
 * A task fails with
 *   DOCA_ERROR_INVALID_VALUE: a buffer is NULL or was given back; the source has no data, or
 *   more than there is room in the destination; data placed outside its buffer; a list too
 *   long;
 *   DOCA_ERROR_NOT_PERMITTED: the context's device was not added to both memory maps; the
 *   destination's map does not allow writing; the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET: the exporter has gone;
 *   DOCA_ERROR_NOT_CONNECTED: the exporter's docad is out of reach;
 *   DOCA_ERROR_IO_FAILED: the bytes could not be moved (for instance, memory was unmapped).
 * Each of these is fatal for the context: it goes to STOPPING without the program's doing, before
 * the error callback, all its tasks come back, and it becomes IDLE. It may be started again.
 *
 * @param dma the context.
 * @param src the source; may be NULL until the task is submitted.
 * @param dst the destination; may be NULL until the task is submitted.
 * @param user_data carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_INVALID_VALUE for NULL (our choice);
 *   DOCA_ERROR_BAD_STATE if the context does not run, or doca_dma_task_memcpy_set_conf()
 *   was not called (our choice).
 *
 * Source: table, programs; the errors of a task are our choice. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
                                             struct doca_buf *dst, union doca_data user_data,
                                             struct doca_dma_task_memcpy **task);

/**
 * Returns the task for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task; NULL for NULL (our choice).
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

/**
 * Sets the source of a task. A task in flight keeps what it has, and the log says so (our
 * choice).
 *
 * @param task the task. NULL is logged.
 * @param src the source.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src);

/**
 * Returns the source of a task.
 *
 * @param task the task.
 * @return the source; NULL for NULL (our choice).
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task);

/**
 * Sets the destination of a task. A task in flight keeps what it has, and the log says so
 * (our choice).
 *
 * @param task the task. NULL is logged.
 * @param dst the destination.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst);

/**
 * Returns the destination of a task.
 *
 * @param task the task.
 * @return the destination; NULL for NULL (our choice).
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param dma the DMA context.
 * @param gpu_dma where to put the GPU DMA.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_BAD_STATE.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma);

/**
 * Says whether the completions of an idle context come in the order of submission.
 * Otherwise a task that has to wait for others lets later ones pass. Tasks that are flushed
 * because the context stops do not wait for those that are under way (our choice).
 *
 * @param dma the context.
 * @param ordered_completions 1 for yes, 0 (the default) for no.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t ordered_completions);

/**
 * Says whether completions come in the order of submission.
 *
 * @param dma the context.
 * @param ordered_completions receives 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_ordered_completions(struct doca_dma *dma, uint8_t *ordered_completions);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DMA_H_ */

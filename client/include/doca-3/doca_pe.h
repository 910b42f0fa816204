// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_pe.h
 * Progress engines, and the tasks whose completions they bring.
 */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stdint.h>
#include <stdlib.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A context. */
struct doca_ctx;
/** A progress engine. */
struct doca_pe;
/** A task. */
struct doca_task;
/** A batch. */
struct doca_task_batch;
/** A device. */
struct doca_devinfo;

/** How many tasks a batch may have. */
enum doca_task_batch_max_tasks_number {
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16 = 0,  /**< 16 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32 = 1,  /**< 32 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64 = 2,  /**< 64 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 = 3, /**< 128 tasks */
};

/** How many events a batch has. */
enum doca_event_batch_events_number {
    DOCA_EVENT_BATCH_EVENTS_NUMBER_1 = 0,   /**< 1 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_2 = 1,   /**< 2 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_4 = 2,   /**< 4 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_8 = 3,   /**< 8 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_16 = 4,  /**< 16 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_32 = 5,  /**< 32 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_64 = 6,  /**< 64 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_128 = 7, /**< 128 events */
};

/** How a task is submitted: a bit mask. */
enum doca_task_submit_flag {
    DOCA_TASK_SUBMIT_FLAG_NONE = 0,             /**< it may wait for a later flush */
    DOCA_TASK_SUBMIT_FLAG_FLUSH = 1,            /**< it is executed at once */
    DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2, /**< its completion may come with a later one */
    DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED = 4, /**< for profiling */
    DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_PROCESSED = 8, /**< for profiling */
};

/** Which contexts are progressed after an event. */
enum doca_pe_event_mode {
    DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0, /**< those that had events */
    DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1,       /**< all of them */
};

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
                                          union doca_data ctx_user_data);

/**
 * Makes a progress engine; several contexts may share one, a context has one.
 *
 * @param pe where to put the progress engine.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_create(struct doca_pe **pe);

/**
 * DOCA_ERROR_IN_USE while a context that is not destroyed is still connected.
 *
 * @param pe the progress engine.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_IN_USE something still uses the object.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * Runs callbacks in the calling thread: task completions, events, context state changes. 1
 * when something was done, else 0. Not to be called inside a callback.
 *
 * @param pe the progress engine.
 * @return the result.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * File descriptor for poll/epoll; the same one for the life of the engine.
 *
 * @param pe the progress engine.
 * @param handle where to put the handle.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
                                             doca_notification_handle_t *handle);

/**
 * After a wake-up: consumes the event so that the handle can be armed again.
 *
 * @param pe the progress engine.
 * @param handle the handle.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_OPERATING_SYSTEM a system call failed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle);

/**
 * Arms the handle; call before each wait, then clear, then progress until 0.
 *
 * @param pe the progress engine.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/**
 * Tasks submitted and not yet completed, of all connected contexts.
 *
 * @param pe the progress engine.
 * @param num_inflight_tasks where to put the number of in-flight tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks);

/**
 * Hands the task to its context, without validation; on failure the caller still owns it.
 * Same as submit_ex with FLUSH.
 *
 * @param task the task.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_task_submit(struct doca_task *task);

/**
 * Submit with DOCA_TASK_SUBMIT_FLAG_*; without FLUSH the context may hold the task back
 * until a later flush.
 *
 * @param task the task.
 * @param flags the flags.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/**
 * Batch form: submit; rarely used, experimental.
 *
 * @param task_batch the batch.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);

/**
 * Submit that checks the fields first: DOCA_ERROR_INVALID_VALUE for a task that could not
 * work.
 *
 * @param task the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_task_try_submit(struct doca_task *task);

/**
 * Batch form: try submit; rarely used, experimental.
 *
 * @param task_batch the batch.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);

/**
 * Gives the task back to its pool; allowed any time it is not submitted, also in its
 * callback.
 *
 * @param task the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
void doca_task_free(struct doca_task *task);

/**
 * Batch form: free; rarely used, experimental.
 *
 * @param task_batch the batch.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_task_batch_free(struct doca_task_batch *task_batch);

/**
 * Result of a completed task; what the error callback reads.
 *
 * @param task the task.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_task_get_status(const struct doca_task *task);

/**
 * Batch form: get status; rarely used, experimental.
 *
 * @param task_batch the batch.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);

/**
 * What the completion callback gets as its second argument.
 *
 * @param task the task.
 * @param user_data data of the program, carried and never interpreted.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/**
 * Batch form: set user data; rarely used, experimental.
 *
 * @param task_batch the batch.
 * @param user_data data of the program, carried and never interpreted.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data);

/**
 * Reads the user data of the task.
 *
 * @param task the task.
 * @return the data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
union doca_data doca_task_get_user_data(const struct doca_task *task);

/**
 * Batch form: get user data; rarely used, experimental.
 *
 * @param task_batch the batch.
 * @return the data.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);

/**
 * Context the task was allocated from.
 *
 * @param task the task.
 * @return the context.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/**
 * Batch form: get ctx; rarely used, experimental.
 *
 * @param task_batch the batch.
 * @return the context.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);

/**
 * Batch form: get ctx user data; rarely used, experimental.
 *
 * @param task_batch the batch.
 * @return the data.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch);

/**
 * How many tasks the batch holds.
 *
 * @param task_batch the batch.
 * @return the tasks number of.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

/**
 * Once per context, while it is idle; undone only by destroying the context.
 *
 * @param pe the progress engine.
 * @param ctx the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/**
 * Selective (progress only contexts that had events; clear needed) or all (progress every
 * context; clear not needed).
 *
 * @param pe the progress engine.
 * @param event_mode the event mode.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PE_H_ */

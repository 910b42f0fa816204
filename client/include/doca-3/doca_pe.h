/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
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
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16 = 0, /**< 16 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32 = 1, /**< 32 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64 = 2, /**< 64 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 = 3 /**< 128 tasks */
};

/** How many events a batch has. */
enum doca_event_batch_events_number {
    DOCA_EVENT_BATCH_EVENTS_NUMBER_1 = 0,  /**< 1 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_2 = 1,  /**< 2 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_4 = 2,  /**< 4 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_8 = 3,  /**< 8 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_16 = 4, /**< 16 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_32 = 5, /**< 32 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_64 = 6, /**< 64 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_128 = 7 /**< 128 events */
};

/** How a task is submitted: a bit mask. */
enum doca_task_submit_flag {
    DOCA_TASK_SUBMIT_FLAG_NONE = 0,             /**< it may wait for a later flush */
    DOCA_TASK_SUBMIT_FLAG_FLUSH = 1,            /**< it is executed at once */
    DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2, /**< its completion may come with a later one */
    DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED = 4, /**< for profiling */
    DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_PROCESSED = 8  /**< for profiling */
};

/** Which contexts are progressed after an event. */
enum doca_pe_event_mode {
    DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0, /**< those that had events */
    DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1        /**< all of them */
};

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
                                          union doca_data ctx_user_data);

/**
 * Makes a progress engine. It brings the completions of its contexts' tasks to one thread
 * at a time; engines are independent of each other. Any number of contexts may share one.
 *
 * @param pe receives the engine.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY, also when the process has no file descriptors left (our choice).
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_create(struct doca_pe **pe);

/**
 * Destroys an engine.
 *
 * @param pe the engine.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_IN_USE while a context that was connected is not destroyed, or a callback of
 *   the engine is running: nothing is changed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * Does one thing, if there is something to do: runs the callback of a task that is done,
 * tells about an event, or ends a change of state. Callbacks run in the calling thread.
 * They may call anything, including doca_task_submit(), doca_task_free(), doca_ctx_stop()
 * and, when a context has become idle, its destruction; but not this function, which then
 * does nothing.
 *
 * Copies and other work of tasks are done here, too, in the order of submission. A task
 * that has to wait for others steps aside. A thread that has called it in vain some thousand
 * times in a row yields its CPU to others: sched_yield(2).
 *
 * @param pe the engine.
 * @return 1 if something was done, 0 if there was nothing to do; 0 for NULL (our choice).
 *
 * Source: table, programs; one completion a call is our choice. Since: 2.5.
 */
DOCA_STABLE
uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * Returns what poll(2) and epoll(7) can wait for. It is the same for the life of the
 * engine, and level triggered. The program must not read from it or close it.
 *
 * @param pe the engine.
 * @param handle receives the file descriptor.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL (our choice).
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
                                             doca_notification_handle_t *handle);

/**
 * Makes the handle unreadable after a wake-up, until the next request.
 *
 * @param pe the engine.
 * @param handle ignored: each engine has one handle, and programs pass 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL (our choice);
 *   DOCA_ERROR_OPERATING_SYSTEM if a system call failed.
 *
 * Source: table, programs. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle);

/**
 * Asks that the handle becomes readable as soon as doca_pe_progress() has something to do:
 * at once if it has already. Call it before each wait, after doca_pe_progress() has
 * returned 0.
 *
 * @param pe the engine.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL (our choice);
 *   DOCA_ERROR_OPERATING_SYSTEM if a system call failed (our choice).
 *
 * Source: table, programs. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/**
 * Counts the tasks of all connected contexts that were submitted and not yet called back.
 * In a callback its own task no longer counts.
 *
 * @param pe the engine.
 * @param num_inflight_tasks receives the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table, programs. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks);

/**
 * Hands a task to its context, which must be running. From then on it is the library's,
 * until its callback is called; there it is the program's again, and may be submitted once
 * more.
 *
 * The fields of the task are not checked: a task that cannot work fails in its error
 * callback. The memory and the buffers that they refer to must stay as they are until then;
 * the task holds no reference to a buffer. Same as doca_task_submit_ex() with
 * DOCA_TASK_SUBMIT_FLAG_FLUSH.
 *
 * @param task the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a task that was freed (our choice);
 *   DOCA_ERROR_BAD_STATE if the context does not run, or the task is in flight (our
 *   choice);
 *   DOCA_ERROR_AGAIN, DOCA_ERROR_NO_MEMORY, DOCA_ERROR_FULL from libraries that say so. On failure
 *   the task stays with the program.
 *
 * Source: table, programs. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_task_submit(struct doca_task *task);

/**
 * doca_task_submit() with flags. None of them changes anything, no task is held back, and each
 * completion is reported by itself, unless the device imitates a card (docad-cards(7)).
 *
 * @param task the task.
 * @param flags a mask of enum doca_task_submit_flag.
 * @return DOCA_SUCCESS;
 *   the errors of doca_task_submit(): DOCA_ERROR_INVALID_VALUE, also for other flags;
 *   DOCA_ERROR_BAD_STATE; DOCA_ERROR_AGAIN; DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/**
 * No library here has batches of tasks, so there is none that could be passed.
 *
 * @param task_batch the batch.
 * @return DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED.
 *
 * Source: our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);

/**
 * doca_task_submit() that checks the task first.
 *
 * @param task the task.
 * @return DOCA_SUCCESS;
 *   the errors of doca_task_submit(): DOCA_ERROR_INVALID_VALUE, also if the task could not
 *   work (the log says why); DOCA_ERROR_BAD_STATE; DOCA_ERROR_AGAIN; DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the other errors are our choice. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_task_try_submit(struct doca_task *task);

/**
 * No library here has batches of tasks, so there is none that could be passed.
 *
 * @param task_batch the batch.
 * @return DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED.
 *
 * Source: our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);

/**
 * Gives a task back to its context. Allowed in any state of the context until it is
 * destroyed, and inside the task's callback. A task that is in flight goes back after its
 * callback, unless that frees or submits it; one that was freed already is left as it is. The
 * log says so (our choice).
 *
 * @param task the task. NULL is logged.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
void doca_task_free(struct doca_task *task);

/**
 * No library here has batches of tasks, so there is none that could be passed. Logs that.
 *
 * @param task_batch the batch.
 *
 * Source: our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_task_batch_free(struct doca_task_batch *task_batch);

/**
 * The result of a task's last run, from its callback until it is submitted again.
 *
 * @param task the task.
 * @return DOCA_SUCCESS;
 *   why the task failed: DOCA_ERROR_SHUTDOWN if its context was stopped before the task
 *   began; DOCA_ERROR_BAD_STATE in a child of the process that submitted it, if a thread of the
 *   parent computes it (compression, SHA, AES-GCM, erasure coding);
 *   DOCA_ERROR_IN_PROGRESS while the task is in flight (our choice);
 *   DOCA_ERROR_INVALID_VALUE for NULL (our choice).
 *
 * Source: table; which errors is our choice. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_task_get_status(const struct doca_task *task);

/**
 * No library here has batches of tasks, so there is none that could be passed.
 *
 * @param task_batch the batch.
 * @return DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED.
 *
 * Source: our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);

/**
 * Sets the second argument of the task's callback. A task in flight keeps what it has, and
 * the log says so (our choice).
 *
 * @param task the task. NULL is logged.
 * @param user_data carried and never interpreted.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/**
 * No library here has batches of tasks, so there is none that could be passed. Logs that.
 *
 * @param task_batch the batch.
 * @param user_data ignored.
 *
 * Source: our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data);

/**
 * Returns the data of the program that a task carries.
 *
 * @param task the task.
 * @return the data; 0 for NULL (our choice).
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
union doca_data doca_task_get_user_data(const struct doca_task *task);

/**
 * No library here has batches of tasks, so there is none that could be passed.
 *
 * @param task_batch the batch.
 * @return 0.
 *
 * Source: our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);

/**
 * Returns the context that a task was allocated from.
 *
 * @param task the task.
 * @return the context; NULL for NULL (our choice).
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/**
 * No library here has batches of tasks, so there is none that could be passed.
 *
 * @param task_batch the batch.
 * @return NULL.
 *
 * Source: our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);

/**
 * No library here has batches of tasks, so there is none that could be passed.
 *
 * @param task_batch the batch.
 * @return 0.
 *
 * Source: our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch);

/**
 * No library here has batches of tasks, so there is none that could be passed.
 *
 * @param task_batch the batch.
 * @return 0.
 *
 * Source: our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

/**
 * Connects an idle context to an engine, for the rest of its life.
 *
 * @param pe the engine.
 * @param ctx the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the context is not idle;
 *   DOCA_ERROR_NOT_PERMITTED if the context is connected already.
 *   (DOCA_ERROR_NO_MEMORY of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/**
 * Chooses what a program does about events. Both modes make progress with all contexts
 * here. With DOCA_PE_EVENT_MODE_PROGRESS_ALL the program need not call
 * doca_pe_clear_notification(): doca_pe_request_notification() does.
 *
 * @param pe the engine.
 * @param event_mode DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE is the default.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another mode;
 *   DOCA_ERROR_BAD_STATE inside a callback of the engine (our choice).
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PE_H_ */

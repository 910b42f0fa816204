/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_ctx.h
 * Contexts, work queues, jobs and events.
 *
 * A context is an instance of a library (doca_dma_as_ctx() and the like): devices are
 * added, it is started, and work queues are added to it. A work queue takes jobs for
 * any of its contexts and hands back an event for each. The library has no threads:
 * jobs move when the application submits, retrieves or arms. Jobs may finish out of
 * order.
 *
 * Contexts are thread safe, and one context may serve the work queues of several threads. A
 * work queue is not thread safe: it belongs to one thread at a time, even while it is added to
 * or removed from a context. Submitting and retrieving neither lock nor allocate, and enter the
 * system only in event-driven mode or when another process's engine must be woken.
 *
 * Every call returns DOCA_ERROR_INVALID_VALUE for a NULL argument (our choice where the table
 * has no error).
 *
 * Since 2.2.
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A work queue. */
struct doca_workq;

/** A context. */
struct doca_ctx;

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/** A GPU. There are none here. */
struct doca_gpu;
#endif

/** The shift that turns the number of a library into the first of its job types. */
#define DOCA_ACTION_SDK_RANGE 16

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#include "doca-1.5/doca_ctx.h"
#else
/** The first job type of each library. */
enum doca_action_type {
    DOCA_ACTION_NONE = 0,
    DOCA_ACTION_DMA_FIRST = 1 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_DEVEMU_FIRST = 2 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_DEVEMU_PCI_FIRST = 3 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_VIRTIO_FS_FIRST = 4 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_VBLK_FIRST = 5 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_REGEX_FIRST = 6 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_NVME_FIRST = 7 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_APPSHIELD_FIRST = 8 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_SHA_FIRST = 9 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_COMPRESS_FIRST = 10 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_IPSEC_FIRST = 11 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_RMAX_FIRST = 12 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_RDMA_FIRST = 13 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_GRAPH_FIRST = 14 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_SYNC_EVENT_FIRST = 15 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_DPI_FIRST = 16 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_EC_FIRST = 17 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_NVRD_TRANSPORT_FIRST = 18 << DOCA_ACTION_SDK_RANGE
};
#endif

/** Flags of a job. */
enum doca_job_flags {
    DOCA_JOB_FLAGS_NONE = 0 /**< None. */
};

/** Flags of doca_workq_progress_retrieve(). */
enum doca_workq_retrieve_flags {
    DOCA_WORKQ_RETRIEVE_FLAGS_NONE = 0 /**< None. */
};

/** The beginning of every job. */
struct doca_job {
    int type;                  /**< The job, and its library. */
    int flags;                 /**< Of enum doca_job_flags. */
    struct doca_ctx *ctx;      /**< The context that is to execute it. */
    union doca_data user_data; /**< Comes back in the event; never looked at. */
};

/** The outcome of a job. */
struct doca_event {
    int type;                  /**< The type of the job. */
    union doca_data user_data; /**< The job's. */
    union doca_data result;    /**< As the library says; u64 is the error of a failed job. */
};

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* 1.5 has its own */
/**
 * Makes a work queue.
 *
 * @param depth how many jobs may be in flight over all contexts, that is, submitted and not
 *   retrieved: 1 to 4194304.
 * @param workq receives the work queue, in polling mode.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or depth 0;
 *   DOCA_ERROR_NO_MEMORY, also for a depth above the limit.
 *
 * Source: table; the limit is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq);
#endif

/**
 * Destroys a work queue that is not attached to any context. Its event handle is closed.
 *
 * @param workq the work queue.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_IN_USE while it is attached to a context: nothing is changed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_destroy(struct doca_workq *workq);

/**
 * Submits a job. The job is copied and may be reused or freed at once; the buffers it
 * names must stay as they are until its event has been retrieved.
 *
 * @param workq a work queue that was added to the job's context.
 * @param job base of a job of that context's library.
 * @return DOCA_SUCCESS: exactly one event will follow;
 *   DOCA_ERROR_INVALID_VALUE for NULL, unknown flags, a type that the context does not
 *   know, or arguments that the library refuses (see there);
 *   DOCA_ERROR_NOT_FOUND if the work queue was not added to the job's context;
 *   DOCA_ERROR_BAD_STATE if the context cannot take jobs now (see the library);
 *   DOCA_ERROR_NO_MEMORY if `depth` jobs are in flight: retrieve, then submit again.
 *
 * Source: table; INVALID_VALUE is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_submit(struct doca_workq *workq, const struct doca_job *job);

/**
 * Makes the event handle become readable at the next completion. Event-driven mode only.
 * Pending jobs are executed or handed over first. No wake-up is lost: a completion that is
 * there already makes the handle readable at once, as does a job that is submitted while armed.
 * Jobs that end because the other side, the device or docad goes complete like others. Call
 * this again after each wake-up; some wake-ups find nothing.
 *
 * @param workq the work queue.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE in polling mode;
 *   DOCA_ERROR_OPERATING_SYSTEM.
 *
 * Source: table and guide; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_event_handle_arm(struct doca_workq *workq);

/**
 * Makes the event handle unreadable again. Call this after a wake-up and before retrieving. A
 * wake-up does not promise that an event can be retrieved.
 *
 * @param workq the work queue.
 * @param handle what doca_workq_get_event_handle() gave for it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another handle;
 *   DOCA_ERROR_BAD_STATE in polling mode;
 *   DOCA_ERROR_OPERATING_SYSTEM.
 *
 * Source: table; the first two errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_event_handle_clear(struct doca_workq *workq, doca_event_handle_t handle);

/**
 * Moves jobs on, and hands out at most one event. A thread that has called it in vain some
 * thousand times in a row yields its processor to others: sched_yield(2).
 *
 * @param workq the work queue.
 * @param ev receives the event on SUCCESS and IO_FAILED, and is untouched otherwise.
 * @param flags DOCA_WORKQ_RETRIEVE_FLAGS_NONE.
 * @return DOCA_SUCCESS: a job has succeeded;
 *   DOCA_ERROR_AGAIN: nothing to hand out yet;
 *   DOCA_ERROR_IO_FAILED: a job has failed, and ev->result.u64 is the reason, a
 *   doca_error_t (see the library);
 *   DOCA_ERROR_INVALID_VALUE for NULL, or unknown flags.
 *
 * Source: table and guide. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_progress_retrieve(struct doca_workq *workq, struct doca_event *ev,
                                          int flags);

/**
 * Returns the number of contexts that a process may have at a time.
 *
 * @param max_num_ctx receives the number: 4096.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ctx_get_max_num_ctx(uint32_t *max_num_ctx);

/**
 * Returns the number of jobs that may be in flight.
 *
 * @param workq the work queue.
 * @param depth receives the number that it was created with.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_get_depth(const struct doca_workq *workq, uint32_t *depth);

/**
 * Says whether the work queue is in event-driven mode.
 *
 * @param workq the work queue.
 * @param enabled receives 1 or 0.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_get_event_driven_enable(struct doca_workq *workq, uint8_t *enabled);

/**
 * Returns the file descriptor that is readable after a completion, for poll, select and epoll.
 * It belongs to the library, and stays the same until the work queue is destroyed. Do nothing
 * with it but wait.
 *
 * @param workq the work queue. If it is in polling mode and not attached to a context,
 *   event-driven mode is enabled.
 * @param handle receives the descriptor.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE in polling mode when attached to a context;
 *   DOCA_ERROR_OPERATING_SYSTEM if no descriptor could be made.
 *
 * Source: table; enabling the mode is our reading of it. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_get_event_handle(struct doca_workq *workq, doca_event_handle_t *handle);

/**
 * Chooses between polling and event-driven mode. Setting the mode that the work queue
 * has does nothing, in any state.
 *
 * @param workq a work queue that is not attached to any context.
 * @param enable 0 for polling mode, anything else for event-driven mode.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE when attached to a context;
 *   DOCA_ERROR_OPERATING_SYSTEM if no descriptor could be made.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_set_event_driven_enable(struct doca_workq *workq, uint8_t enable);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * Would set an event handle; Linux has no such handles.
 *
 * @param workq the work queue.
 * @param event_handle ignored.
 * @param completion_key ignored.
 * @return DOCA_ERROR_INVALID_VALUE for NULL; DOCA_ERROR_NOT_SUPPORTED otherwise.
 *   (DOCA_ERROR_OPERATING_SYSTEM of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_set_event_handle(struct doca_workq *workq, doca_event_handle_t event_handle,
                                         uintptr_t completion_key);
#endif

/**
 * Gives a context its device. The context keeps it open until it is removed or the
 * context is destroyed, even if the application closes it first.
 *
 * @param ctx a context that is not started.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE if the context is started;
 *   DOCA_ERROR_IN_USE if it has as many devices as it can take (one for most libraries);
 *   DOCA_ERROR_NOT_SUPPORTED if the device lacks what the library needs, or the library
 *   takes no device.
 *   (DOCA_ERROR_DRIVER and DOCA_ERROR_UNEXPECTED of the table are not returned by this
 *   implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ctx_dev_add(struct doca_ctx *ctx, struct doca_dev *dev);

/**
 * Takes a device away from a context.
 *
 * @param ctx a context that is not started.
 * @param dev a device that was added to it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE if the context is started;
 *   DOCA_ERROR_NOT_FOUND if the context does not have the device.
 *   (DOCA_ERROR_UNEXPECTED of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ctx_dev_rm(struct doca_ctx *ctx, struct doca_dev *dev);

/**
 * Starts a context. Work queues may be added from now on, and the configuration cannot change
 * until the context is stopped.
 *
 * @param ctx a context that is not started.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a context that is started;
 *   DOCA_ERROR_INITIALIZATION if it needs a device and has none;
 *   DOCA_ERROR_NOT_SUPPORTED and others as the library says (DMA has none).
 *   (DOCA_ERROR_UNEXPECTED of the table is not returned by this implementation.)
 *
 * Source: table; which error means what is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/**
 * Stops a context.
 *
 * @param ctx a started context from which all work queues were removed.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a context that is not started;
 *   DOCA_ERROR_IN_USE while it has work queues: nothing is changed.
 *   (DOCA_ERROR_NOT_PERMITTED and DOCA_ERROR_UNEXPECTED of the table are not returned by
 *   this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/**
 * Allows jobs for a context to be submitted through a work queue. Sets up everything that the
 * data path needs. Must be called by the thread that the work queue belongs to.
 *
 * @param ctx a started context.
 * @param workq the work queue. It may be attached to other contexts.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE if the context is not started;
 *   DOCA_ERROR_IN_USE if the work queue was added to it already;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_INITIALIZATION if docad refused what the data path needs, or the work queue
 *   is in event-driven mode and the context does not support it.
 *   (DOCA_ERROR_UNEXPECTED of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ctx_workq_add(struct doca_ctx *ctx, struct doca_workq *workq);

/**
 * Detaches a work queue from a context.
 *
 * @param ctx a started context.
 * @param workq a work queue that was added to it and has no job of it in flight.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE if the context is not started;
 *   DOCA_ERROR_NOT_FOUND if the work queue is not attached to it;
 *   DOCA_ERROR_IN_USE while jobs for the context are in flight, that is, submitted and
 *   not retrieved: nothing is changed.
 *   (DOCA_ERROR_NOT_PERMITTED and DOCA_ERROR_UNEXPECTED of the table are not returned by
 *   this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ctx_workq_rm(struct doca_ctx *ctx, struct doca_workq *workq);

/**
 * Says whether work queues in event-driven mode can be added to the context.
 *
 * @param ctx a context, in any state.
 * @param event_supported receives 1 or 0.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ctx_get_event_driven_supported(struct doca_ctx *ctx, uint8_t *event_supported);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * Would move the data path to a GPU.
 *
 * @param ctx a context that is not started.
 * @param gpu_dev a GPU.
 * @return DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the context is started;
 *   DOCA_ERROR_NOT_SUPPORTED otherwise.
 *
 * Source: table; NOT_SUPPORTED is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev);
#endif

#ifdef __cplusplus
}
#endif

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15 /* and functions that no later version has  \
                                                        */
#include "doca-1.3/doca_ctx.h"
#endif

#endif /* DOCA_CTX_H_ */

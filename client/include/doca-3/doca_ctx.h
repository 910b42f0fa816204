/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_ctx.h
 * Contexts: what every library's context has.
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

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
struct doca_devinfo;
/** A GPU. */
struct doca_gpu;
/** A DPA. */
struct doca_dpa;

/** States of a context. */
enum doca_ctx_states {
    DOCA_CTX_STATE_IDLE = 0,     /**< not started, or stopped */
    DOCA_CTX_STATE_STARTING = 1, /**< doca_ctx_start() goes on */
    DOCA_CTX_STATE_RUNNING = 2,  /**< takes tasks */
    DOCA_CTX_STATE_STOPPING = 3  /**< waits for tasks in flight */
};

/** Called when the state of a context changes, with the states before and after. */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
                                                  struct doca_ctx *ctx,
                                                  enum doca_ctx_states prev_state,
                                                  enum doca_ctx_states next_state);

/**
 * Starts an idle context that is connected to an engine. The callback for changes of state
 * is called inside. Contexts that are ready at once (DMA, SHA, RDMA and others) are RUNNING
 * when this returns DOCA_SUCCESS. Others (a client of Comch) are STARTING when it returns
 * DOCA_ERROR_IN_PROGRESS, and become RUNNING within doca_pe_progress().
 *
 * @param ctx the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_IN_PROGRESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the context is idle (our choice);
 *   DOCA_ERROR_NOT_CONNECTED without an engine;
 *   DOCA_ERROR_NOT_SUPPORTED if the device lacks something;
 *   DOCA_ERROR_INITIALIZATION if docad refuses what the context needs. After a failure the context
 * is idle. (DOCA_ERROR_UNEXPECTED of the table is not returned by this implementation.)
 *
 * Source: table, programs. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx) DOCA_3_SYMBOL(ctx_start);

/**
 * Stops a context. It goes to STOPPING, where no task can be allocated or submitted. If no
 * task is in flight, it goes on to IDLE at once, and both changes of state are told inside
 * this call. Otherwise tasks come back through their error callbacks with
 * DOCA_ERROR_SHUTDOWN, or end in their own way if they are under way, and
 * doca_pe_progress() takes the context to IDLE after the last. Inside a callback of one of
 * the context's tasks that is so, too, even if the task was the last.
 *
 * Tasks that the program has allocated and not submitted do not keep a context from
 * stopping (our choice). It may be started again.
 *
 * @param ctx the context.
 * @return DOCA_SUCCESS: the context is idle, now or already;
 *   DOCA_ERROR_IN_PROGRESS: the context is STOPPING;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_CONNECTED without an engine.
 *   (DOCA_ERROR_UNEXPECTED of the table is not returned by this implementation.)
 *
 * Source: table, programs. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx) DOCA_3_SYMBOL(ctx_stop);

/**
 * Counts the tasks of a context that were submitted and not yet called back. In a callback
 * its own task no longer counts.
 *
 * @param ctx the context.
 * @param num_inflight_tasks receives the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table, programs. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
                                             size_t *num_inflight_tasks);

/**
 * There are no GPUs here.
 *
 * @param ctx the context.
 * @param gpu_dev the GPU.
 * @return DOCA_ERROR_NOT_SUPPORTED;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev)
    DOCA_3_SYMBOL(ctx_set_datapath_on_gpu);

/**
 * Sets what callbacks of this context get as ctx_user_data. Allowed in any state: it is
 * read when a callback is called.
 *
 * @param ctx the context.
 * @param user_data carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table; any state is our choice. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/**
 * Returns the data of the program that a context carries.
 *
 * @param ctx the context.
 * @param user_data receives the data.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/**
 * Sets the function that is called for each change of state, in the thread that causes it.
 * It may call anything, also doca_ctx_stop(). When it is called for IDLE it may destroy the
 * context. Allowed in any state.
 *
 * @param ctx the context.
 * @param cb the function.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table, programs; any state is our choice. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
                                           doca_ctx_state_changed_callback_t cb);

/**
 * Returns the state of a context.
 *
 * @param ctx the context.
 * @param state receives the state.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/**
 * Lets tasks be executed that were submitted without DOCA_TASK_SUBMIT_FLAG_FLUSH. No task is held
 * back unless the device imitates a card that does (docad-cards(7)).
 *
 * @param ctx the context. NULL is logged.
 *
 * Source: table; our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

/**
 * There is no DPA here.
 *
 * @param ctx the context.
 * @param dpa_dev the DPA.
 * @return DOCA_ERROR_NOT_SUPPORTED;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev);

/**
 * Devices have no completion vectors here.
 *
 * @param ctx the context.
 * @param comp_vector the vector.
 * @return DOCA_ERROR_NOT_SUPPORTED;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

/**
 * Returns the number of completion vectors of a device.
 *
 * @param devinfo the device.
 * @param num_comp_vectors receives 0 (our choice).
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
                                                     uint32_t *num_comp_vectors);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CTX_H_ */

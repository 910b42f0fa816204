// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
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
    DOCA_CTX_STATE_STOPPING = 3, /**< waits for tasks in flight */
};

/** Called when the state of a context changes, with the states before and after. */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
                                                  struct doca_ctx *ctx,
                                                  enum doca_ctx_states prev_state,
                                                  enum doca_ctx_states next_state);

/**
 * IDLE to RUNNING, or to STARTING and IN_PROGRESS when it ends in progress(). NOT_CONNECTED
 * without an engine.
 *
 * @param ctx the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NOT_CONNECTED there is no connection that it needs;
 *   DOCA_ERROR_INITIALIZATION a resource could not be set up;
 *   DOCA_ERROR_UNEXPECTED something that should never happen did.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx) DOCA_3_SYMBOL(ctx_start);

/**
 * To IDLE, or STOPPING and IN_PROGRESS while tasks (or connections) remain; progress() then
 * finishes it.
 *
 * @param ctx the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_IN_PROGRESS it goes on, and doca_pe_progress() ends it;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_CONNECTED there is no connection that it needs;
 *   DOCA_ERROR_UNEXPECTED something that should never happen did.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx) DOCA_3_SYMBOL(ctx_stop);

/**
 * Submitted, not yet completed tasks of the context.
 *
 * @param ctx the context.
 * @param num_inflight_tasks where to put the number of in-flight tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
                                             size_t *num_inflight_tasks);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param ctx the context.
 * @param gpu_dev the GPU.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev)
    DOCA_3_SYMBOL(ctx_set_datapath_on_gpu);

/**
 * What callbacks of this context get as ctx_user_data.
 *
 * @param ctx the context.
 * @param user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/**
 * Reads the user data of the context.
 *
 * @param ctx the context.
 * @param user_data where to put the user data.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/**
 * One callback for every change of state; may be set before or after connecting to the
 * engine.
 *
 * @param ctx the context.
 * @param cb the function to call.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
                                           doca_ctx_state_changed_callback_t cb);

/**
 * The state now.
 *
 * @param ctx the context.
 * @param state where to put the state.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/**
 * Sends what submit_ex without FLUSH left waiting.
 *
 * @param ctx the context.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param ctx the context.
 * @param dpa_dev the DPA.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev);

/**
 * Before start: interrupt vector for notifications.
 *
 * @param ctx the context.
 * @param comp_vector the comp vector.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

/**
 * How many vectors a device has.
 *
 * @param devinfo the device.
 * @param num_comp_vectors where to put the number of comp vectors.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
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

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A work queue: an executor, the contexts attached to it, and its broker for engines.

#ifndef CLIENT_WORK_WORKQ_H
#define CLIENT_WORK_WORKQ_H

#include "ctx.h"

// Lets jobs for the context in. IN_USE if it is attached already, NO_MEMORY, or
// the broker's error. The caller has locked the context.
doca_error_t workq_attach(struct doca_workq *workq, struct doca_ctx *ctx, struct errtext *err);

// NOT_FOUND if the context is not attached, IN_USE while it has jobs in flight.
doca_error_t workq_detach(struct doca_workq *workq, struct doca_ctx *ctx, struct errtext *err);

// Returns the work queue's link to a context that is attached to it, else NULL. For the
// work queue's own thread.
struct work_link *workq_link(struct doca_workq *workq, const struct doca_ctx *ctx);

// Returns the link whose event was retrieved last, before any other call for the work queue; NULL
// if there was none. For the work queue's own thread.
struct work_link *workq_link_retrieved(struct doca_workq *workq);

// Makes a work queue that takes `capacity` jobs, and reports `depth` as its depth.
doca_error_t workq_new(struct doca_workq **out, uint32_t depth, uint32_t capacity,
                       struct errtext *err);

// Changes both. BAD_STATE while a context is attached, else the errors of
// executor_init().
doca_error_t workq_set_depth(struct doca_workq *workq, uint32_t depth, uint32_t capacity,
                             struct errtext *err);

#endif

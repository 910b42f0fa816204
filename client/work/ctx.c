// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "ctx.h"

#include "cleanup.h"
#include "core/refused.h"
#include "workq.h"

#include <stdatomic.h>
#include <stdlib.h>

static _Atomic uint32_t n_contexts;

doca_error_t ctx_init(struct doca_ctx *ctx, const struct ctx_ops *ops, struct errtext *err)
{
    if (atomic_fetch_add(&n_contexts, 1) >= CTX_MAX) {
        atomic_fetch_sub(&n_contexts, 1);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "the process has reached the limit of %u contexts", CTX_MAX);
    }
    *ctx = (struct doca_ctx){.ops = ops};
    pthread_mutex_init(&ctx->lock, NULL);
    alive_begin(&ctx->alive);
    return DOCA_SUCCESS;
}

doca_error_t ctx_fini(struct doca_ctx *ctx, struct errtext *err)
{
    if (!alive_now(&ctx->alive))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, ENDED_ALREADY);
    pthread_mutex_lock(&ctx->lock);
    uint32_t n_workqs = ctx->n_workqs;
    pthread_mutex_unlock(&ctx->lock);
    if (n_workqs)
        return errtext_set(err, DOCA_ERROR_IN_USE,
                           "the %s context has %u work queues; remove them first", ctx->ops->name,
                           n_workqs);
    if (ctx->started && ctx->ops->stop)
        ctx->ops->stop(ctx);
    ctx->device = dev_unref(ctx->device);
    pthread_mutex_destroy(&ctx->lock);
    alive_end(&ctx->alive);
    atomic_fetch_sub(&n_contexts, 1);
    return DOCA_SUCCESS;
}

doca_error_t ctx_new(const char *function, const struct ctx_ops *ops, struct doca_ctx **ctx)
{
    cleanup_free struct doca_ctx *made = calloc(1, sizeof(*made));
    struct errtext err;

    if (!made)
        return report(function, DOCA_ERROR_NO_MEMORY, NULL);
    doca_error_t r = ctx_init(made, ops, &err);
    if (r != DOCA_SUCCESS)
        return report(function, r, &err);
    *ctx = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t ctx_free(const char *function, struct doca_ctx *ctx)
{
    struct errtext err;

    doca_error_t r = ctx_fini(ctx, &err);
    if (r != DOCA_SUCCESS)
        return report(function, r, &err);
    free(ctx);
    return DOCA_SUCCESS;
}

// ---- states; all with the context locked -----------------------

static doca_error_t dev_add(struct doca_ctx *ctx, struct doca_dev *dev, struct errtext *err)
{
    const char *name = ctx->ops->name;

    if (ctx->started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the %s context is started; stop it to change its device", name);
    if (!ctx->ops->takes_device)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, "%s contexts take no device", name);
    if (ctx->device)
        return errtext_set(err, DOCA_ERROR_IN_USE, "the %s context has %s", name,
                           ctx->device == dev ? "this device already" : "another device");
    doca_error_t known = dev_known(dev, err);
    if (known != DOCA_SUCCESS)
        return known;
    doca_error_t fits = dev_check_card(dev, ctx->ops->needs, err);
    if (fits == DOCA_SUCCESS && ctx->ops->check_device)
        fits = ctx->ops->check_device(dev, err);
    if (fits != DOCA_SUCCESS)
        return fits;
    ctx->device = dev_ref(dev);
    return DOCA_SUCCESS;
}

static doca_error_t dev_rm(struct doca_ctx *ctx, struct doca_dev *dev, struct errtext *err)
{
    if (ctx->started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the %s context is started; stop it to change its device",
                           ctx->ops->name);
    if (ctx->device != dev)
        return errtext_set(err, DOCA_ERROR_NOT_FOUND, "the %s context does not have this device",
                           ctx->ops->name);
    ctx->device = dev_unref(ctx->device);
    return DOCA_SUCCESS;
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    if (ctx->started)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the %s context is started already",
                           ctx->ops->name);
    if (ctx->ops->takes_device && !ctx->device)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "the %s context has no device; add one with doca_ctx_dev_add()",
                           ctx->ops->name);
    doca_error_t r = ctx->ops->start ? ctx->ops->start(ctx, err) : DOCA_SUCCESS;
    ctx->started = r == DOCA_SUCCESS;
    return r;
}

static doca_error_t stop(struct doca_ctx *ctx, struct errtext *err)
{
    if (!ctx->started)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the %s context is not started",
                           ctx->ops->name);
    if (ctx->n_workqs)
        return errtext_set(err, DOCA_ERROR_IN_USE,
                           "the %s context has %u work queues; remove them first", ctx->ops->name,
                           ctx->n_workqs);
    if (ctx->ops->stop)
        ctx->ops->stop(ctx);
    ctx->started = false;
    return DOCA_SUCCESS;
}

static doca_error_t workq_add(struct doca_ctx *ctx, struct doca_workq *workq, struct errtext *err)
{
    if (!ctx->started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the %s context is not started; start it first", ctx->ops->name);
    doca_error_t r = workq_attach(workq, ctx, err);
    if (r == DOCA_SUCCESS)
        ctx->n_workqs++;
    return r;
}

static doca_error_t workq_rm(struct doca_ctx *ctx, struct doca_workq *workq, struct errtext *err)
{
    if (!ctx->started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the %s context is not started",
                           ctx->ops->name);
    doca_error_t r = workq_detach(workq, ctx, err);
    if (r == DOCA_SUCCESS)
        ctx->n_workqs--;
    return r;
}

// ---- the public interface ----------------------------------------------------------------

#define LOCKED(ctx, call)                                                                          \
    do {                                                                                           \
        struct errtext err = {0};                                                                  \
        pthread_mutex_lock(&(ctx)->lock);                                                          \
        doca_error_t result = (call);                                                              \
        pthread_mutex_unlock(&(ctx)->lock);                                                        \
        return report(__func__, result, &err);                                                     \
    } while (0)

doca_error_t doca_ctx_dev_add(struct doca_ctx *ctx, struct doca_dev *dev)
{
    if (!ctx || !dev)
        return REFUSED_NULL(ctx, dev);
    LOCKED(ctx, dev_add(ctx, dev, &err));
}

doca_error_t doca_ctx_dev_rm(struct doca_ctx *ctx, struct doca_dev *dev)
{
    if (!ctx || !dev)
        return REFUSED_NULL(ctx, dev);
    LOCKED(ctx, dev_rm(ctx, dev, &err));
}

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
    if (!ctx)
        return REFUSED_NULL(ctx);
    LOCKED(ctx, start(ctx, &err));
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
    if (!ctx)
        return REFUSED_NULL(ctx);
    LOCKED(ctx, stop(ctx, &err));
}

doca_error_t doca_ctx_workq_add(struct doca_ctx *ctx, struct doca_workq *workq)
{
    if (!ctx || !workq)
        return REFUSED_NULL(ctx, workq);
    LOCKED(ctx, workq_add(ctx, workq, &err));
}

doca_error_t doca_ctx_workq_rm(struct doca_ctx *ctx, struct doca_workq *workq)
{
    if (!ctx || !workq)
        return REFUSED_NULL(ctx, workq);
    LOCKED(ctx, workq_rm(ctx, workq, &err));
}

doca_error_t doca_ctx_get_max_num_ctx(uint32_t *max_num_ctx)
{
    if (!max_num_ctx)
        return REFUSED_NULL(max_num_ctx);
    *max_num_ctx = CTX_MAX;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_event_driven_supported(struct doca_ctx *ctx, uint8_t *event_supported)
{
    if (!ctx || !event_supported)
        return REFUSED_NULL(ctx, event_supported);
    *event_supported = ctx->ops->event_driven;
    return DOCA_SUCCESS;
}

static doca_error_t datapath_on_gpu(struct doca_ctx *ctx, struct errtext *err)
{
    if (ctx->started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the %s context is started", ctx->ops->name);
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, "there are no GPUs here");
}

doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev)
{
    if (!ctx || !gpu_dev)
        return REFUSED_NULL(ctx, gpu_dev);
    LOCKED(ctx, datapath_on_gpu(ctx, &err));
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_rdma of DOCA 3: the life of the context.

#include "rdma_context.h"

#include "cleanup.h"
#include "rdma/verbs.h"
#include "rdma_task.h"
#include "work/copy.h"

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    struct doca_rdma *rdma = rdma_context_of(ctx);

    doca_error_t r = dev_check_card(ctx->device, CARD_RDMA, err);
    if (r != DOCA_SUCCESS)
        return r;
    work_fifo_init(&rdma->receives.queue);
    rdma->receives.n = 0;
    r = rdma_copies_open(&ctx->link, err);
    if (r == DOCA_SUCCESS && dev_verbs(ctx->device))
        r = verbs_receives_open(&rdma->receives, ctx->device, ctx->pools[RDMA_JOB_RECV].n,
                                rdma->set.recv_chain, err);
    if (r != DOCA_SUCCESS) {
        rdma_copies_close(&ctx->link);
        return r;
    }
    return rdma->single ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS;
}

static void flush(struct doca_ctx *ctx)
{
    struct doca_rdma *rdma = rdma_context_of(ctx);

    rdma_connections_leave(rdma);
    rdma_flush_receives(rdma);
}

static doca_error_t stop(struct doca_ctx *ctx)
{
    return cm_stop(rdma_context_of(ctx));
}

static void stopped(struct doca_ctx *ctx)
{
    rdma_single_stop(rdma_context_of(ctx));
    rdma_connections_close(rdma_context_of(ctx));
    verbs_receives_close(&rdma_context_of(ctx)->receives);
    rdma_copies_close(&ctx->link);
    cm_close(rdma_context_of(ctx));
}

// A receive has the connection by which its message came.
static bool lose_peer(struct doca_task *task)
{
    struct rdma_end *end = rdma_of(&task->item);

    return end && rdma_lose_peer(end);
}

#define KIND(check, ...)                                                                           \
    {                                                                                              \
        .name = "RDMA",                                                                            \
        .work = {.library = WORK_LIBRARY_RDMA,                                                     \
                 .prepare = (check),                                                               \
                 .eager = true,                                                                    \
                 .measure = rdma_measure,                                                          \
                 .lane = rdma_lane,                                                                \
                 __VA_ARGS__},                                                                     \
        .tasks = rdma_task_kinds, .n_tasks = RDMA_JOB_KINDS, .shows_starting = true,               \
        .start = start, .stop = stop, .flush = flush, .stopped = stopped, .lose_peer = lose_peer,  \
    }

static const struct ctx_kind on_shm =
    KIND(rdma_task_prepare, .execute = rdma_task_execute, .quick = rdma_task_quick);
static const struct ctx_kind on_verbs =
    KIND(rdma_task_prepare, .execute = rdma_task_execute_on_verbs);
// On a card whose send queues fill.
static const struct ctx_kind on_shm_bounded =
    KIND(rdma_task_prepare_bounded, .execute = rdma_task_execute);
static const struct ctx_kind on_verbs_bounded =
    KIND(rdma_task_prepare_bounded, .execute = rdma_task_execute_on_verbs);

static const struct ctx_kind *kind_on(const struct doca_dev *dev)
{
    if (dev_has(dev, CARD_RDMA_FILLS))
        return dev_verbs(dev) ? &on_verbs_bounded : &on_shm_bounded;
    return dev_verbs(dev) ? &on_verbs : &on_shm;
}

doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
    struct errtext err;

    if (!dev || !rdma)
        return REFUSED_NULL(dev, rdma);
    doca_error_t r = dev_known(dev, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_INITIALIZATION, &err);
    struct rdma_end usual;
    cleanup_free struct doca_rdma *made = aligned_alloc(64, (sizeof(*made) + 63) & ~(size_t)63);
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    rdma_end_init(&usual);
    rdma_fit_defaults(&usual.set, dev);
    *made = (struct doca_rdma){.set = usual.set, .send_chain = 1, .max_connections = 1};
    rdma_group_init(&made->group);
    context_init(&made->ctx, kind_on(dev), dev);
    cm_init(&made->cm, dev_verbs(dev) ? &cm_by_device : &cm_by_docad);
    list_init(&made->spare);
    copy_init();
    *rdma = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_destroy(struct doca_rdma *rdma)
{
    struct errtext err;

    if (!rdma)
        return REFUSED_NULL(rdma);
    // The tables name no other code for it.
    if (context_fini(&rdma->ctx, &err) != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_BAD_STATE, &err);
    rdma_connections_free(rdma);
    rdma_group_fini(&rdma->group);
    free(rdma->single);
    free(rdma);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma)
{
    return rdma ? &rdma->ctx : NULL;
}

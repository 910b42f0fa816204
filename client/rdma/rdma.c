// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_rdma: the instance, and the transport that carries its jobs.

#include "cleanup.h"
#include "core/refused.h"
#include "verbs.h"
#include "work/copy.h"

// ---- the transport ---------------------------------------------------------------------------

static const struct rdma_transport shm = {
    .source = {.poll = rdma_poll, .arm = rdma_arm, .clear = rdma_clear},
    .take_rest = rdma_take_rest,
    .lose = rdma_lose,
};

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err);

// The data path calls the functions of the transport directly.
static const struct ctx_ops shm_ops = {
    .name = "RDMA",
    .takes_device = true,
    .event_driven = true,
    .start = start,
    .stop = rdma_stop,
    .attach = rdma_attach,
    .detach = rdma_detach,
    .discard = rdma_discard,
    .work = {.prepare = rdma_prepare,
             .execute = rdma_execute,
             .at_once = true,
             .finish = rdma_finish},
};

static const struct ctx_ops verbs_ops = {
    .name = "RDMA",
    .takes_device = true,
    .event_driven = true,
    .start = start,
    .stop = rdma_stop,
    .attach = rdma_attach,
    .detach = rdma_detach,
    .discard = verbs_discard,
    .work = {.prepare = rdma_prepare,
             .execute = verbs_execute,
             .at_once = true,
             .finish = rdma_finish},
};

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    bool verbs = dev_verbs(ctx->device);

    doca_error_t r = rdma_start(ctx, verbs ? &rdma_on_verbs : &shm, err);
    if (r == DOCA_SUCCESS)
        ctx->ops = verbs ? &verbs_ops : &shm_ops;
    return r;
}

// ---- the instance ----------------------------------------------------------------------------

doca_error_t doca_rdma_create(struct doca_rdma **rdma)
{
    struct errtext err;

    if (!rdma)
        return REFUSED_NULL(rdma);
    cleanup_free struct doca_rdma *made = calloc(1, sizeof(*made));
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    doca_error_t r = ctx_init(&made->ctx, &shm_ops, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    made->send_size = made->recv_size = RDMA_QUEUE_DEFAULT;
    made->recv_chain = 1;
    made->mtu = DOCA_MTU_SIZE_4K_BYTES;
    made->grh = true;
    made->lifeline = made->channel = made->epoll_fd = -1;
    copy_init();
    *rdma = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_destroy(struct doca_rdma *rdma)
{
    struct errtext err;

    if (!rdma)
        return REFUSED_NULL(rdma);
    pthread_mutex_lock(&rdma->ctx.lock);
    bool started = rdma->ctx.started;
    pthread_mutex_unlock(&rdma->ctx.lock);
    doca_error_t r = started ? errtext_set(&err, DOCA_ERROR_BAD_STATE,
                                           "the instance is started; call doca_ctx_stop() first")
                             : ctx_fini(&rdma->ctx, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    free(rdma);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma)
{
    return rdma ? &rdma->ctx : NULL;
}

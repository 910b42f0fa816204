// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_rdma: the instance, its connection, and the transport that carries its jobs.

#include "cleanup.h"
#include "instance.h"
#include "queue/pacer.h"
#include "core/refused.h"
#include "rdma.h"
#include "verbs.h"
#include "work/copy.h"
#include "work/workq.h"

// ---- the context -----------------------------------------------------------------------------

static struct doca_rdma *instance_of(struct doca_ctx *ctx)
{
    return container_of(ctx, struct doca_rdma, ctx);
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err);

static void stop(struct doca_ctx *ctx)
{
    rdma_end_close(&instance_of(ctx)->end);
}

static doca_error_t attach(struct work_link *link, struct errtext *err)
{
    struct doca_rdma *rdma = instance_of(link->ctx);

    if (rdma->end.link)
        return errtext_set(err, DOCA_ERROR_IN_USE,
                           "an RDMA instance has one work queue, and this one has it already");
    work_fifo_init(&rdma->receives.queue);
    rdma->receives.n = 0;
    link->state = &rdma->end;
    doca_error_t r = rdma_copies_open(link, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = rdma_end_attach(&rdma->end, link, err);
    if (r != DOCA_SUCCESS)
        rdma_copies_close(link);
    return r;
}

static void detach(struct work_link *link)
{
    rdma_end_detach(link->state);
    rdma_copies_close(link);
}

// Jobs that wait for the other side would wait forever.
static void discard(struct work_link *link)
{
    rdma_leave(link->state, DOCA_ERROR_CONNECTION_ABORTED); // afterwards all that is kept is done
    if (link->pacing)
        pacer_report_all(link);
    executor_discard(link->executor, link);
}

// The data path calls the functions of the transport directly.
static const struct ctx_ops shm_ops = {
    .name = "RDMA",
    .takes_device = true,
    .needs = CARD_RDMA,
    .event_driven = true,
    .start = start,
    .stop = stop,
    .attach = attach,
    .detach = detach,
    .discard = discard,
    .work = {.library = WORK_LIBRARY_RDMA,
             .prepare = rdma_prepare,
             .execute = rdma_run,
             .eager = true,
             .finish = rdma_finish,
             .measure = rdma_measure,
             .lane = rdma_lane},
};

static const struct ctx_ops verbs_ops = {
    .name = "RDMA",
    .takes_device = true,
    .needs = CARD_RDMA,
    .event_driven = true,
    .start = start,
    .stop = stop,
    .attach = attach,
    .detach = detach,
    .discard = verbs_discard,
    .work = {.library = WORK_LIBRARY_RDMA,
             .prepare = rdma_prepare,
             .execute = verbs_execute,
             .eager = true,
             .finish = rdma_finish,
             .measure = rdma_measure,
             .lane = rdma_lane},
};

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    struct rdma_end *end = &instance_of(ctx)->end;
    bool verbs = dev_verbs(ctx->device);

    rdma_fit_defaults(&end->set, ctx->device);
    doca_error_t r = rdma_check_settings(&end->set, ctx->device, err);
    if (r == DOCA_SUCCESS)
        r = rdma_end_open(end, ctx->device, verbs ? &rdma_on_verbs : &rdma_on_shm, err);
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
    rdma_end_init(&made->end);
    made->end.receives = &made->receives;
    copy_init();
    *rdma = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_destroy(struct doca_rdma *rdma)
{
    struct errtext err;

    if (!rdma)
        return REFUSED_NULL(rdma);
    if (!alive_now(&rdma->ctx.alive))
        return refused(__func__, ENDED_ALREADY);
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

bool rdma_instance_lose_peer(struct doca_workq *workq)
{
    const struct work_link *link = workq_link_retrieved(workq);

    return link && link->ops->library == WORK_LIBRARY_RDMA &&
           rdma_lose_peer(&instance_of(link->ctx)->end);
}

struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma)
{
    return rdma ? &rdma->ctx : NULL;
}

// ---- connecting ------------------------------------------------------------------------------

static doca_error_t not_open(struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_BAD_STATE,
                       "the instance is not started; call doca_ctx_start() first");
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
                               size_t remote_rdma_conn_details_size)
{
    struct errtext err = {""};

    if (!rdma || !remote_rdma_conn_details)
        return REFUSED_NULL(rdma, remote_rdma_conn_details);
    pthread_mutex_lock(&rdma->ctx.lock);
    doca_error_t r = rdma->ctx.started ? rdma_end_connect(&rdma->end, remote_rdma_conn_details,
                                                          remote_rdma_conn_details_size, &err)
                                       : not_open(&err);
    pthread_mutex_unlock(&rdma->ctx.lock);
    return report(__func__, r, &err);
}

doca_error_t doca_rdma_export(const struct doca_rdma *rdma, const void **local_rdma_conn_details,
                              size_t *local_rdma_conn_details_size)
{
    struct doca_rdma *mine = (struct doca_rdma *)rdma; // only to lock it
    struct errtext err;

    if (!rdma || !local_rdma_conn_details || !local_rdma_conn_details_size)
        return REFUSED_NULL(rdma, local_rdma_conn_details, local_rdma_conn_details_size);
    pthread_mutex_lock(&mine->ctx.lock);
    bool started = rdma->ctx.started;
    pthread_mutex_unlock(&mine->ctx.lock);
    if (!started)
        return report(__func__, not_open(&err), &err);
    *local_rdma_conn_details = rdma->end.details;
    *local_rdma_conn_details_size = rdma->end.details_size;
    return DOCA_SUCCESS;
}

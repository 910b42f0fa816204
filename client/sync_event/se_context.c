// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The context of the 2.2 interface, and its jobs.

#include "se_context.h"

#include "cleanup.h"
#include "se_job.h"

static struct doca_sync_event *event_of(const struct doca_ctx *ctx)
{
    return &container_of(ctx, struct se_context, ctx)->event;
}

// ---- taking jobs over -----------------------------------------------------------------

static doca_error_t refuse(struct work_item *item, const char *why)
{
    item->refusal = why;
    return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t prepare(struct work_item *item, const void *submitted)
{
    const struct doca_job *base = submitted;
    struct se_job *job = se_job_of(item);
    const struct doca_sync_event_job_wait *w = submitted;
    const struct doca_sync_event_job_get *g = submitted;
    const struct doca_sync_event_job_update_set *s = submitted;
    const struct doca_sync_event_job_update_add *a = submitted;

    *job = (struct se_job){.request = {.event = event_of(item->link->ctx)}};
    switch (base->type) {
    case DOCA_SYNC_EVENT_JOB_WAIT_GT:
        job->request.operation = SE_WAIT;
        job->request.value = w->value;
        job->mask = w->mask;
        return DOCA_SUCCESS;
    case DOCA_SYNC_EVENT_JOB_GET:
        job->request.operation = SE_GET;
        job->out = g->value;
        return job->out ? DOCA_SUCCESS : refuse(item, "the job's value is NULL");
    case DOCA_SYNC_EVENT_JOB_UPDATE_SET:
        job->request.operation = SE_SET;
        job->request.value = s->value;
        return DOCA_SUCCESS;
    case DOCA_SYNC_EVENT_JOB_UPDATE_ADD:
        job->request.operation = SE_ADD;
        job->request.value = a->value;
        job->out = a->fetched;
        return job->out ? DOCA_SUCCESS : refuse(item, "the job's fetched is NULL");
    default:
        return refuse(item, "the job's type is none of a sync event");
    }
}

// ---- the context ----------------------------------------------------------------------

static doca_error_t attach(struct work_link *link, struct errtext *err)
{
    return se_attach(link, event_of(link->ctx), err);
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    return se_try_start(event_of(ctx), SE_ASYNCHRONOUS, err);
}

static void stop(struct doca_ctx *ctx)
{
    se_try_stop(event_of(ctx), SE_ASYNCHRONOUS);
}

static const struct doca_dev *counting_device(const struct doca_ctx *ctx)
{
    return se_device(event_of(ctx));
}

static const struct ctx_ops ops = {
    .name = "sync event",
    .event_driven = true,
    .start = start,
    .stop = stop,
    .counting_device = counting_device,
    .attach = attach,
    .detach = se_detach,
    .work = {.library = WORK_LIBRARY_SYNC_EVENT, .prepare = prepare, .execute = se_execute},
};

doca_error_t se_context_new(struct se_context **out, struct errtext *err)
{
    cleanup_free struct se_context *made = calloc(1, sizeof(*made));
    if (!made)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    doca_error_t e = ctx_init(&made->ctx, &ops, err);
    if (e != DOCA_SUCCESS)
        return e;
    se_init(&made->event, &made->ctx);
    *out = steal_ptr(made);
    return DOCA_SUCCESS;
}

void se_context_free(struct se_context *context)
{
    ctx_fini(&context->ctx, NULL);
    se_fini(&context->event);
    free(context);
}

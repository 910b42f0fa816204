// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "workq.h"

#include "core/refused.h"
#include "queue/link.h"
#include "work_stats.h"

struct doca_workq {
    struct executor executor;
    struct work_link *last; // of the last job; the next job usually has the same
    uint32_t n_links;
    uint32_t depth; // as requested; the executor's depth may be larger
    struct alive alive;
};

// The link of a work queue that has seen no job: no job names this context.
static struct doca_ctx no_context;
static struct work_stats no_stats;
static struct work_link no_link = {.ctx = &no_context, .stats = &no_stats};

// The links are those of the executor, each allocated by itself.
static struct work_link *find_link(struct doca_workq *workq, const struct doca_ctx *ctx)
{
    struct work_link *link;

    list_for_each (link, &workq->executor.links, node)
        if (link->ctx == ctx)
            return link;
    return NULL;
}

struct work_link *workq_link(struct doca_workq *workq, const struct doca_ctx *ctx)
{
    return find_link(workq, ctx);
}

// The item of that event is the first free one, and keeps its link until it is taken again.
struct work_link *workq_link_retrieved(struct doca_workq *workq)
{
    const struct work_item *item = workq->executor.free;
    struct work_link *link;

    list_for_each (link, &workq->executor.links, node)
        if (item && item->link == link)
            return link;
    return NULL;
}

// ---- contexts come and go --------------------------------------------------------------

static void drop_link(struct doca_workq *workq, struct work_link *link)
{
    work_link_close(link);
    free(link);
    workq->last = &no_link;
    workq->n_links--;
}

doca_error_t workq_attach(struct doca_workq *workq, struct doca_ctx *ctx, struct errtext *err)
{
    if (find_link(workq, ctx))
        return errtext_set(err, DOCA_ERROR_IN_USE,
                           "the work queue was added to the %s context "
                           "already",
                           ctx->ops->name);
    if (workq->executor.event_driven && !ctx->ops->event_driven)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "the work queue is in event-driven mode, which the %s context does not "
                           "support",
                           ctx->ops->name);
    const struct doca_dev *counting = ctx->device;
    if (!counting && ctx->ops->counting_device)
        counting = ctx->ops->counting_device(ctx);
    struct work_link *link = aligned_alloc(64, (sizeof(*link) + 63) & ~(size_t)63);
    if (!link)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    *link = (struct work_link){
        .ctx = ctx, .ops = &ctx->ops->work, .device = ctx->device, .executor = &workq->executor};
    workq->n_links++;
    doca_error_t r = work_link_open(link, counting, workq->executor.depth, err);
    if (r == DOCA_SUCCESS && ctx->ops->attach)
        r = ctx->ops->attach(link, err);
    if (r != DOCA_SUCCESS)
        drop_link(workq, link);
    return r;
}

doca_error_t workq_detach(struct doca_workq *workq, struct doca_ctx *ctx, struct errtext *err)
{
    struct work_link *link = find_link(workq, ctx);

    if (!link)
        return errtext_set(err, DOCA_ERROR_NOT_FOUND,
                           "the work queue was not added to the %s context", ctx->ops->name);
    if (link->in_flight && ctx->ops->discard)
        ctx->ops->discard(link);
    if (link->in_flight)
        return errtext_set(err, DOCA_ERROR_IN_USE,
                           "jobs of the %s context are in flight (%u); retrieve their events first",
                           ctx->ops->name, link->in_flight);
    if (ctx->ops->detach)
        ctx->ops->detach(link);
    drop_link(workq, link);
    return DOCA_SUCCESS;
}

doca_error_t workq_new(struct doca_workq **out, uint32_t depth, uint32_t capacity,
                       struct errtext *err)
{
    cleanup_free struct doca_workq *made = aligned_alloc(64, (sizeof(*made) + 63) & ~(size_t)63);
    if (!made)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    *made = (struct doca_workq){.last = &no_link, .depth = depth};
    doca_error_t r = executor_init(&made->executor, capacity, err);
    if (r != DOCA_SUCCESS)
        return r;
    alive_begin(&made->alive);
    *out = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq)
{
    struct errtext err;

    if (!workq)
        return REFUSED_NULL(workq);
    return report(__func__, workq_new(workq, depth, depth, &err), &err);
}

doca_error_t doca_workq_destroy(struct doca_workq *workq)
{
    struct errtext err;

    if (!workq)
        return REFUSED_NULL(workq);
    if (!alive_now(&workq->alive))
        return refused(__func__, ENDED_ALREADY);
    if (workq->n_links)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_IN_USE,
                                  "the work queue is attached to contexts (%u); remove it from "
                                  "them first",
                                  workq->n_links),
                      &err);
    executor_fini(&workq->executor);
    alive_end(&workq->alive);
    free(workq);
    return DOCA_SUCCESS;
}

// ---- the data path -----------------------------------------------------------------------

#define submit_failed(code, why) report_why("doca_workq_submit", code, why)

static doca_error_t queue_full(void)
{
    return report_often("doca_workq_submit", DOCA_ERROR_NO_MEMORY,
                        "the work queue is full; retrieve events first, or make it deeper");
}

__attribute__((noinline, cold)) static doca_error_t
submit_refused(struct doca_workq *workq, struct work_item *item, doca_error_t r)
{
    const char *why = item->refusal;
    executor_put(&workq->executor, item);
    return r == DOCA_ERROR_NO_MEMORY ? report_often("doca_workq_submit", r, why)
                                     : submit_failed(r, why);
}

__attribute__((noinline)) static struct work_link *switch_link(struct doca_workq *workq,
                                                               const struct doca_ctx *ctx)
{
    struct work_link *link = ctx ? find_link(workq, ctx) : NULL;
    if (link)
        workq->last = link;
    return link;
}

doca_error_t doca_workq_submit(struct doca_workq *workq, const struct doca_job *job)
{
    if (__builtin_expect(!workq || !job, 0))
        return REFUSED_NULL(workq, job);
    struct work_link *link = workq->last;
    if (__builtin_expect(link->ctx != job->ctx, 0) && !(link = switch_link(workq, job->ctx)))
        return submit_failed(DOCA_ERROR_NOT_FOUND,
                             "the work queue was not added to the job's context");
    if (__builtin_expect(job->flags != DOCA_JOB_FLAGS_NONE, 0))
        return submit_failed(DOCA_ERROR_INVALID_VALUE, "the job has unknown flags");
    struct work_item *item = executor_take(&workq->executor, link);
    if (__builtin_expect(!item, 0))
        return queue_full();
    item->type = job->type;
    item->user_data = job->user_data;
    doca_error_t r = link->ops->prepare(item, job);
    if (__builtin_expect(r != DOCA_SUCCESS, 0))
        return submit_refused(workq, item, r);
    if (link->ops->eager)
        executor_execute(&workq->executor, item);
    else
        executor_queue(&workq->executor, item);
    return DOCA_SUCCESS;
}

__attribute__((noinline, cold)) static doca_error_t job_failed(const struct work_link *link,
                                                               int type, doca_error_t error)
{
    work_stats_error(link->stats, error);
    bool by_event = link->ops->complete_on_event && type == link->ops->complete_on_event;
    return by_event ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

__attribute__((noinline, cold)) static doca_error_t retrieve_refused(void)
{
    return refused("doca_workq_progress_retrieve", "an argument is NULL, or unknown flags are set");
}

doca_error_t doca_workq_progress_retrieve(struct doca_workq *workq, struct doca_event *ev,
                                          int flags)
{
    if (__builtin_expect(!workq || !ev || flags != DOCA_WORKQ_RETRIEVE_FLAGS_NONE, 0))
        return retrieve_refused();
    struct work_item *item = executor_poll(&workq->executor);
    if (!item) {
        // Checked here, not at each submission: jobs that stay in flight.
        WORK_STATS_WRITE(workq->last->stats->in_flight, workq->last->in_flight);
        executor_count_empty(&workq->executor);
        return DOCA_ERROR_AGAIN;
    }
    idle_reset(&workq->executor.idle);
    doca_error_t error = item->error;
    ev->type = item->type;
    ev->user_data = item->user_data;
    if (item->link->ops->finish)
        item->link->ops->finish(item, &ev->result);
    else
        ev->result.u64 = error;
    executor_put(&workq->executor, item);
    struct work_stats *stats = item->link->stats;
    WORK_STATS_ADD(stats->jobs, 1);
    WORK_STATS_WRITE(stats->in_flight, item->link->in_flight);
    return __builtin_expect(error == DOCA_SUCCESS, 1) ? DOCA_SUCCESS
                                                      : job_failed(item->link, ev->type, error);
}

doca_error_t workq_set_depth(struct doca_workq *workq, uint32_t depth, uint32_t capacity,
                             struct errtext *err)
{
    if (workq->n_links)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the depth cannot change while the work queue is attached to a context");
    doca_error_t r = executor_set_depth(&workq->executor, capacity, err);
    if (r == DOCA_SUCCESS)
        workq->depth = depth;
    return r;
}

// ---- event-driven mode ---------------------------------------------------------------------

static doca_error_t set_mode(struct doca_workq *workq, bool on, struct errtext *err)
{
    if (on == workq->executor.event_driven)
        return DOCA_SUCCESS;
    if (workq->n_links)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the mode cannot change while the work queue is attached to a context; "
                           "choose it before doca_ctx_workq_add()");
    return executor_set_event_driven(&workq->executor, on, err);
}

doca_error_t doca_workq_set_event_driven_enable(struct doca_workq *workq, uint8_t enable)
{
    struct errtext err;

    if (!workq)
        return REFUSED_NULL(workq);
    doca_error_t r = set_mode(workq, enable != 0, &err);
    return report(__func__, r, &err);
}

doca_error_t doca_workq_get_event_handle(struct doca_workq *workq, doca_event_handle_t *handle)
{
    struct errtext err;

    if (!workq || !handle)
        return REFUSED_NULL(workq, handle);
    doca_error_t r = set_mode(workq, true, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    *handle = workq->executor.epoll_fd;
    return DOCA_SUCCESS;
}

doca_error_t doca_workq_event_handle_arm(struct doca_workq *workq)
{
    struct errtext err;

    if (!workq)
        return REFUSED_NULL(workq);
    doca_error_t r = executor_arm(&workq->executor, &err);
    return report(__func__, r, &err);
}

doca_error_t doca_workq_event_handle_clear(struct doca_workq *workq, doca_event_handle_t handle)
{
    struct errtext err;

    if (!workq)
        return REFUSED_NULL(workq);
    if (workq->executor.event_driven && handle != workq->executor.epoll_fd)
        return refused(__func__, "the handle is not the work queue's event handle");
    doca_error_t r = executor_clear(&workq->executor, &err);
    return report(__func__, r, &err);
}

doca_error_t doca_workq_get_depth(const struct doca_workq *workq, uint32_t *depth)
{
    if (!workq || !depth)
        return REFUSED_NULL(workq, depth);
    *depth = workq->depth;
    return DOCA_SUCCESS;
}

doca_error_t doca_workq_get_event_driven_enable(struct doca_workq *workq, uint8_t *enabled)
{
    if (!workq || !enabled)
        return REFUSED_NULL(workq, enabled);
    *enabled = workq->executor.event_driven;
    return DOCA_SUCCESS;
}

doca_error_t doca_workq_set_event_handle(struct doca_workq *workq, doca_event_handle_t event_handle,
                                         uintptr_t completion_key)
{
    struct errtext err;

    (void)event_handle;
    (void)completion_key;
    if (!workq)
        return REFUSED_NULL(workq);
    return report(__func__,
                  errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED,
                              "event handles can be set on Windows only; use "
                              "doca_workq_get_event_handle()"),
                  &err);
}

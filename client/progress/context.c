// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "context.h"

#include "core/refused.h"
#include "queue/link.h"
#include "queue/pacer.h"

static void settle_later(struct pe_event *event);

void context_init(struct doca_ctx *ctx, const struct ctx_kind *kind, struct doca_dev *dev)
{
    *ctx = (struct doca_ctx){
        .kind = kind,
        .device = dev ? dev_ref(dev) : NULL,
        .link = {.ctx = ctx, .ops = &kind->work, .device = dev},
    };
    list_init(&ctx->link.node);
    ctx->stop_waits = dev_has(dev, CARD_STOP_WAITS);
    ctx->freed.deliver = settle_later;
    for (uint32_t i = 0; i < kind->n_tasks; i++)
        ctx->pools[i].kind = &kind->tasks[i];
    alive_begin(&ctx->alive);
}

doca_error_t context_fini(struct doca_ctx *ctx, struct errtext *err)
{
    if (!alive_now(&ctx->alive))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, ENDED_ALREADY);
    if (ctx->state != DOCA_CTX_STATE_IDLE || ctx->in_start)
        return errtext_set(err, DOCA_ERROR_IN_USE,
                           "the %s context is not idle; call doca_ctx_stop(), and "
                           "doca_pe_progress() until it is",
                           ctx->kind->name);
    task_pools_free(ctx);
    if (ctx->pe)
        ctx->pe->n_contexts--;
    ctx->device = dev_unref(ctx->device);
    alive_end(&ctx->alive);
    return DOCA_SUCCESS;
}

doca_error_t context_configurable(const struct doca_ctx *ctx, struct errtext *err)
{
    if (ctx->state == DOCA_CTX_STATE_IDLE)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_BAD_STATE,
                       "the %s context is not idle; stop it to change its settings",
                       ctx->kind->name);
}

// ---- states ----------------------------------------------------------------------------

// The program may do anything in its callback; if the context becomes idle, it may be freed.
static void change_state(struct doca_ctx *ctx, enum doca_ctx_states next)
{
    enum doca_ctx_states prev = ctx->state;

    ctx->state = next;
    if (ctx->state_changed)
        ctx->state_changed(ctx->user_data, ctx, prev, next);
}

static void become_idle(struct doca_ctx *ctx)
{
    pe_withdraw(ctx->pe, &ctx->freed);
    if (ctx->kind->stopped)
        ctx->kind->stopped(ctx);
    WORK_STATS_WRITE(ctx->link.stats->in_flight, 0);
    work_link_close(&ctx->link);
    change_state(ctx, DOCA_CTX_STATE_IDLE);
}

static bool has_ended(const struct doca_ctx *ctx)
{
    return ctx->state == DOCA_CTX_STATE_STOPPING && !ctx->link.in_flight && !ctx->in_ending;
}

static uint32_t tasks_out(const struct doca_ctx *ctx)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < ctx->kind->n_tasks; i++)
        n += ctx->pools[i].out;
    return n;
}

static bool may_become_idle(const struct doca_ctx *ctx)
{
    return has_ended(ctx) && ctx->pe->current != ctx && !(ctx->stop_waits && tasks_out(ctx));
}

void context_settle(struct doca_ctx *ctx)
{
    if (may_become_idle(ctx))
        become_idle(ctx);
}

// The state changes in a call of doca_pe_progress(), which may call the program.
void context_task_freed(struct doca_ctx *ctx)
{
    if (ctx->stop_waits && has_ended(ctx) && !tasks_out(ctx))
        pe_post(ctx->pe, &ctx->freed);
}

static void settle_later(struct pe_event *event)
{
    context_settle(container_of(event, struct doca_ctx, freed));
}

// Tasks that were not executed end with this error.
static void begin_stopping(struct doca_ctx *ctx, doca_error_t error)
{
    const struct ctx_kind *kind = ctx->kind;

    ctx->in_ending = true; // the program may make the engine progress in its callback
    change_state(ctx, DOCA_CTX_STATE_STOPPING);
    bool more = kind->stop && kind->stop(ctx) == DOCA_ERROR_IN_PROGRESS;
    executor_fail_queued(ctx->link.executor, &ctx->link, error);
    if (kind->cancel)
        executor_cancel_waiting(ctx->link.executor, &ctx->link, kind->cancel);
    if (kind->flush)
        kind->flush(ctx);
    ctx->in_ending = more;
}

void context_fail(struct doca_ctx *ctx)
{
    if (ctx->state != DOCA_CTX_STATE_RUNNING && ctx->state != DOCA_CTX_STATE_STARTING)
        return;
    begin_stopping(ctx, dev_has(ctx->device, CARD_FAILURE_FLUSHES) ? DOCA_ERROR_IO_FAILED
                                                                   : DOCA_ERROR_SHUTDOWN);
    context_settle(ctx);
}

void context_stopped(struct doca_ctx *ctx)
{
    ctx->in_ending = false;
    context_settle(ctx);
}

void context_started(struct doca_ctx *ctx)
{
    if (ctx->state == DOCA_CTX_STATE_STARTING)
        change_state(ctx, DOCA_CTX_STATE_RUNNING);
}

// ---- start and stop --------------------------------------------------------------------

static uint32_t depth_of(const struct doca_ctx *ctx)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < ctx->kind->n_tasks; i++)
        n += ctx->pools[i].n;
    return n;
}

// Takes what the context needs. DOCA_SUCCESS, DOCA_ERROR_IN_PROGRESS, or a failure.
static doca_error_t set_up(struct doca_ctx *ctx, struct errtext *err)
{
    const struct ctx_kind *kind = ctx->kind;

    if (ctx->state != DOCA_CTX_STATE_IDLE || ctx->in_start)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the %s context is started already",
                           kind->name);
    if (!ctx->pe)
        return errtext_set(err, DOCA_ERROR_NOT_CONNECTED,
                           "the %s context has no progress engine; call doca_pe_connect_ctx() "
                           "first",
                           kind->name);
    doca_error_t r = work_link_open(&ctx->link, ctx->device, depth_of(ctx), err);
    if (r != DOCA_SUCCESS)
        return DOCA_ERROR_INITIALIZATION;
    r = kind->start ? kind->start(ctx, err) : DOCA_SUCCESS;
    if (r != DOCA_SUCCESS && r != DOCA_ERROR_IN_PROGRESS)
        work_link_close(&ctx->link);
    return r == DOCA_ERROR_NO_MEMORY ? DOCA_ERROR_INITIALIZATION : r; // as when the link fails
}

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
    struct errtext err;

    if (!ctx)
        return REFUSED_NULL(ctx);
    doca_error_t r = set_up(ctx, &err);
    if (r != DOCA_SUCCESS && r != DOCA_ERROR_IN_PROGRESS)
        return report(__func__, r, &err);
    ctx->in_start = true; // the program may stop the context in a callback, but not destroy it
    if (r == DOCA_ERROR_IN_PROGRESS || ctx->kind->shows_starting)
        change_state(ctx, DOCA_CTX_STATE_STARTING);
    else
        change_state(ctx, DOCA_CTX_STATE_RUNNING);
    if (r == DOCA_SUCCESS)
        context_started(ctx);
    ctx->in_start = false;
    return r;
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
    struct errtext err;

    if (!ctx)
        return REFUSED_NULL(ctx);
    if (!ctx->pe)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_NOT_CONNECTED,
                                  "the %s context has no progress engine", ctx->kind->name),
                      &err);
    if (ctx->state == DOCA_CTX_STATE_IDLE)
        return DOCA_SUCCESS; // programs stop in their cleanup what has stopped by itself
    if (ctx->state != DOCA_CTX_STATE_STOPPING)
        begin_stopping(ctx, DOCA_ERROR_SHUTDOWN);
    if (may_become_idle(ctx)) {
        become_idle(ctx);
        return DOCA_SUCCESS;
    }
    if (ctx->stop_waits && tasks_out(ctx))
        (void)report_why("doca_ctx_stop", DOCA_ERROR_IN_PROGRESS,
                         "the context stops when its tasks have been freed, as on the card that "
                         "the device imitates");
    return DOCA_ERROR_IN_PROGRESS;
}

// ---- the rest of the public interface ----------------------------------------------------

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state)
{
    if (!ctx || !state)
        return REFUSED_NULL(ctx, state);
    *state = ctx->state;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
                                           doca_ctx_state_changed_callback_t cb)
{
    if (!ctx || !cb)
        return REFUSED_NULL(ctx, cb);
    ctx->state_changed = cb;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data)
{
    if (!ctx)
        return REFUSED_NULL(ctx);
    ctx->user_data = user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data)
{
    if (!ctx || !user_data)
        return REFUSED_NULL(ctx, user_data);
    *user_data = ctx->user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx, size_t *num_inflight_tasks)
{
    if (!ctx || !num_inflight_tasks)
        return REFUSED_NULL(ctx, num_inflight_tasks);
    *num_inflight_tasks = ctx->link.in_flight;
    return DOCA_SUCCESS;
}

void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
    if (!ctx)
        (void)REFUSED_NULL(ctx);
    else if (ctx->link.pacing)
        pacer_flush(&ctx->link);
    // No other task is ever held back.
}

// ---- without hardware -------------------------------------------------------

static doca_error_t not_here(const char *function, const struct doca_ctx *ctx, const char *what)
{
    struct errtext err;

    doca_error_t r = context_configurable(ctx, &err);
    if (r == DOCA_SUCCESS)
        r = errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED, "%s", what);
    return report(function, r, &err);
}

doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev)
{
    if (!ctx || !gpu_dev)
        return REFUSED_NULL(ctx, gpu_dev);
    return not_here(__func__, ctx, "there are no GPUs here");
}

doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev)
{
    if (!ctx || !dpa_dev)
        return REFUSED_NULL(ctx, dpa_dev);
    return not_here(__func__, ctx, "there is no DPA here");
}

doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector)
{
    (void)comp_vector;
    if (!ctx)
        return REFUSED_NULL(ctx);
    return not_here(__func__, ctx, "devices have no completion vectors here");
}

doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
                                                     uint32_t *num_comp_vectors)
{
    if (!devinfo || !num_comp_vectors)
        return REFUSED_NULL(devinfo, num_comp_vectors);
    *num_comp_vectors = 0;
    return DOCA_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine.h"

#include "context.h"
#include "core/refused.h"
#include "log/own.h"

// How often empty polls update the counts of tasks in flight.
#define POLLS_UNTIL_COUNTS 16

// Replaces the context while an event is delivered.
static struct doca_ctx no_context;

// ---- lifetime --------------------------------------------------------------------------

doca_error_t doca_pe_create(struct doca_pe **pe)
{
    struct errtext err;

    if (!pe)
        return REFUSED_NULL(pe);
    cleanup_free struct doca_pe *made = aligned_alloc(64, (sizeof(*made) + 63) & ~(size_t)63);
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    *made = (struct doca_pe){0};
    made->events_tail = &made->events;
    executor_init_bare(&made->executor);
    // Its descriptors are made now, so that queue pairs and sources join them when they are made.
    if (executor_set_event_driven(&made->executor, true, &err) != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_NO_MEMORY, &err);
    alive_begin(&made->alive);
    *pe = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
    struct errtext err;

    if (!pe)
        return REFUSED_NULL(pe);
    if (!alive_now(&pe->alive))
        return refused(__func__, ENDED_ALREADY);
    if (pe->n_contexts)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_IN_USE,
                                  "contexts or graphs use the engine (%u); destroy them first",
                                  pe->n_contexts),
                      &err);
    if (pe->current)
        return report_why(__func__, DOCA_ERROR_IN_USE, "one of the engine's callbacks is running");
    executor_fini(&pe->executor);
    alive_end(&pe->alive);
    free(pe);
    return DOCA_SUCCESS;
}

static doca_error_t connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx, struct errtext *err)
{
    if (ctx->state != DOCA_CTX_STATE_IDLE)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the %s context is started", ctx->kind->name);
    if (ctx->pe)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the %s context is connected to %s engine; only its destruction ends "
                           "that",
                           ctx->kind->name, ctx->pe == pe ? "this" : "another");
    ctx->pe = pe;
    ctx->link.executor = &pe->executor;
    pe->n_contexts++;
    return DOCA_SUCCESS;
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
    struct errtext err;

    if (!pe || !ctx)
        return REFUSED_NULL(pe, ctx);
    return report(__func__, connect_ctx(pe, ctx, &err), &err);
}

doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks)
{
    const struct work_link *link;
    size_t n = 0;

    if (!pe || !num_inflight_tasks)
        return REFUSED_NULL(pe, num_inflight_tasks);
    list_for_each (link, &pe->executor.links, node)
        n += link->in_flight;
    *num_inflight_tasks = n;
    return DOCA_SUCCESS;
}

// ---- events ----------------------------------------------------------------------------

void pe_post(struct doca_pe *pe, struct pe_event *event)
{
    if (event->posted)
        return;
    event->posted = true;
    event->next = NULL;
    *pe->events_tail = event;
    pe->events_tail = &event->next;
    if (pe->executor.armed)
        executor_signal(&pe->executor);
}

void pe_withdraw(struct doca_pe *pe, struct pe_event *event)
{
    struct pe_event **at = &pe->events;

    if (!event->posted)
        return;
    while (*at != event)
        at = &(*at)->next;
    *at = event->next;
    if (!*at)
        pe->events_tail = at;
    event->posted = false;
}

// Returns false if there was nothing to do.
static bool deliver(struct doca_pe *pe)
{
    struct pe_event *event = pe->events;

    pe_withdraw(pe, event);
    pe->work_next = true;
    pe->was_empty = false;
    pe->current = &no_context;
    event->deliver(event);
    pe->current = NULL;
    return !pe->was_empty;
}

// ---- progress --------------------------------------------------------------------------

__attribute__((noinline, cold)) static void
task_failed(struct doca_ctx *ctx, const struct task_pool *pool, struct doca_task *task)
{
    work_stats_error(ctx->link.stats, task->item.error);
    // First, so that the callback sees the state that the failure leads to.
    if (pool->kind->fatal)
        context_fail(ctx);
    pool->failed(task, task->item.user_data, ctx->user_data);
}

// The program is not called, but the owner may call it.
__attribute__((noinline)) static void complete_owned(struct doca_pe *pe, struct doca_ctx *ctx,
                                                     struct work_item *item)
{
    struct task_owner *owner = item->user_data.ptr;

    item->user_data = owner->user_data;
    pe->current = ctx;
    if (item->error != DOCA_SUCCESS) {
        work_stats_error(ctx->link.stats, item->error);
        if (ctx->pools[item->type].kind->fatal)
            context_fail(ctx);
    }
    owner->done(owner, task_of(item));
    pe->current = NULL;
    context_settle(ctx);
}

__attribute__((noinline, cold)) static void
complete_released(struct doca_pe *pe, struct doca_ctx *ctx, struct work_item *item)
{
    struct task_pool *pool = &ctx->pools[item->type];

    pe->current = ctx;
    if (item->error == DOCA_SUCCESS)
        pool->done(task_of(item), item->user_data, ctx->user_data);
    else
        task_failed(ctx, pool, task_of(item));
    if (item->state == TASK_HELD) // the callback has neither freed nor submitted it
        doca_task_free(task_of(item));
    pe->current = NULL;
    context_settle(ctx);
}

static inline void complete(struct doca_pe *pe, struct work_item *item)
{
    struct doca_ctx *ctx = context_of(item->link);
    struct task_pool *pool = &ctx->pools[item->type];
    struct work_stats *stats = ctx->link.stats;
    int state = item->state;

    item->state = TASK_HELD;
    ctx->link.in_flight--;
    WORK_STATS_ADD(stats->jobs, 1);
    WORK_STATS_WRITE(stats->in_flight, ctx->link.in_flight);
    if (__builtin_expect(state != TASK_IN_FLIGHT, 0)) {
        if (state == TASK_OWNED)
            complete_owned(pe, ctx, item);
        else
            complete_released(pe, ctx, item);
        return;
    }
    pe->current = ctx;
    if (__builtin_expect(item->error == DOCA_SUCCESS, 1))
        pool->done(task_of(item), item->user_data, ctx->user_data);
    else
        task_failed(ctx, pool, task_of(item));
    pe->current = NULL;
    if (__builtin_expect(ctx->state != DOCA_CTX_STATE_RUNNING, 0))
        context_settle(ctx);
}

// Called when nothing is done: tasks may stay in flight.
static void count_in_flight(const struct doca_pe *pe)
{
    const struct work_link *link;

    list_for_each (link, &pe->executor.links, node)
        WORK_STATS_WRITE(link->stats->in_flight, link->in_flight);
}

static uint8_t no_task(struct doca_pe *pe)
{
    if (pe->events && deliver(pe)) { // of a source that was just polled
        idle_reset(&pe->executor.idle);
        return 1;
    }
    if (pe->executor.idle.empty % POLLS_UNTIL_COUNTS == 0)
        count_in_flight(pe);
    executor_count_empty(&pe->executor);
    return 0;
}

__attribute__((noinline, cold)) static uint8_t progress_refused(const struct doca_pe *pe)
{
    if (!pe)
        (void)refused("doca_pe_progress", "the engine is NULL");
    else
        (void)report_often("doca_pe_progress", DOCA_ERROR_BAD_STATE,
                           "a callback of the engine must not make it progress");
    return 0;
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
    if (__builtin_expect(!pe || pe->current, 0))
        return progress_refused(pe);
    if (__builtin_expect(pe->events && !pe->work_next, 0) && deliver(pe))
        return 1;
    pe->work_next = false;
    struct work_item *item = executor_poll(&pe->executor);
    if (__builtin_expect(!item, 0))
        return no_task(pe);
    idle_reset(&pe->executor.idle);
    complete(pe, item);
    return 1;
}

// ---- waiting ---------------------------------------------------------------------------

doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
                                             doca_notification_handle_t *handle)
{
    if (!pe || !handle)
        return REFUSED_NULL(pe, handle);
    *handle = pe->executor.epoll_fd;
    return DOCA_SUCCESS;
}

doca_error_t doca_pe_request_notification(struct doca_pe *pe)
{
    struct errtext err;

    if (!pe)
        return REFUSED_NULL(pe);
    doca_error_t r = DOCA_SUCCESS;
    if (pe->clears_itself)
        r = executor_clear(&pe->executor, &err);
    if (r == DOCA_SUCCESS)
        r = executor_arm(&pe->executor, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    if (pe->events)
        executor_signal(&pe->executor);
    return DOCA_SUCCESS;
}

doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle)
{
    struct errtext err;

    (void)handle; // there is one for each engine, and programs pass 0
    if (!pe)
        return REFUSED_NULL(pe);
    return report(__func__, executor_clear(&pe->executor, &err), &err);
}

doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode)
{
    if (!pe)
        return REFUSED_NULL(pe);
    if (event_mode != DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE &&
        event_mode != DOCA_PE_EVENT_MODE_PROGRESS_ALL)
        return refused(__func__, "the mode is neither PROGRESS_SELECTIVE nor PROGRESS_ALL");
    if (pe->current)
        return report_why(__func__, DOCA_ERROR_BAD_STATE,
                          "one of the engine's callbacks is running");
    pe->clears_itself = event_mode == DOCA_PE_EVENT_MODE_PROGRESS_ALL;
    return DOCA_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "task.h"

#include "context.h"
#include "core/refused.h"
#include "queue/pacer.h"

#include <string.h>

// ---- pools -----------------------------------------------------------------------------

static unsigned char *make_tasks(struct doca_ctx *ctx, uint32_t type, uint32_t n,
                                 struct work_item **first)
{
    size_t stride = task_stride(ctx->pools[type].kind);
    unsigned char *tasks = aligned_alloc(_Alignof(struct work_item), n * stride);

    if (!tasks)
        return NULL;
    memset(tasks, 0, n * stride);
    *first = NULL;
    for (uint32_t i = n; i-- > 0;) {
        struct work_item *item = (struct work_item *)(tasks + i * stride);
        item->link = &ctx->link;
        item->type = (int)type;
        item->next = *first;
        *first = item;
    }
    return tasks;
}

doca_error_t task_configure(struct doca_ctx *ctx, uint32_t type, doca_task_completion_cb_t done,
                            doca_task_completion_cb_t failed, uint32_t n, struct errtext *err)
{
    struct task_pool *pool = &ctx->pools[type];
    uint32_t most = context_most_tasks(ctx->kind, type, ctx->device);
    struct work_item *first;

    doca_error_t r = context_configurable(ctx, err);
    if (r == DOCA_SUCCESS)
        r = dev_check_card(ctx->device, pool->kind->needs, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (n == 0 || n > most)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the %s context can have 1 to %u %s tasks, not %u", ctx->kind->name,
                           most, pool->kind->name, n);
    if (pool->out)
        return errtext_set(err, DOCA_ERROR_IN_USE,
                           "%u %s tasks of the %s context are allocated; free them first",
                           pool->out, pool->kind->name, ctx->kind->name);
    unsigned char *tasks = make_tasks(ctx, type, n, &first);
    if (!tasks)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for %u %s tasks", n,
                           pool->kind->name);
    free(pool->tasks);
    pool->tasks = tasks;
    pool->free = first;
    pool->n = n;
    pool->done = done;
    pool->failed = failed;
    return DOCA_SUCCESS;
}

void task_pools_free(struct doca_ctx *ctx)
{
    for (uint32_t i = 0; i < ctx->kind->n_tasks; i++) {
        free(ctx->pools[i].tasks);
        ctx->pools[i].tasks = NULL;
        ctx->pools[i].free = NULL;
    }
}

doca_error_t task_not_taken(const char *function, const struct doca_ctx *ctx, uint32_t type)
{
    const struct task_pool *pool = &ctx->pools[type];
    struct errtext err;

    if (ctx->state != DOCA_CTX_STATE_RUNNING)
        return report(
            function,
            errtext_set(&err, DOCA_ERROR_BAD_STATE, "the %s context does not run", ctx->kind->name),
            &err);
    if (!pool->n)
        return report(function,
                      errtext_set(&err, DOCA_ERROR_BAD_STATE,
                                  "the %s context has no %s tasks; say how many before it starts",
                                  ctx->kind->name, pool->kind->name),
                      &err);
    return report_often(function, DOCA_ERROR_NO_MEMORY,
                        "all tasks of this kind are allocated; free one first");
}

bool task_not_settable(const char *function)
{
    (void)report_why(function, DOCA_ERROR_BAD_STATE,
                     "the task is in flight: nothing is changed; wait for its callback");
    return false;
}

void task_null(const char *function)
{
    (void)refused(function, "the task is NULL");
}

// ---- submission ------------------------------------------------------------------------

__attribute__((noinline, cold)) static doca_error_t submit_refused(const char *function,
                                                                   const struct doca_task *task)
{
    struct errtext err;

    if (task->item.state == TASK_FREE)
        return refused(function, "the task was freed");
    if (task->item.state >= TASK_IN_FLIGHT)
        return report_why(function, DOCA_ERROR_BAD_STATE,
                          "the task is in flight; wait for its callback");
    const struct doca_ctx *ctx = task->item.link->ctx;
    return report(
        function,
        errtext_set(&err, DOCA_ERROR_BAD_STATE, "the %s context does not run", ctx->kind->name),
        &err);
}

// The library does not take it, and it stays with the program.
__attribute__((noinline, cold)) static doca_error_t
not_prepared(const char *function, const struct work_item *item, doca_error_t r)
{
    const char *why = item->refusal ? item->refusal : "the task cannot be submitted";
    if (r == DOCA_ERROR_AGAIN && !item->refusal)
        return r; // programs expect this
    if (r == DOCA_ERROR_AGAIN || r == DOCA_ERROR_NO_MEMORY || r == DOCA_ERROR_FULL)
        return report_often(function, r, why);
    return report_why(function, r, why);
}

__attribute__((noinline, cold)) static doca_error_t submit_null(const char *function,
                                                                const struct doca_task *task)
{
    return REFUSED_NULL_OF(function, task);
}

static inline bool submittable(const struct doca_task *task)
{
    return task->item.state == TASK_HELD &&
           context_of(task->item.link)->state == DOCA_CTX_STATE_RUNNING;
}

static inline __attribute__((always_inline)) doca_error_t submit(const char *function,
                                                                 struct doca_task *task)
{
    struct work_item *item = &task->item;
    struct work_link *link = item->link;

    if (link->ops->quick) {
        enum work_status status = link->ops->quick(item, NULL);
        if (__builtin_expect(status != WORK_UNTRIED, 1)) {
            item->state = TASK_IN_FLIGHT;
            link->in_flight++;
            executor_place(link->executor, item, status);
            return DOCA_SUCCESS;
        }
    }
    if (link->ops->prepare) {
        item->refusal = NULL;
        doca_error_t r = link->ops->prepare(item, NULL);
        if (__builtin_expect(r != DOCA_SUCCESS, 0))
            return not_prepared(function, item, r);
    }
    item->state = TASK_IN_FLIGHT;
    link->in_flight++;
    if (link->ops->eager)
        executor_execute(link->executor, item);
    else
        executor_queue(link->executor, item);
    return DOCA_SUCCESS;
}

doca_error_t doca_task_submit(struct doca_task *task)
{
    if (__builtin_expect(!task, 0))
        return submit_null(__func__, task);
    if (__builtin_expect(!submittable(task), 0))
        return submit_refused(__func__, task);
    return submit(__func__, task);
}

bool task_submittable(const struct doca_task *task)
{
    return submittable(task);
}

doca_error_t task_submit_owned(struct doca_task *task, struct task_owner *owner)
{
    struct work_item *item = &task->item;
    struct work_link *link = item->link;

    if (!submittable(task))
        return DOCA_ERROR_BAD_STATE;
    doca_error_t r = link->ops->prepare ? link->ops->prepare(item, NULL) : DOCA_SUCCESS;
    if (r != DOCA_SUCCESS)
        return r;
    owner->user_data = item->user_data;
    item->user_data.ptr = owner;
    item->state = TASK_OWNED;
    link->in_flight++;
    executor_queue(link->executor, item);
    return DOCA_SUCCESS;
}

#define KNOWN_FLAGS                                                                                \
    (DOCA_TASK_SUBMIT_FLAG_FLUSH | DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS | PROFILING_FLAGS)
#define PROFILING_FLAGS 12u // of 3.4, which programs may find in later headers

// On some cards the other flags set when a task is executed and reported. Elsewhere they change
// nothing: a task is never held back, and each is reported.
static doca_error_t submit_flagged(const char *function, struct doca_task *task, uint32_t flags)
{
    struct work_item *item = &task->item;

    if (__builtin_expect(flags & ~KNOWN_FLAGS, 0))
        return refused(function, "the flags have bits that are not a DOCA_TASK_SUBMIT_FLAG");
    if (__builtin_expect(!submittable(task), 0))
        return submit_refused(function, task);
    if (__builtin_expect(!item->link->pacing, 1))
        return submit(function, task);
    item->submitted = (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH ? 0 : PACER_UNFLUSHED) |
                      (flags & DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS ? PACER_LATER_REPORTS : 0);
    doca_error_t r = submit(function, task);
    if (r != DOCA_SUCCESS)
        item->submitted = 0;
    return r;
}

doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags)
{
    if (__builtin_expect(!task, 0))
        return submit_null(__func__, task);
    if (flags != DOCA_TASK_SUBMIT_FLAG_FLUSH)
        return submit_flagged(__func__, task, flags);
    if (__builtin_expect(!submittable(task), 0))
        return submit_refused(__func__, task);
    return submit(__func__, task);
}

doca_error_t doca_task_try_submit(struct doca_task *task)
{
    struct errtext err;

    if (!task)
        return REFUSED_NULL(task);
    if (!submittable(task))
        return submit_refused(__func__, task);
    const struct task_kind *kind = context_of(task->item.link)->pools[task->item.type].kind;
    if (kind->check && kind->check(task, &err) != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_INVALID_VALUE, &err);
    return submit(__func__, task);
}

// ---- properties of a task -------------------------------------------------------------------

// A task in flight is freed after its callback: programs that free tasks before they stop a context
// do not free them again, and on some cards the context stops only when all are free.
__attribute__((noinline, cold)) static void free_unusual(struct doca_task *task)
{
    if (!task)
        task_null("doca_task_free");
    else if (task->item.state == TASK_FREE || task->item.state == TASK_RELEASED)
        (void)refused("doca_task_free", "the task was freed already");
    else if (task->item.state == TASK_OWNED)
        (void)report_why("doca_task_free", DOCA_ERROR_BAD_STATE,
                         "the task is in flight in a graph: it is not freed; wait for its end");
    else {
        task->item.state = TASK_RELEASED;
        (void)report_why("doca_task_free", DOCA_ERROR_BAD_STATE,
                         "the task is in flight: it is freed only after its callback");
    }
}

void doca_task_free(struct doca_task *task)
{
    if (__builtin_expect(!task || task->item.state != TASK_HELD, 0)) {
        free_unusual(task);
        return;
    }
    struct doca_ctx *ctx = context_of(task->item.link);
    struct task_pool *pool = &ctx->pools[task->item.type];
    task->item.state = TASK_FREE;
    task->item.next = pool->free;
    pool->free = &task->item;
    if (--pool->out == 0 && __builtin_expect(ctx->state != DOCA_CTX_STATE_RUNNING, 0))
        context_task_freed(ctx);
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
    if (!task)
        return REFUSED_NULL(task);
    return task->item.state >= TASK_IN_FLIGHT ? DOCA_ERROR_IN_PROGRESS : task->item.error;
}

void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
    if (!task)
        task_null(__func__);
    else if (task_settable(__func__, task))
        task->item.user_data = user_data;
}

union doca_data doca_task_get_user_data(const struct doca_task *task)
{
    if (!task) {
        task_null(__func__);
        return (union doca_data){0};
    }
    if (task->item.state == TASK_OWNED)
        return ((const struct task_owner *)task->item.user_data.ptr)->user_data;
    return task->item.user_data;
}

struct doca_ctx *doca_task_get_ctx(const struct doca_task *task)
{
    if (task)
        return task->item.link->ctx;
    task_null(__func__);
    return NULL;
}

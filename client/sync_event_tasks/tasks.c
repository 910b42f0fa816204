// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What all tasks have in common, and the one that reads the counter.

#include "event_context.h"

#include "core/refused.h"

doca_error_t event_task_set_conf(const char *function, struct doca_sync_event *event,
                                 enum event_task type, doca_task_completion_cb_t done,
                                 doca_task_completion_cb_t failed, uint32_t n)
{
    struct errtext err;

    if (!event || !done || !failed)
        return refused(function, "the event, or a callback, is NULL");
    if (event->state == SE_SYNCHRONOUS)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED,
                          "the event was started by doca_sync_event_start(), and has no tasks");
    doca_error_t e = task_configure(&event_context_of(event)->ctx, type, done, failed, n, &err);
    // The code that the interface names for an event that is started.
    if (e == DOCA_ERROR_BAD_STATE)
        e = DOCA_ERROR_NOT_PERMITTED;
    return report(function, e, &err);
}

struct doca_task *event_task_take(const char *function, struct doca_sync_event *event,
                                  enum event_task type, enum se_operation operation,
                                  union doca_data user_data, doca_error_t *error)
{
    struct doca_ctx *ctx = &event_context_of(event)->ctx;
    struct doca_task *task = task_take(ctx, type, user_data);

    if (__builtin_expect(!task, 0)) {
        *error = task_not_taken(function, ctx, type);
        return NULL;
    }
    *se_job_of(&task->item) = (struct se_job){
        .request = {.event = event, .operation = operation},
        .condition = type == EVENT_TASK_WAIT_NEQ  ? SE_NEQ
                     : type == EVENT_TASK_WAIT_GT ? SE_GT
                                                  : SE_EQ,
    };
    return task;
}

bool event_task_settable(const char *function, const void *task)
{
    if (task)
        return task_settable(function, &((const struct event_task_object *)task)->task);
    task_null(function);
    return false;
}

// ---- get ---------------------------------------------------------------------------------

doca_error_t doca_sync_event_task_get_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
    doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks)
{
    return event_task_set_conf(__func__, event, EVENT_TASK_GET,
                               (doca_task_completion_cb_t)completion_cb,
                               (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event,
                                                 uint64_t *ret_val_ptr, union doca_data user_data,
                                                 struct doca_sync_event_task_get **task)
{
    doca_error_t e = DOCA_SUCCESS;

    if (__builtin_expect(!event || !task, 0))
        return REFUSED_NULL(event, task);
    struct doca_task *taken =
        event_task_take(__func__, event, EVENT_TASK_GET, SE_GET, user_data, &e);
    if (taken) {
        se_job_of(&taken->item)->out = ret_val_ptr;
        *task = (struct doca_sync_event_task_get *)taken;
    }
    return e;
}

struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task)
{
    return (struct doca_task *)task;
}

void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
                                              uint64_t *ret_val_ptr)
{
    if (event_task_settable(__func__, task))
        event_job(task)->out = ret_val_ptr;
}

uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task)
{
    if (task)
        return event_job(task)->out;
    task_null(__func__);
    return NULL;
}

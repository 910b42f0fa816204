// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks that change the counter.

#include "event_context.h"

#include "core/refused.h"

// ---- notify set --------------------------------------------------------------------------

doca_error_t doca_sync_event_task_notify_set_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_set_completion_cb_t completion_cb,
    doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks)
{
    return event_task_set_conf(__func__, event, EVENT_TASK_NOTIFY_SET,
                               (doca_task_completion_cb_t)completion_cb,
                               (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t
doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t set_val,
                                           union doca_data user_data,
                                           struct doca_sync_event_task_notify_set **task)
{
    doca_error_t e = DOCA_SUCCESS;

    if (__builtin_expect(!event || !task, 0))
        return REFUSED_NULL(event, task);
    struct doca_task *taken =
        event_task_take(__func__, event, EVENT_TASK_NOTIFY_SET, SE_SET, user_data, &e);
    if (taken) {
        se_job_of(&taken->item)->request.value = set_val;
        *task = (struct doca_sync_event_task_notify_set *)taken;
    }
    return e;
}

struct doca_task *
doca_sync_event_task_notify_set_as_doca_task(struct doca_sync_event_task_notify_set *task)
{
    return (struct doca_task *)task;
}

void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
                                                 uint64_t set_val)
{
    if (event_task_settable(__func__, task))
        event_job(task)->request.value = set_val;
}

uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task)
{
    if (task)
        return event_job(task)->request.value;
    task_null(__func__);
    return 0;
}

// ---- notify add --------------------------------------------------------------------------

doca_error_t doca_sync_event_task_notify_add_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_add_completion_cb_t completion_cb,
    doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks)
{
    return event_task_set_conf(__func__, event, EVENT_TASK_NOTIFY_ADD,
                               (doca_task_completion_cb_t)completion_cb,
                               (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t
doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t inc_val,
                                           uint64_t *fetched_val_ptr, union doca_data user_data,
                                           struct doca_sync_event_task_notify_add **task)
{
    doca_error_t e = DOCA_SUCCESS;

    if (__builtin_expect(!event || !task, 0))
        return REFUSED_NULL(event, task);
    struct doca_task *taken =
        event_task_take(__func__, event, EVENT_TASK_NOTIFY_ADD, SE_ADD, user_data, &e);
    if (taken) {
        se_job_of(&taken->item)->request.value = inc_val;
        se_job_of(&taken->item)->out = fetched_val_ptr;
        *task = (struct doca_sync_event_task_notify_add *)taken;
    }
    return e;
}

struct doca_task *
doca_sync_event_task_notify_add_as_doca_task(struct doca_sync_event_task_notify_add *task)
{
    return (struct doca_task *)task;
}

void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
                                                 uint64_t inc_val)
{
    if (event_task_settable(__func__, task))
        event_job(task)->request.value = inc_val;
}

uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task)
{
    if (task)
        return event_job(task)->request.value;
    task_null(__func__);
    return 0;
}

void doca_sync_event_task_notify_add_set_fetched_val_ptr(
    struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr)
{
    if (event_task_settable(__func__, task))
        event_job(task)->out = fetched_val_ptr;
}

uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
    const struct doca_sync_event_task_notify_add *task)
{
    if (task)
        return event_job(task)->out;
    task_null(__func__);
    return NULL;
}

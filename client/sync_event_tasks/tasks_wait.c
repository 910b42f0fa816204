// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks that wait for the counter.

#include "event_context.h"

#include "core/refused.h"

static doca_error_t take(const char *function, struct doca_sync_event *event, enum event_task type,
                         uint64_t wait_val, uint64_t mask, union doca_data user_data,
                         struct doca_task **task)
{
    doca_error_t e = DOCA_SUCCESS;

    if (__builtin_expect(!event || !task, 0))
        return REFUSED_NULL_OF(function, event, task);
    struct doca_task *taken = event_task_take(function, event, type, SE_WAIT, user_data, &e);
    if (taken) {
        se_job_of(&taken->item)->request.value = wait_val;
        se_job_of(&taken->item)->mask = mask;
        *task = taken;
    }
    return e;
}

// ---- wait gt ---------------------------------------------------------------------------

doca_error_t doca_sync_event_task_wait_gt_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_gt_completion_cb_t completion_cb,
    doca_sync_event_task_wait_gt_completion_cb_t error_cb, uint32_t num_tasks)
{
    return event_task_set_conf(__func__, event, EVENT_TASK_WAIT_GT,
                               (doca_task_completion_cb_t)completion_cb,
                               (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_gt_alloc_init(struct doca_sync_event *event,
                                                     uint64_t wait_val, uint64_t mask,
                                                     union doca_data user_data,
                                                     struct doca_sync_event_task_wait_gt **task)
{
    return take(__func__, event, EVENT_TASK_WAIT_GT, wait_val, mask, user_data,
                (struct doca_task **)task);
}

struct doca_task *
doca_sync_event_task_wait_gt_as_doca_task(struct doca_sync_event_task_wait_gt *task)
{
    return (struct doca_task *)task;
}

void doca_sync_event_task_wait_gt_set_wait_val(struct doca_sync_event_task_wait_gt *task,
                                               uint64_t wait_val)
{
    if (event_task_settable(__func__, task))
        event_job(task)->request.value = wait_val;
}

uint64_t doca_sync_event_task_wait_gt_get_wait_val(const struct doca_sync_event_task_wait_gt *task)
{
    if (task)
        return event_job(task)->request.value;
    task_null(__func__);
    return 0;
}

void doca_sync_event_task_wait_gt_set_mask(struct doca_sync_event_task_wait_gt *task, uint64_t mask)
{
    if (event_task_settable(__func__, task))
        event_job(task)->mask = mask;
}

uint64_t doca_sync_event_task_wait_gt_get_mask(const struct doca_sync_event_task_wait_gt *task)
{
    if (task)
        return event_job(task)->mask;
    task_null(__func__);
    return 0;
}

// ---- wait eq ---------------------------------------------------------------------------

doca_error_t doca_sync_event_task_wait_eq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks)
{
    return event_task_set_conf(__func__, event, EVENT_TASK_WAIT_EQ,
                               (doca_task_completion_cb_t)completion_cb,
                               (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event,
                                                     uint64_t wait_val, uint64_t mask,
                                                     union doca_data user_data,
                                                     struct doca_sync_event_task_wait_eq **task)
{
    return take(__func__, event, EVENT_TASK_WAIT_EQ, wait_val, mask, user_data,
                (struct doca_task **)task);
}

struct doca_task *
doca_sync_event_task_wait_eq_as_doca_task(struct doca_sync_event_task_wait_eq *task)
{
    return (struct doca_task *)task;
}

void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task,
                                               uint64_t wait_val)
{
    if (event_task_settable(__func__, task))
        event_job(task)->request.value = wait_val;
}

uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task)
{
    if (task)
        return event_job(task)->request.value;
    task_null(__func__);
    return 0;
}

void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task, uint64_t mask)
{
    if (event_task_settable(__func__, task))
        event_job(task)->mask = mask;
}

uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task)
{
    if (task)
        return event_job(task)->mask;
    task_null(__func__);
    return 0;
}

// ---- wait neq ---------------------------------------------------------------------------

doca_error_t doca_sync_event_task_wait_neq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks)
{
    return event_task_set_conf(__func__, event, EVENT_TASK_WAIT_NEQ,
                               (doca_task_completion_cb_t)completion_cb,
                               (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event,
                                                      uint64_t wait_val, uint64_t mask,
                                                      union doca_data user_data,
                                                      struct doca_sync_event_task_wait_neq **task)
{
    return take(__func__, event, EVENT_TASK_WAIT_NEQ, wait_val, mask, user_data,
                (struct doca_task **)task);
}

struct doca_task *
doca_sync_event_task_wait_neq_as_doca_task(struct doca_sync_event_task_wait_neq *task)
{
    return (struct doca_task *)task;
}

void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task,
                                                uint64_t wait_val)
{
    if (event_task_settable(__func__, task))
        event_job(task)->request.value = wait_val;
}

uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task)
{
    if (task)
        return event_job(task)->request.value;
    task_null(__func__);
    return 0;
}

void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
                                            uint64_t mask)
{
    if (event_task_settable(__func__, task))
        event_job(task)->mask = mask;
}

uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task)
{
    if (task)
        return event_job(task)->mask;
    task_null(__func__);
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A sync event of DOCA 3: with a context that a progress engine runs.

#ifndef CLIENT_SYNC_EVENT_TASKS_EVENT_CONTEXT_H
#define CLIENT_SYNC_EVENT_TASKS_EVENT_CONTEXT_H

#include "progress/context.h"
#include "sync_event/se_job.h"

#include <doca_sync_event.h>

#define EVENT_TASKS_MAX 65536u

enum event_task {
    EVENT_TASK_GET,
    EVENT_TASK_NOTIFY_SET,
    EVENT_TASK_NOTIFY_ADD,
    EVENT_TASK_WAIT_GT,
    EVENT_TASK_WAIT_EQ,
    EVENT_TASK_WAIT_NEQ,
    EVENT_TASKS,
};

// All kinds of tasks have this structure: their operation is in the item's job.
struct event_task_object {
    struct doca_task task;
};

struct event_context {
    struct doca_sync_event event; // first: the public functions take it
    struct doca_ctx ctx;
};

static inline struct event_context *event_context_of(struct doca_sync_event *event)
{
    return (struct event_context *)event;
}

static inline struct se_job *event_job(const void *task)
{
    return se_job_of(&((struct event_task_object *)task)->task.item);
}

// The common parts of the public functions, each in the name of `function`.
doca_error_t event_task_set_conf(const char *function, struct doca_sync_event *event,
                                 enum event_task type, doca_task_completion_cb_t done,
                                 doca_task_completion_cb_t failed, uint32_t n);
// Takes a task for the operation; NULL, and *error, if there is none.
struct doca_task *event_task_take(const char *function, struct doca_sync_event *event,
                                  enum event_task type, enum se_operation operation,
                                  union doca_data user_data, doca_error_t *error);
// Returns false, and logs one line, if the task is NULL or in flight.
bool event_task_settable(const char *function, const void *task);

#endif

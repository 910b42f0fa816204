// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks of an RDMA context. All kinds are one structure: the program's settings stay in it, so that
// a task may be submitted again, and each submission makes a job of client/rdma out of it. The
// pools are in the order of enum rdma_job_kind.

#ifndef CLIENT_RDMA_TASKS_RDMA_TASK_H
#define CLIENT_RDMA_TASKS_RDMA_TASK_H

#include "progress/task_functions.h"
#include "rdma_context.h"
#include "sync_event/se_remote_net.h"

struct rdma_task_fields {
    struct doca_rdma_connection *connection; // NULL: a receive
    const struct doca_buf *local, *remote;
    uint64_t operand, compare;
    uint32_t immediate;
};

struct rdma_task {
    struct doca_task task;
    struct rdma_task_fields fields;
} __attribute__((aligned(64)));

// A task on a sync event of the other side.
struct rdma_event_task {
    struct rdma_task task;
    struct doca_sync_event_remote_net *event;
    struct se_request request;
} __attribute__((aligned(64)));

extern const struct task_kind rdma_task_kinds[RDMA_JOB_KINDS];

// The context's work.
doca_error_t rdma_task_prepare(struct work_item *item, const void *job);
// The same on a card whose send queues fill: DOCA_ERROR_FULL if the connection's has no room.
doca_error_t rdma_task_prepare_bounded(struct work_item *item, const void *job);
enum work_status rdma_task_quick(struct work_item *item, const void *job);
enum work_status rdma_task_execute(struct work_item *item);
enum work_status rdma_task_execute_on_verbs(struct work_item *item);

// ---- event_job.c

// Checks the event and the buffer of such a task; all else is valid then.
doca_error_t rdma_event_check(const struct work_item *item, struct errtext *err);
// Returns the permissions that the other side grants, as for access to its memory. The connection
// is made.
doca_error_t rdma_event_permitted(const struct work_item *item, struct errtext *err);

// Ends the receives that are posted.
void rdma_flush_receives(struct doca_rdma *rdma);

static inline struct rdma_job *rdma_task_job(const void *task)
{
    return rdma_job_of(&((struct rdma_task *)task)->task.item);
}

// ---- the common parts of the public functions, each in the name of `function` -------------------

doca_error_t rdma_task_set_conf(const char *function, struct doca_rdma *rdma,
                                enum rdma_job_kind kind, doca_task_completion_cb_t done,
                                doca_task_completion_cb_t failed, uint32_t n);

static inline doca_error_t rdma_task_take(const char *function, struct doca_rdma *rdma,
                                          enum rdma_job_kind kind,
                                          const struct rdma_task_fields *fields,
                                          union doca_data user_data, void **task)
{
    struct doca_task *taken = task_take(&rdma->ctx, kind, user_data);

    if (__builtin_expect(!taken, 0))
        return task_not_taken(function, &rdma->ctx, kind);
    ((struct rdma_task *)taken)->fields = *fields;
    *task = taken;
    return DOCA_SUCCESS;
}

// Returns NULL, and logs a line, if the task is NULL or in flight.
static inline struct rdma_task_fields *rdma_task_settable(const char *function, void *task)
{
    struct rdma_task *t = task;

    if (__builtin_expect(t && task_settable(function, &t->task), 1))
        return &t->fields;
    if (!t)
        task_null(function);
    return NULL;
}

// Returns NULL, and logs a line, if the task is NULL.
static inline const struct rdma_task_fields *rdma_task_read(const char *function, const void *task)
{
    if (__builtin_expect(task != NULL, 1))
        return &((const struct rdma_task *)task)->fields;
    task_null(function);
    return NULL;
}

// The bytes of a task that was done; 0 if it was not, and, with a line, if it is NULL.
static inline uint32_t rdma_task_result_len(const char *function, const void *task)
{
    if (!task) {
        task_null(function);
        return 0;
    }
    const struct work_item *item = &((const struct rdma_task *)task)->task.item;
    bool over = item->state < TASK_IN_FLIGHT && item->error == DOCA_SUCCESS;
    return over ? (uint32_t)rdma_task_job(task)->length : 0;
}

// ---- accessors ---------------------------------------------------------------------------------

// doca_rdma_task_NAME_set_WHAT() and _get_WHAT() of a field; `cast` makes it what programs get.
#define RDMA_TASK_SETTER(name, what, type, field)                                                  \
    void doca_rdma_task_##name##_set_##what(struct doca_rdma_task_##name *task, type what)         \
    {                                                                                              \
        struct rdma_task_fields *fields = rdma_task_settable(__func__, task);                      \
        if (fields)                                                                                \
            fields->field = what;                                                                  \
    }

#define RDMA_TASK_GETTER(name, what, type, field)                                                  \
    type doca_rdma_task_##name##_get_##what(const struct doca_rdma_task_##name *task)              \
    {                                                                                              \
        const struct rdma_task_fields *fields = rdma_task_read(__func__, task);                    \
        return fields ? (type)fields->field : (type)0;                                             \
    }

#define RDMA_TASK_FIELD(name, what, type, field)                                                   \
    RDMA_TASK_SETTER(name, what, type, field)                                                      \
    RDMA_TASK_GETTER(name, what, type, field)

// The common functions of each kind but the receive: _set_conf(), _as_task(), and its connection.
#define RDMA_TASK_COMMON(name, kind)                                                               \
    RDMA_TASK_BASE(name, kind)                                                                     \
    RDMA_TASK_SETTER(name, rdma_connection, struct doca_rdma_connection *, connection)             \
    RDMA_TASK_GETTER(name, rdma_connection, const struct doca_rdma_connection *, connection)

#define RDMA_TASK_BASE(name, kind)                                                                 \
    TASK_SET_CONF(doca_rdma_task_##name, rdma, successful_task_completion_cb,                      \
                  error_task_completion_cb, rdma_task_set_conf, kind)                              \
    TASK_AS_TASK(doca_rdma_task_##name)

#endif

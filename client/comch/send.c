// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Send tasks. Messages of one connection keep their order: while one waits for room, those after
// it wait, too.

#include "comch.h"
#include "path.h"

#include "core/refused.h"

#include <string.h>

struct doca_comch_task_send {
    struct doca_task task;             // its item has a struct send_job
    uint8_t kept[CHANNEL_MESSAGE_MAX]; // the message of a task that waits
};

struct send_job {
    struct doca_comch_connection *to;
    uint64_t generation; // of the connection
    const void *msg;
    uint32_t len;
    bool waits;     // and has its message
    uint64_t place; // its number among the messages that had to wait
};

_Static_assert(sizeof(struct send_job) <= WORK_JOB_SIZE, "fits the item");

const struct task_kind comch_tasks[1] = {
    {.name = "send",
     .size = sizeof(struct doca_comch_task_send),
     .max = COMCH_TASKS_MAX,
     .needs = CARD_COMCH},
};

static struct send_job *job_of(struct work_item *item)
{
    return (struct send_job *)item->job;
}

static bool ended(const struct send_job *job)
{
    return job->to->generation != job->generation || !job->to->address;
}

static enum work_status complete(struct work_item *item, doca_error_t error)
{
    item->error = error;
    return WORK_DONE;
}

static uint8_t *kept_of(struct work_item *item)
{
    return container_of(item, struct doca_comch_task_send, task.item)->kept;
}

// WORK_WAITING: the queue is full.
static enum work_status put(struct work_item *item)
{
    struct send_job *job = job_of(item);
    const char *why = "";

    // Events before the send are sent before the message: the end of a consumer, for instance.
    if (__builtin_expect(atomic_load_explicit(&job->to->end->has_packets, memory_order_relaxed),
                         0) &&
        !comch_connection_send(job->to))
        return WORK_WAITING;
    const void *msg = job->waits ? kept_of(item) : job->msg;
    doca_error_t e = cc_put_receiving(job->to->address, msg, job->len, &why);
    if (e == DOCA_ERROR_AGAIN)
        return WORK_WAITING;
    if (e != DOCA_SUCCESS)
        (void)report_often("doca_comch_task_send", e, why);
    return complete(item, e);
}

enum work_status comch_send_execute(struct work_item *item)
{
    struct send_job *job = job_of(item);
    struct doca_comch_connection *to = job->to;

    if (ended(job))
        return complete(item, DOCA_ERROR_CONNECTION_RESET);
    job->waits = false;
    if (to->queued == to->sent && put(item) == WORK_DONE)
        return WORK_DONE;
    job->waits = true;
    memcpy(kept_of(item), job->msg, job->len); // programs free it when they have submitted it
    job->place = to->queued++;
    return WORK_WAITING;
}

enum work_status comch_send_progress(struct work_item *item)
{
    struct send_job *job = job_of(item);

    if (ended(job))
        return complete(item, DOCA_ERROR_CONNECTION_RESET);
    if (job->place != job->to->sent || put(item) == WORK_WAITING)
        return WORK_WAITING;
    job->to->sent++;
    return WORK_DONE;
}

struct card_queue *comch_send_lane(const struct work_item *item)
{
    return &job_of((struct work_item *)item)->to->paced;
}

// All of the context's tasks that wait end together, so no number stays unused.
enum work_status comch_send_cancel(struct work_item *item)
{
    struct send_job *job = job_of(item);

    if (!ended(job))
        job->to->sent++;
    return complete(item, DOCA_ERROR_SHUTDOWN);
}

bool comch_send_lose_peer(struct doca_task *task)
{
    const struct send_job *job = job_of(&task->item);

    return !ended(job) && comch_connection_break(job->to);
}

// ---- the public interface ----------------------------------------------------------------

doca_error_t comch_send_set_conf(const char *function, struct comch_end *end,
                                 doca_comch_task_send_completion_cb_t done,
                                 doca_comch_task_send_completion_cb_t failed, uint32_t n)
{
    struct errtext err;

    return report(function,
                  task_configure(&end->ctx, 0, (doca_task_completion_cb_t)done,
                                 (doca_task_completion_cb_t)failed, n, &err),
                  &err);
}

doca_error_t comch_send_alloc(const char *function, struct comch_end *end,
                              struct doca_comch_connection *to, const void *msg, uint32_t len,
                              struct doca_comch_task_send **task)
{
    if (__builtin_expect(to->end != end, 0))
        return refused(function, "the connection belongs to another server or client");
    if (__builtin_expect(len == 0 || len > end->max_message, 0))
        return refused(function, "the length must be 1 to the maximum that was set");
    if (__builtin_expect(to->address && len > to->address->peer_max_message, 0))
        return refused(function, "the message is longer than the maximum that the peer has set");
    struct doca_task *taken = task_take(&end->ctx, 0, (union doca_data){0});
    if (__builtin_expect(!taken, 0))
        return task_not_taken(function, &end->ctx, 0);
    *job_of(&taken->item) =
        (struct send_job){.to = to, .generation = to->generation, .msg = msg, .len = len};
    *task = (struct doca_comch_task_send *)taken;
    return DOCA_SUCCESS;
}

struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task)
{
    return task ? &task->task : NULL;
}

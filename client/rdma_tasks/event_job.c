// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs on a sync event of the other side, in order with the connection's other jobs. The counter is
// in a page that is mapped here, or is changed by an engine of the owner's docad. The owner's
// waiters are woken like those of any event.

#include "queue/broker.h"
#include "rdma_task.h"

#include <string.h>

static struct rdma_event_task *task_of_item(const struct work_item *item)
{
    return (struct rdma_event_task *)item;
}

static bool sets(const struct work_item *item)
{
    return rdma_kind(item) == RDMA_JOB_EVENT_SET;
}

// The result of an add is written as that of an atomic is.
static enum rdma_extent extent_of(const struct work_item *item)
{
    static const enum rdma_extent extents[] = {[RDMA_JOB_EVENT_GET] = RDMA_BEHIND,
                                               [RDMA_JOB_EVENT_SET] = RDMA_DATA,
                                               [RDMA_JOB_EVENT_ADD] = RDMA_ROOM};
    return extents[rdma_kind(item)];
}

doca_error_t rdma_event_check(const struct work_item *item, struct errtext *err)
{
    const struct doca_buf *local = rdma_job_of((struct work_item *)item)->local;
    uint64_t bytes;

    if (!task_of_item(item)->event)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "it has no event");
    if (!local || !local->refcount)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           local ? "its buffer was given back" : "its buffer is NULL");
    doca_error_t r = rdma_list_check(item->link, local, 1, extent_of(item), &bytes, err);
    if (r == DOCA_SUCCESS && bytes < SYNC_VALUE_SIZE)
        r = errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                        "its buffer has %llu bytes of %s; the value of an event has 8",
                        (unsigned long long)bytes, sets(item) ? "data" : "room");
    return r;
}

doca_error_t rdma_event_permitted(const struct work_item *item, struct errtext *err)
{
    static const uint32_t needed[] = {[RDMA_JOB_EVENT_GET] = ACCESS_RDMA_READ,
                                      [RDMA_JOB_EVENT_SET] = ACCESS_RDMA_WRITE,
                                      [RDMA_JOB_EVENT_ADD] = ACCESS_RDMA_ATOMIC};
    const struct rdma_end *rdma = rdma_of(item);

    if (rdma->remote_permissions & needed[rdma_kind(item)])
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "the other RDMA context does not allow this task; its permissions are %#x, "
                       "and %#x is needed; see doca_rdma_set_permissions()",
                       rdma->remote_permissions, needed[rdma_kind(item)]);
}

static void begin(struct work_item *item)
{
    static const enum se_operation operations[] = {[RDMA_JOB_EVENT_GET] = SE_GET,
                                                   [RDMA_JOB_EVENT_SET] = SE_SET,
                                                   [RDMA_JOB_EVENT_ADD] = SE_ADD};
    struct rdma_event_task *task = task_of_item(item);
    struct rdma_job *job = rdma_job_of(item);

    task->request = (struct se_request){
        .event = &task->event->event, .operation = operations[job->kind], .value = job->operand};
    if (sets(item))
        memcpy(&task->request.value, job->local->data, SYNC_VALUE_SIZE);
    job->checked = true;
}

static void do_direct(struct se_request *request)
{
    _Atomic uint64_t *word = request->event->word;

    if (request->operation == SE_GET)
        request->seen = atomic_load_explicit(word, memory_order_acquire);
    else if (request->operation == SE_SET)
        atomic_store(word, request->value);
    else
        request->seen = atomic_fetch_add(word, request->value);
    request->done = true;
}

static void go_to_engine(struct work_item *item, struct se_request *request)
{
    struct broker_queue *queue = broker_port_queue(item->link->port, request->event->broker.node);

    if (queue) {
        se_request_go(request, queue); // if the queue is full, it is called again
        return;
    }
    request->error = DOCA_ERROR_NOT_CONNECTED;
    request->done = true;
}

static enum rdma_step failed(struct work_item *item, doca_error_t error)
{
    struct errtext err;

    errtext_set(&err, error,
                "the event was revoked, has ended with its owner, or cannot be reached");
    rdma_job_failed(item, error, &err);
    return RDMA_DONE;
}

static enum rdma_step done(struct work_item *item, const struct se_request *request)
{
    struct rdma_job *job = rdma_job_of(item);

    if (request->operation != SE_GET)
        se_changed(request->event);
    if (request->operation != SE_SET) {
        memcpy(rdma_part_at(job->local, extent_of(item)), &request->seen, SYNC_VALUE_SIZE);
        rdma_set_lengths(job->local, extent_of(item), SYNC_VALUE_SIZE);
    }
    if (se_reach(request->event) == SE_DIRECT)
        WORK_STATS_ADD(item->link->stats->mapped_bytes, SYNC_VALUE_SIZE);
    else
        WORK_STATS_ADD(item->link->stats->engine_bytes, SYNC_VALUE_SIZE);
    job->length = SYNC_VALUE_SIZE;
    item->error = DOCA_SUCCESS;
    return RDMA_DONE;
}

// It is its turn, perhaps long after it was submitted.
static bool may_begin(struct work_item *item)
{
    struct errtext err;
    doca_error_t r = rdma_event_check(item, &err);

    if (r == DOCA_SUCCESS)
        r = rdma_event_permitted(item, &err);
    if (r != DOCA_SUCCESS)
        rdma_job_failed(item, r, &err);
    return r == DOCA_SUCCESS;
}

static enum rdma_step step(struct work_item *item)
{
    struct se_request *request = &task_of_item(item)->request;

    if (!rdma_job_of(item)->checked) {
        if (!may_begin(item))
            return RDMA_DONE;
        begin(item);
    }
    if (request->posted)
        return RDMA_STALLED;
    doca_error_t e = request->done ? request->error : se_alive(request->event);
    if (e != DOCA_SUCCESS)
        return failed(item, e);
    if (!request->done && se_reach(request->event) == SE_DIRECT)
        do_direct(request);
    else if (!request->done)
        go_to_engine(item, request);
    if (!request->done)
        return RDMA_STALLED;
    return request->error == DOCA_SUCCESS ? done(item, request) : failed(item, request->error);
}

static bool under_way(const struct work_item *item)
{
    return rdma_job_of((struct work_item *)item)->checked && task_of_item(item)->request.posted;
}

const struct rdma_others rdma_event_jobs = {.step = step, .under_way = under_way};

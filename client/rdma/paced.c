// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the pacer (queue/pacer.h) asks of jobs: the queue of the card that they go through, and how
// long they take there.

#include "queue/pacer.h"
#include "rdma_end.h"

struct card_queue *rdma_lane(const struct work_item *item)
{
    return rdma_kind(item) == RDMA_JOB_RECV ? NULL : &rdma_of(item)->paced;
}

void rdma_hurry(struct rdma_end *rdma)
{
    if (rdma->link && rdma->link->pacing)
        pacer_hurry(rdma->link, &rdma->paced);
}

bool rdma_holds_reports(const struct rdma_end *rdma)
{
    return rdma->link && rdma->link->pacing && pacer_holds(rdma->link, &rdma->paced);
}

// Nothing was published of atomics and sync events: they take as long as a message, or as a read,
// since they wait for an answer.
static bool waits_for_answer(enum rdma_job_kind kind)
{
    switch (kind) {
    case RDMA_JOB_READ:
    case RDMA_JOB_ATOMIC_CMP_SWP:
    case RDMA_JOB_ATOMIC_FETCH_ADD:
    case RDMA_JOB_EVENT_GET:
    case RDMA_JOB_EVENT_ADD:
        return true;
    default:
        return false;
    }
}

// A receive is measured when its message has come.
void rdma_measure(const struct work_item *item, struct card_work *work)
{
    const struct rdma_job *job = rdma_job_of((struct work_item *)item);
    enum rdma_job_kind kind = rdma_kind(item);
    const struct doca_buf *from = kind == RDMA_JOB_READ ? job->remote : job->local;

    work->model = waits_for_answer(kind) ? CARD_RDMA_READ_TASK_NS : CARD_RDMA_SEND_TASK_NS;
    if (kind == RDMA_JOB_RECV)
        work->bytes = job->length;
    else if (kind < RDMA_JOB_ATOMIC_CMP_SWP)
        for (; from; from = from->next)
            work->bytes += from->data_len;
}

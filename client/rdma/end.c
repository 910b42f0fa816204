// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The end of jobs and of their queue: done, failed, flushed.

#include "rdma_end.h"

#include "core/report.h"

#include <sys/epoll.h>

void rdma_finish_send(struct rdma_end *rdma, struct work_item *item)
{
    rdma_release(item);
    rdma->n_sends--;
    executor_finish(rdma->link->executor, item);
}

static void finish_receive(struct rdma_end *rdma, struct work_item *item)
{
    item->error = rdma->flush_error;
    rdma->receives->n--;
    rdma_job_of(item)->end = rdma;
    rdma_release(item);
    executor_finish(rdma->link->executor, item);
}

void rdma_flush(struct rdma_end *rdma)
{
    struct work_item *item;

    while ((item = work_fifo_pop(&rdma->posted))) {
        item->error = rdma->flush_error;
        rdma_finish_send(rdma, item);
    }
    // An engine may still be writing to the buffers of the first one.
    if (!rdma->stalled.head || !rdma_at_engine(rdma->stalled.head))
        while ((item = work_fifo_pop(&rdma->stalled))) {
            item->error = rdma->flush_error;
            rdma_finish_send(rdma, item);
        }
    if ((item = rdma->receiving))
        finish_receive(rdma, item);
    rdma->receiving = NULL;
    while (!rdma->shares_receives && (item = work_fifo_pop(&rdma->receives->queue)))
        finish_receive(rdma, item);
}

void rdma_complete_posted(struct rdma_end *rdma, uint32_t taken)
{
    struct work_item *item;

    rdma->taken = taken;
    while ((item = rdma->posted.head) && (int32_t)(taken - rdma_job_of(item)->number) >= 0) {
        work_fifo_pop(&rdma->posted);
        item->error = DOCA_SUCCESS;
        rdma_finish_send(rdma, item);
    }
}

void rdma_acknowledged(struct rdma_end *rdma, uint16_t taken)
{
    uint16_t more = (uint16_t)(taken - (uint16_t)rdma->taken);

    // If the number is smaller, it is outdated; if it is impossible, it is ignored.
    if (more && more <= rdma->entered - rdma->taken)
        rdma_complete_posted(rdma, rdma->taken + more);
}

// The last poll before the rest is flushed.
static void count_taken(struct rdma_end *rdma)
{
    // Acquire: as in read_taken().
    uint32_t taken = atomic_load_explicit(&rdma->tx->taken, memory_order_acquire);

    if (taken - rdma->taken <= rdma->entered - rdma->taken)
        rdma_complete_posted(rdma, taken);
}

void rdma_drop_descriptors(struct rdma_end *rdma)
{
    if (rdma->epoll_fd < 0)
        return;
    epoll_ctl(rdma->epoll_fd, EPOLL_CTL_DEL, rdma->lifeline, NULL);
    if (rdma->channel >= 0)
        epoll_ctl(rdma->epoll_fd, EPOLL_CTL_DEL, rdma->channel, NULL);
    rdma->epoll_fd = -1;
}

// RDMA_HERE: nothing of ours has failed, so the other side is not notified.
static void end(struct rdma_end *rdma, doca_error_t flush_error, enum rdma_stage why)
{
    if (rdma_state(rdma) == RDMA_STATE_ERROR)
        return;
    rdma->flush_error = flush_error;
    if (rdma->posted.head)
        count_taken(rdma);
    atomic_store_explicit(&rdma->state, RDMA_STATE_ERROR, memory_order_relaxed);
    rdma_spot_set(rdma);
    if (why != RDMA_HERE && atomic_load_explicit(&rdma->pair, memory_order_acquire))
        rdma_notify_end(rdma, why);
    rdma_drop_descriptors(rdma); // they stay readable
    rdma_flush(rdma);
    rdma_hurry(rdma);
    if (rdma->ended)
        rdma->ended(rdma);
}

void rdma_fail(struct rdma_end *rdma, doca_error_t flush_error)
{
    end(rdma, flush_error, RDMA_FAILED);
}

void rdma_lose(struct rdma_end *rdma, doca_error_t flush_error)
{
    end(rdma, flush_error, RDMA_HERE);
}

void rdma_leave(struct rdma_end *rdma, doca_error_t flush_error)
{
    end(rdma, flush_error, RDMA_LEFT);
}

bool rdma_lose_peer(struct rdma_end *rdma)
{
    if (!rdma->link || rdma_state(rdma) != RDMA_STATE_CONNECTED)
        return false;
    rdma->transport->leave(rdma, DOCA_ERROR_CONNECTION_RESET);
    return true;
}

void rdma_corrupted(struct rdma_end *rdma)
{
    log_own_error("RDMA on %s: the other side corrupted the connection, which now ends",
                  rdma_device_name(rdma));
    rdma_fail(rdma, DOCA_ERROR_IO_FAILED);
}

static const char *name_of(const struct work_item *item)
{
    switch (rdma_kind(item)) {
    case RDMA_JOB_SEND:
    case RDMA_JOB_SEND_IMM:
        return "send";
    case RDMA_JOB_READ:
        return "read";
    case RDMA_JOB_WRITE:
    case RDMA_JOB_WRITE_IMM:
        return "write";
    case RDMA_JOB_ATOMIC_CMP_SWP:
        return "compare and swap";
    case RDMA_JOB_ATOMIC_FETCH_ADD:
        return "fetch and add";
    case RDMA_JOB_EVENT_GET:
    case RDMA_JOB_EVENT_SET:
    case RDMA_JOB_EVENT_ADD:
        return "task on a sync event";
    default:
        return "receive";
    }
}

void rdma_job_failed(struct work_item *item, doca_error_t error, const struct errtext *err)
{
    log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(err), "RDMA on %s: a %s failed: %s (%s)",
            dev_name(item->link->device), name_of(item), err->s, doca_get_error_name(error));
    item->error = error;
    if (rdma_of(item)) // a receive may have none yet
        rdma_of(item)->broken = true;
}

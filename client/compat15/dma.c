// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA of the 1.5 interface: a job's addresses are those of its buffers when it is submitted, and
// the job overwrites the data of its destination instead of appending to it. The data of the
// destination is then what is copied.

#include "compat15/compat15.h"
#include "dma/dma.h"
#include "dma/dma_job.h"

static bool is_list(const struct dma_job *job)
{
    return job->src->next || job->dst->next;
}

static doca_error_t prepare(struct work_item *item, const void *from)
{
    const struct doca_dma_job_memcpy *job = from;

    if (job->base.type != DOCA_DMA_JOB_MEMCPY) {
        item->refusal = "the job's type is not one of DMA";
        return DOCA_ERROR_INVALID_VALUE;
    }
    doca_error_t r = dma_give_buffers(item, job->src_buff, job->dst_buff);
    if (r != DOCA_SUCCESS)
        return r;
    dma_job_of(item)->way = is_list(dma_job_of(item)) ? DMA_OVERWRITE : DMA_EXACT;
    dma_take_addresses(dma_job_of(item), job->src_buff->data, job->dst_buff->data,
                       job->src_buff->data_len);
    return DOCA_SUCCESS;
}

// The buffers are the program's, or copies of them.
static void set_lengths(const struct dma_job *job)
{
    uint64_t left = job->total;

    if (!is_list(job)) {
        (job->held ? job->dst->original : job->dst)->data_len = left;
        return;
    }
    struct doca_buf *first = job->held ? job->dst->original : job->dst;
    for (struct doca_buf *buf = first; buf && left; buf = buf->next) {
        uint64_t room = (uint64_t)(buf->head + buf->len - buf->data);
        buf->data_len = left < room ? left : room;
        left -= buf->data_len;
    }
}

// Sets the lengths within the submission even if the job has to wait: afterwards the program may
// have released the buffers, or moved them, and that must not be undone.
static enum work_status submitted(struct work_item *item, enum work_status status)
{
    if (status == WORK_WAITING || (status == WORK_DONE && item->error == DOCA_SUCCESS))
        set_lengths(dma_job_of(item));
    return status;
}

// Runs when the job is submitted, so that lists, too, are read as they are at that time.
static enum work_status execute(struct work_item *item)
{
    const struct dma_job *job = dma_job_of(item);

    if (is_list(job))
        return submitted(item, dma_start_held(item, DMA_OVERWRITE));
    if (job->total == 0) {
        item->error = DOCA_SUCCESS; // some programs copy 0 bytes, which succeeds
        return WORK_DONE;
    }
    enum work_status status = dma_execute_exact(item);
    if (__builtin_expect(status == WORK_UNTRIED, 0))
        status = dma_start_held(item, DMA_EXACT);
    return submitted(item, status);
}

static const struct ctx_ops ops = {
    .name = "DMA",
    .takes_device = true,
    .event_driven = true,
    .check_device = dma_check_device,
    .attach = dma_attach,
    .detach = dma_detach,
    .work = {.library = WORK_LIBRARY_DMA,
             .prepare = prepare,
             .execute = execute,
             .eager = true,
             .early = true,
             .measure = dma_measure,
             .progress = dma_continue,
             .may_block = true},
};

doca_error_t doca_1_5_dma_create(struct doca_dma **dma)
{
    return dma_create(&ops, dma);
}

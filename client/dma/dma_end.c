// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The end of DMA jobs.

#include "dma_job.h"

#include "core/device_card.h"
#include "core/report.h"

enum work_status dma_succeeded(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);
    uint64_t left = job->total;

    for (struct doca_buf *buf = job->dst; buf && left && job->way == DMA_APPEND; buf = buf->next) {
        uint64_t room = buf_tailroom(buf), n = left < room ? left : room;
        buf->data_len += n;
        left -= n;
    }
    dma_release(job, job->way == DMA_APPEND);
    item->error = DOCA_SUCCESS;
    return WORK_DONE;
}

enum work_status dma_failed(struct work_item *item, doca_error_t error, const struct errtext *err)
{
    error = dev_task_error(item->link->device, error);
    dma_release(dma_job_of(item), false);
    log_own(DOCA_LOG_LEVEL_ERROR, errtext_place(err), "DMA on %s: a memcpy failed: %s (%s)",
            dev_name(item->link->device), err->s, doca_get_error_name(error));
    item->error = error;
    return WORK_DONE;
}

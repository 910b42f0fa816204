// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Completions in the order of submission. Copies that have to wait for an engine may overtake each
// other; here a completed task waits for those before it. Tasks that are flushed do not wait:
// nothing was done for them. The pacer executes the tasks of such a context in their order, too.

#include "dma_context.h"

#include "core/refused.h"
#include "dma/dma_job.h"

static struct doca_dma *dma_of(const struct work_item *item)
{
    return container_of(context_of(item->link), struct doca_dma, ctx);
}

static enum work_status end_in_turn(struct work_item *item)
{
    struct doca_dma *dma = dma_of(item);

    if (!dma_job_of(item)->over || dma_job_of(item)->order != dma->ended)
        return WORK_WAITING;
    dma->ended++;
    return WORK_DONE;
}

static enum work_status execute(struct work_item *item)
{
    dma_job_of(item)->order = dma_of(item)->begun++;
    dma_job_of(item)->over = dma_execute(item) == WORK_DONE;
    return end_in_turn(item);
}

// Called for waiting items in the order in which they were executed.
static enum work_status progress(struct work_item *item)
{
    struct dma_job *job = dma_job_of(item);

    if (!job->over)
        job->over = dma_continue(item) == WORK_DONE;
    return end_in_turn(item);
}

static const struct work_ops ordered_work = {
    .library = WORK_LIBRARY_DMA,
    .prepare = dma_task_prepare,
    .drop = dma_drop,
    .execute = execute,
    .measure = dma_measure,
    .progress = progress,
    .may_block = true,
    .ordered = true,
};

doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t ordered_completions)
{
    struct errtext err;

    if (!dma)
        return REFUSED_NULL(dma);
    if (ordered_completions > 1)
        return refused(__func__, "it is neither 0 nor 1");
    doca_error_t r = context_configurable(&dma->ctx, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    dma->ordered = ordered_completions;
    dma->ctx.link.ops = dma->ordered ? &ordered_work : &dma->ctx.kind->work;
    return DOCA_SUCCESS;
}

doca_error_t doca_dma_get_ordered_completions(struct doca_dma *dma, uint8_t *ordered_completions)
{
    if (!dma || !ordered_completions)
        return REFUSED_NULL(dma, ordered_completions);
    *ordered_completions = dma->ordered;
    return DOCA_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The memcpy task.

#include "dma_context.h"

#include "core/refused.h"
#include "dma/dma_job.h"

static struct dma_job *job_of(const struct doca_dma_task_memcpy *task)
{
    return (struct dma_job *)task->task.item.job;
}

doca_error_t dma_task_memcpy_check(struct doca_task *task, struct errtext *err)
{
    return dma_given(dma_job_of(&task->item)) ? dma_check(&task->item, err) : dma_not_given(err);
}

doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
                                           doca_dma_task_memcpy_completion_cb_t task_completion_cb,
                                           doca_dma_task_memcpy_completion_cb_t task_error_cb,
                                           uint32_t num_memcpy_tasks)
{
    struct errtext err;

    if (!dma || !task_completion_cb || !task_error_cb)
        return REFUSED_NULL(dma, task_completion_cb, task_error_cb);
    const Docad__Function *function = dev_function(dma->ctx.device);
    doca_error_t r =
        function->can_dma
            ? task_configure(&dma->ctx, DMA_TASK_MEMCPY,
                             (doca_task_completion_cb_t)task_completion_cb,
                             (doca_task_completion_cb_t)task_error_cb, num_memcpy_tasks, &err)
            : errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED, "function %s has no DMA", function->name);
    return report(__func__, r, &err);
}

doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
                                             struct doca_buf *dst, union doca_data user_data,
                                             struct doca_dma_task_memcpy **task)
{
    if (__builtin_expect(!dma || !task, 0))
        return REFUSED_NULL(dma, task);
    struct doca_task *taken = task_take(&dma->ctx, DMA_TASK_MEMCPY, user_data);
    if (__builtin_expect(!taken, 0))
        return task_not_taken(__func__, &dma->ctx, DMA_TASK_MEMCPY);
    struct dma_job *job = dma_job_of(&taken->item);
    job->src = src;
    job->dst = dst;
    *task = (struct doca_dma_task_memcpy *)taken;
    return DOCA_SUCCESS;
}

struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task)
{
    return task ? &task->task : NULL;
}

void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src)
{
    if (!task)
        task_null(__func__);
    else if (task_settable(__func__, &task->task))
        job_of(task)->src = src;
}

void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst)
{
    if (!task)
        task_null(__func__);
    else if (task_settable(__func__, &task->task))
        job_of(task)->dst = dst;
}

const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
    if (task)
        return job_of(task)->src;
    task_null(__func__);
    return NULL;
}

struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
    if (task)
        return job_of(task)->dst;
    task_null(__func__);
    return NULL;
}

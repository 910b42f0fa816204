// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The memcpy task.

#include "dma_context.h"

#include "dma/dma_job.h"
#include "progress/task_functions.h"

static struct dma_job *job_of(const struct doca_dma_task_memcpy *task)
{
    return (struct dma_job *)task->task.item.job;
}

doca_error_t dma_task_memcpy_check(struct doca_task *task, struct errtext *err)
{
    struct dma_job *job = dma_job_of(&task->item);

    job->way = DMA_APPEND;
    return dma_given(job) ? dma_check(&task->item, err) : dma_not_given(err);
}

doca_error_t dma_task_prepare(struct work_item *item, const void *unused)
{
    struct dma_job *job = dma_job_of(item);

    (void)unused;
    if (__builtin_expect(dma_given(job), 1))
        return dma_take(item);
    job->way = DMA_NOT_GIVEN;
    return DOCA_SUCCESS;
}

static doca_error_t configure(const char *name, struct doca_dma *dma, uint32_t type,
                              doca_task_completion_cb_t done, doca_task_completion_cb_t failed,
                              uint32_t n)
{
    struct errtext err;

    doca_error_t r = dma_check_devinfo(dev_devinfo(dma->ctx.device), &err);
    if (r == DOCA_SUCCESS)
        r = task_configure(&dma->ctx, type, done, failed, n, &err);
    return report(name, r, &err);
}

TASK_SET_CONF(doca_dma_task_memcpy, dma, task_completion_cb, task_error_cb, configure,
              DMA_TASK_MEMCPY)

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

TASK_AS_TASK(doca_dma_task_memcpy)
TASK_SETTER(doca_dma_task_memcpy_set_src, doca_dma_task_memcpy, const struct doca_buf *, job_of,
            src)
TASK_SETTER(doca_dma_task_memcpy_set_dst, doca_dma_task_memcpy, struct doca_buf *, job_of, dst)

const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
    if (task)
        return job_of(task)->held ? job_of(task)->src->original : job_of(task)->src;
    task_null(__func__);
    return NULL;
}

struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
    if (task)
        return job_of(task)->held ? job_of(task)->dst->original : job_of(task)->dst;
    task_null(__func__);
    return NULL;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The common part of all kinds of tasks.

#include "ec_context.h"

static struct ec_job *fill_in(struct work_item *item)
{
    struct ec_task *task = container_of(task_of(item), struct ec_task, task);
    struct ec_job *job = &task->job;

    job->item = item;
    job->matrix = task->matrix;
    job->matrix_number = task->matrix_number;
    job->kind = (uint8_t)item->type;
    job->phase = EC_NEW;
    ec_job_set(item, job);
    return job;
}

doca_error_t ec_task_check(struct doca_task *task, struct errtext *err)
{
    const struct ec_task *ec = container_of(task, struct ec_task, task);
    struct ec_job *job = fill_in(&task->item);

    job->src = (struct doca_buf *)(uintptr_t)ec->src;
    job->dst = ec->dst;
    doca_error_t r = ec_check(job, err);
    job->src = job->dst = NULL;
    return r;
}

doca_error_t ec_task_prepare(struct work_item *item, const void *unused)
{
    const struct ec_task *task = container_of(task_of(item), struct ec_task, task);

    (void)unused;
    return ec_take(fill_in(item), task->src, task->dst);
}

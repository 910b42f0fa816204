// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What all kinds of tasks have in common.

#include "ec_context.h"

static struct ec_job *fill_in(struct work_item *item)
{
    struct ec_task *task = container_of(task_of(item), struct ec_task, task);
    struct ec_job *job = &task->job;

    job->item = item;
    job->matrix = task->matrix;
    job->matrix_number = task->matrix_number;
    job->src = task->src;
    job->dst = task->dst;
    job->kind = (uint8_t)item->type;
    job->phase = EC_NEW;
    job->holds = false;
    ec_job_set(item, job);
    return job;
}

doca_error_t ec_task_check(struct doca_task *task, struct errtext *err)
{
    return ec_check(fill_in(&task->item), err);
}

doca_error_t ec_task_prepare(struct work_item *item, const void *unused)
{
    (void)unused;
    fill_in(item);
    return DOCA_SUCCESS;
}

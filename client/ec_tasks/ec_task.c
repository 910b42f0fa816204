// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What all kinds of tasks have in common.

#include "ec_context.h"

static void fill_in(struct work_item *item)
{
    const struct ec_task *task = container_of(task_of(item), struct ec_task, task);

    *ec_job_of(item) = (struct ec_job){.matrix = task->matrix,
                                       .matrix_number = task->matrix_number,
                                       .src = task->src,
                                       .dst = task->dst,
                                       .kind = (uint8_t)item->type};
}

doca_error_t ec_task_check(struct doca_task *task, struct errtext *err)
{
    fill_in(&task->item);
    return ec_check(&task->item, err);
}

enum work_status ec_task_execute(struct work_item *item)
{
    fill_in(item);
    return ec_execute(item);
}

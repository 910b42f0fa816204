// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Batches of tasks. Only Ethernet libraries, which are not here, can allocate one: so a batch that
// a program passes is not one of ours.

#include "core/refused.h"

#include <doca_pe.h>

static doca_error_t no_batch(const char *function, const struct doca_task_batch *task_batch)
{
    if (!task_batch)
        return REFUSED_NULL_OF(function, task_batch);
    return report_why(function, DOCA_ERROR_NOT_SUPPORTED, "no library here has batches of tasks");
}

doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch)
{
    return no_batch(__func__, task_batch);
}

doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch)
{
    return no_batch(__func__, task_batch);
}

void doca_task_batch_free(struct doca_task_batch *task_batch)
{
    (void)no_batch(__func__, task_batch);
}

doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch)
{
    return no_batch(__func__, task_batch);
}

void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data)
{
    (void)user_data;
    (void)no_batch(__func__, task_batch);
}

union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch)
{
    (void)no_batch(__func__, task_batch);
    return (union doca_data){0};
}

struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch)
{
    (void)no_batch(__func__, task_batch);
    return NULL;
}

union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch)
{
    (void)no_batch(__func__, task_batch);
    return (union doca_data){0};
}

uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch)
{
    (void)no_batch(__func__, task_batch);
    return 0;
}

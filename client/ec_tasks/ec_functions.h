// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The public functions of one kind of task. They are the same but for their names. Before it is
// included:
//
//     EC_NAME(rest)   doca_ec_task_create_##rest
//     EC_TASK         struct doca_ec_task_create
//     EC_TYPE         EC_CREATE_RDNC
//     EC_SET_MATRIX, EC_GET_MATRIX, EC_SET_SRC, EC_GET_SRC, EC_SET_DST, EC_GET_DST

#include "core/refused.h"
#include "ec_context.h"

EC_TASK
{
    struct ec_task ec;
};

doca_error_t EC_NAME(set_conf)(struct doca_ec *ec,
                               EC_NAME(completion_cb_t) successful_task_completion_cb,
                               EC_NAME(completion_cb_t) error_task_completion_cb,
                               uint32_t num_tasks)
{
    struct errtext err;

    if (!ec || !successful_task_completion_cb || !error_task_completion_cb)
        return REFUSED_NULL(ec, successful_task_completion_cb, error_task_completion_cb);
    if (!ec_available())
        return ec_task_absent(__func__);
    doca_error_t r =
        task_configure(&ec->ctx, EC_TYPE, (doca_task_completion_cb_t)successful_task_completion_cb,
                       (doca_task_completion_cb_t)error_task_completion_cb, num_tasks, &err);
    return report(__func__, r, &err);
}

doca_error_t EC_NAME(allocate_init)(struct doca_ec *ec, const struct doca_ec_matrix *matrix,
                                    const struct doca_buf *src, struct doca_buf *dst,
                                    union doca_data user_data, EC_TASK **task)
{
    if (!ec || !task)
        return REFUSED_NULL(ec, task);
    struct doca_task *taken = task_take(&ec->ctx, EC_TYPE, user_data);
    if (!taken)
        return task_not_taken(__func__, &ec->ctx, EC_TYPE);
    struct ec_task *inside = container_of(taken, struct ec_task, task);
    ec_task_set_matrix(inside, matrix);
    inside->src = src;
    inside->dst = dst;
    *task = container_of(inside, EC_TASK, ec);
    return DOCA_SUCCESS;
}

struct doca_task *EC_NAME(as_task)(EC_TASK *task)
{
    return task ? &task->ec.task : NULL;
}

// Says whether fields may be set.
static bool settable(const char *function, const EC_TASK *task)
{
    if (task)
        return task_settable(function, &task->ec.task);
    task_null(function);
    return false;
}

static bool given(const char *function, const EC_TASK *task)
{
    if (!task)
        task_null(function);
    return task;
}

void EC_NAME(EC_SET_MATRIX)(EC_TASK *task, const struct doca_ec_matrix *matrix)
{
    if (settable(__func__, task))
        ec_task_set_matrix(&task->ec, matrix);
}

const struct doca_ec_matrix *EC_NAME(EC_GET_MATRIX)(const EC_TASK *task)
{
    return given(__func__, task) ? ec_matrix_outside(task->ec.matrix) : NULL;
}

void EC_NAME(EC_SET_SRC)(EC_TASK *task, const struct doca_buf *src)
{
    if (settable(__func__, task))
        task->ec.src = src;
}

const struct doca_buf *EC_NAME(EC_GET_SRC)(const EC_TASK *task)
{
    return given(__func__, task) ? task->ec.src : NULL;
}

void EC_NAME(EC_SET_DST)(EC_TASK *task, struct doca_buf *dst)
{
    if (settable(__func__, task))
        task->ec.dst = dst;
}

struct doca_buf *EC_NAME(EC_GET_DST)(const EC_TASK *task)
{
    return given(__func__, task) ? task->ec.dst : NULL;
}

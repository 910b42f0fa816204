// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An erasure coding context of DOCA 3, and its tasks. The computing is that of
// client/erasure_coding.

#ifndef CLIENT_EC_TASKS_EC_CONTEXT_H
#define CLIENT_EC_TASKS_EC_CONTEXT_H

#include "erasure_coding/ec_job.h"
#include "progress/context.h"

#include <doca_erasure_coding.h>

#define EC_TASKS_MAX (1u << 16)

// The type of a task is also the enum ec_kind of its job.
#define EC_TASK_TYPES (EC_RECOVER_DATA + 1)

struct doca_ec {
    struct doca_ctx ctx;
};

// All kinds of tasks have this structure. The job is made of it when the task is submitted.
struct ec_task {
    struct doca_task task;
    struct ec_matrix *matrix;
    uint64_t matrix_number; // that it had when it was given
    const struct doca_buf *src;
    struct doca_buf *dst;
    struct ec_job job;
};

// Matrices are opaque to programs.
static inline struct ec_matrix *ec_matrix_inside(const struct doca_ec_matrix *matrix)
{
    return (struct ec_matrix *)(uintptr_t)matrix;
}

static inline struct doca_ec_matrix *ec_matrix_outside(const struct ec_matrix *matrix)
{
    return (struct doca_ec_matrix *)(uintptr_t)matrix;
}

// `matrix` may be NULL.
static inline void ec_task_set_matrix(struct ec_task *task, const struct doca_ec_matrix *matrix)
{
    task->matrix = ec_matrix_inside(matrix);
    task->matrix_number = matrix ? task->matrix->number : 0;
}

// task_kind.check, and work_ops.
doca_error_t ec_task_check(struct doca_task *task, struct errtext *err);
doca_error_t ec_task_prepare(struct work_item *item, const void *unused);

// Reports DOCA_ERROR_NOT_SUPPORTED, with the reason.
doca_error_t ec_task_absent(const char *function);

#endif

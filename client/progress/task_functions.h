// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The public functions that most kinds of tasks have, and that only differ in their names: a
// library has one line for each in place of a function. `kind` is the name of the structure that
// programs see, doca_x_task_y, which begins with a struct doca_task.

#ifndef CLIENT_PROGRESS_TASK_FUNCTIONS_H
#define CLIENT_PROGRESS_TASK_FUNCTIONS_H

#include "core/refused.h"
#include "task.h"

// doca_x_task_y_set_conf(). `configure` makes the library's checks, and calls task_configure(). The
// other names are those of the parameters, which are logged if they are NULL.
#define TASK_SET_CONF(kind, library, done, failed, configure, type)                                \
    doca_error_t kind##_set_conf(struct doca_##library *library, kind##_completion_cb_t done,      \
                                 kind##_completion_cb_t failed, uint32_t num_tasks)                \
    {                                                                                              \
        if (!library || !done || !failed)                                                          \
            return REFUSED_NULL(library, done, failed);                                            \
        return configure(__func__, library, type, (doca_task_completion_cb_t)done,                 \
                         (doca_task_completion_cb_t)failed, num_tasks);                            \
    }

#define TASK_AS_TASK(kind)                                                                         \
    struct doca_task *kind##_as_task(struct kind *task)                                            \
    {                                                                                              \
        return (struct doca_task *)task;                                                           \
    }

// A field: set while the task is not in flight. `of(task)` points to the structure that has it, and
// may be given a constant task.
#define TASK_SETTER(function, kind, type, of, member)                                              \
    void function(struct kind *task, type value)                                                   \
    {                                                                                              \
        if (!task)                                                                                 \
            task_null(__func__);                                                                   \
        else if (task_settable(__func__, (const struct doca_task *)task))                          \
            of(task)->member = value;                                                              \
    }

#define TASK_GETTER(function, kind, type, of, member)                                              \
    type function(const struct kind *task)                                                         \
    {                                                                                              \
        if (task)                                                                                  \
            return of(task)->member;                                                               \
        task_null(__func__);                                                                       \
        return (type)0;                                                                            \
    }

#define TASK_FIELD(kind, field, type, of, member)                                                  \
    TASK_SETTER(kind##_set_##field, kind, type, of, member)                                        \
    TASK_GETTER(kind##_get_##field, kind, type, of, member)

#endif

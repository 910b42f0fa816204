// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One context of a library on a progress engine of its own, and tasks that are run to their end.
// Buffers and engines come from dma_rig.h.

#ifndef TESTS_TASK_RUNS_H
#define TESTS_TASK_RUNS_H

#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_pe.h>

#include <stdbool.h>

extern struct doca_pe *pe;
extern struct doca_ctx *lib_ctx;
extern unsigned n_over;   // tasks whose callback was called
extern doca_error_t last; // the result of the last one

// Callbacks for tasks of a kind, NAME_done() and NAME_failed().
#define TASK_CALLBACKS(library, name)                                                              \
    TASK_CALLBACK(library, name, name##_done, true)                                                \
    TASK_CALLBACK(library, name, name##_failed, false)

#define TASK_CALLBACK(library, name, callback, good)                                               \
    static void callback(struct library##_task_##name *task, union doca_data data,                 \
                         union doca_data ctx_data)                                                 \
    {                                                                                              \
        (void)data;                                                                                \
        (void)ctx_data;                                                                            \
        task_over(library##_task_##name##_as_task(task), good);                                    \
    }

void task_over(struct doca_task *task, bool good);

// The context is not started yet.
void setup_runs(struct doca_ctx *of);
// Before the context is destroyed it is stopped, the engine after that.
void stop_runs(void);
void teardown_runs(void);

// Starts the context; long tasks are computed by so many worker threads.
void start_with_workers(int n);
// The same, anew.
void use_workers(int n);

// Submits a task and waits until it is over.
doca_error_t run(struct doca_task *task);
doca_error_t run_and_free(struct doca_task *task);

#endif

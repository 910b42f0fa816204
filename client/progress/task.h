// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks. A task is a work item with a state: submitting it queues its item, and copies nothing. A
// context has a pool for each kind of task, an array that set_conf allocates.
//
// To add a kind of task to a library (dma_tasks/ is an example, and task_functions.h has most of
// these functions as one line each):
//
//     struct doca_x_task_y {
//         struct doca_task task;   // what fits into its item's `job` need not be here
//     };
//
//     ..._set_conf()     task_configure()
//     ..._alloc_init()   task_take(), or task_not_taken() if it returns NULL; fills in the fields
//     ..._set_z()        task_settable(), then the field
//     ..._as_task()      &y->task
//
// and a row in the context's table of task kinds, see context.h. The work itself is in the
// context's work_ops: `item->type` is the row.

#ifndef CLIENT_PROGRESS_TASK_H
#define CLIENT_PROGRESS_TASK_H

#include "card_keys.h"
#include "queue/executor.h"

#include <doca_pe.h>

enum task_state {
    TASK_FREE,      // in its pool
    TASK_HELD,      // the program's: allocated, or done
    TASK_IN_FLIGHT, // ours, from a successful submission until the callback
    TASK_RELEASED,  // the program has freed it in flight; it goes to its pool after its callback
    TASK_OWNED,     // in flight on behalf of a task_owner
};

struct doca_task;

// An object that submits tasks of the program and gets their completions in place of the program: a
// graph. `user_data` keeps what the task had.
struct task_owner {
    void (*done)(struct task_owner *owner, struct doca_task *task);
    union doca_data user_data;
};

struct doca_task {
    struct work_item item; // its `state` is an enum task_state, its `type` the pool's index
};

// The common part of all tasks of one kind.
struct task_kind {
    const char *name;    // in texts: "memcpy"
    size_t size;         // of the library's structure, which begins with a struct doca_task
    uint32_t max;        // the most tasks of a context
    enum card_key needs; // what the card must have; CARD_NONE: nothing
    // A task that fails takes its context to STOPPING.
    bool fatal;
    // For doca_task_try_submit(): returns why the task could not work. The program gets
    // DOCA_ERROR_INVALID_VALUE, whatever the code. NULL: any task could.
    doca_error_t (*check)(struct doca_task *task, struct errtext *err);
};

struct task_pool {
    struct work_item *free;
    // Functions of the program. Their first argument is a pointer to the library's structure,
    // which begins with the task.
    doca_task_completion_cb_t done, failed;
    const struct task_kind *kind;
    unsigned char *tasks;
    uint32_t n, out;
} __attribute__((aligned(64)));

struct doca_ctx;

// The common part of ..._set_conf(): makes `n` tasks in place of those of an earlier call. The
// callbacks have been checked. DOCA_ERROR_BAD_STATE unless the context is idle; DOCA_ERROR_IN_USE
// while tasks of the earlier call are allocated; DOCA_ERROR_INVALID_VALUE for no tasks or too many;
// DOCA_ERROR_NO_MEMORY; DOCA_ERROR_NOT_SUPPORTED if the device's card lacks what the tasks need.
doca_error_t task_configure(struct doca_ctx *ctx, uint32_t type, doca_task_completion_cb_t done,
                            doca_task_completion_cb_t failed, uint32_t n, struct errtext *err);

// Frees the tasks of all pools.
void task_pools_free(struct doca_ctx *ctx);

// Ends a ..._alloc_init() whose task_take() returned NULL: DOCA_ERROR_BAD_STATE if the context does
// not run or has no tasks of this kind, DOCA_ERROR_NO_MEMORY if all are allocated.
doca_error_t task_not_taken(const char *function, const struct doca_ctx *ctx, uint32_t type)
    __attribute__((noinline, cold));

// For setters: returns false, and logs a line, if the task is in flight.
bool task_not_settable(const char *function) __attribute__((noinline, cold));

static inline bool task_settable(const char *function, const struct doca_task *task)
{
    return __builtin_expect(task->item.state < TASK_IN_FLIGHT, 1) || task_not_settable(function);
}

// For functions that return nothing, or a value: logs that an argument is NULL.
void task_null(const char *function) __attribute__((noinline, cold));

// Submits a task that the program holds, on behalf of the owner. Returns the errors of
// doca_task_submit(), without a line; then nothing has happened.
doca_error_t task_submit_owned(struct doca_task *task, struct task_owner *owner);

// Returns whether doca_task_submit() would take the task as far as its state goes.
bool task_submittable(const struct doca_task *task);

// The distance of tasks in their pool: they begin at cache lines.
static inline size_t task_stride(const struct task_kind *kind)
{
    size_t line = _Alignof(struct work_item);
    return (kind->size + line - 1) / line * line;
}

// Returns the task at an index of the pool, whatever its state.
static inline const struct doca_task *task_at(const struct task_pool *pool, uint32_t i)
{
    return (const struct doca_task *)(pool->tasks + i * task_stride(pool->kind));
}

static inline struct doca_task *task_of(struct work_item *item)
{
    return (struct doca_task *)item; // it begins with it
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "task_rig.h"

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>
#include <stdlib.h>

struct task_rig {
    struct doca_pe *pe;
    struct doca_dma *contexts[TASK_CONTEXTS_MAX];
    unsigned n_contexts;
    uint32_t *free, *n_free;
    doca_error_t failure;
};

static void done(struct doca_dma_task_memcpy *task, union doca_data number, union doca_data rig)
{
    struct task_rig *tasks = rig.ptr;
    (void)task;
    tasks->free[(*tasks->n_free)++] = (uint32_t)number.u64;
}

static void failed(struct doca_dma_task_memcpy *task, union doca_data number, union doca_data rig)
{
    struct task_rig *tasks = rig.ptr;
    if (tasks->failure == DOCA_SUCCESS)
        tasks->failure = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    done(task, number, rig);
}

static bool open_context(struct task_rig *tasks, struct doca_dev *dev, uint32_t depth,
                         struct problem *problem)
{
    struct doca_dma *dma;
    union doca_data rig = {.ptr = tasks};

    DOCA_TRY(problem, doca_dma_create, dev, &dma);
    tasks->contexts[tasks->n_contexts++] = dma;
    DOCA_TRY(problem, doca_pe_connect_ctx, tasks->pe, doca_dma_as_ctx(dma));
    DOCA_TRY(problem, doca_dma_task_memcpy_set_conf, dma, done, failed, depth);
    DOCA_TRY(problem, doca_ctx_set_user_data, doca_dma_as_ctx(dma), rig);
    DOCA_TRY(problem, doca_ctx_start, doca_dma_as_ctx(dma));
    return true;
}

bool task_rig_open(struct task_rig **out, struct doca_dev *dev, unsigned contexts, uint32_t depth,
                   uint32_t *free, uint32_t *n_free, struct problem *problem)
{
    struct task_rig *tasks = calloc(1, sizeof(*tasks));
    if (!tasks)
        return problem_set(problem, "out of memory");
    *out = tasks; // closed by the caller, also after a failure
    tasks->free = free;
    tasks->n_free = n_free;
    DOCA_TRY(problem, doca_pe_create, &tasks->pe);
    for (unsigned i = 0; i < contexts; i++)
        if (!open_context(tasks, dev, depth, problem))
            return false;
    return true;
}

void task_rig_close(struct task_rig *tasks)
{
    if (!tasks)
        return;
    for (unsigned i = 0; i < tasks->n_contexts; i++) {
        while (doca_ctx_stop(doca_dma_as_ctx(tasks->contexts[i])) == DOCA_ERROR_IN_PROGRESS)
            (void)doca_pe_progress(tasks->pe);
        doca_dma_destroy(tasks->contexts[i]);
    }
    if (tasks->pe)
        doca_pe_destroy(tasks->pe);
    free(tasks);
}

bool task_rig_task(struct task_rig *tasks, uint32_t number, struct doca_buf *from,
                   struct doca_buf *to, struct doca_dma_task_memcpy **out, struct problem *problem)
{
    struct doca_dma *dma = tasks->contexts[number % tasks->n_contexts];
    union doca_data data = {.u64 = number};
    DOCA_TRY(problem, doca_dma_task_memcpy_alloc_init, dma, from, to, data, out);
    return true;
}

void task_rig_free(struct doca_dma_task_memcpy *task)
{
    if (task)
        doca_task_free(doca_dma_task_memcpy_as_task(task));
}

bool task_rig_submit(struct doca_dma_task_memcpy *task, struct problem *problem)
{
    doca_error_t result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    return result == DOCA_SUCCESS || problem_doca(problem, "doca_task_submit", result);
}

bool task_rig_progress(struct task_rig *tasks)
{
    return doca_pe_progress(tasks->pe);
}

bool task_rig_failed(const struct task_rig *tasks, struct problem *problem)
{
    if (tasks->failure != DOCA_SUCCESS)
        problem_doca(problem, "a task failed", tasks->failure);
    return tasks->failure != DOCA_SUCCESS;
}

int task_rig_handle(struct task_rig *tasks)
{
    doca_notification_handle_t handle = -1;
    doca_pe_get_notification_handle(tasks->pe, &handle);
    return handle;
}

bool task_rig_request(struct task_rig *tasks, struct problem *problem)
{
    DOCA_TRY(problem, doca_pe_request_notification, tasks->pe);
    return true;
}

bool task_rig_clear(struct task_rig *tasks, struct problem *problem)
{
    DOCA_TRY(problem, doca_pe_clear_notification, tasks->pe, 0);
    return true;
}

bool task_rig_pairs(struct task_rig *tasks, uint64_t n, struct problem *problem)
{
    union doca_data none = {0};
    for (uint64_t i = 0; i < n; i++) {
        struct doca_dma_task_memcpy *task;
        DOCA_TRY(problem, doca_dma_task_memcpy_alloc_init, tasks->contexts[0], NULL, NULL, none,
                 &task);
        doca_task_free(doca_dma_task_memcpy_as_task(task));
    }
    return true;
}

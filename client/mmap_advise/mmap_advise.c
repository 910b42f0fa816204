// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_mmap_advise: tasks that make a device drop cached data of a buffer. All accesses to memory
// here are coherent, so such a task only checks its buffer.

#include "buf/buf.h"
#include "progress/context.h"
#include "progress/task_functions.h"

#include <doca_mmap_advise.h>

#define ADVISE_TASKS_MAX 65536u

struct doca_mmap_advise {
    struct doca_ctx ctx;
};

struct doca_mmap_advise_task_invalidate_cache {
    struct doca_task task;
};

enum { TASK_INVALIDATE_CACHE };

struct advise_job {
    struct doca_buf *buf;
};

static struct advise_job *job_of(const struct doca_mmap_advise_task_invalidate_cache *task)
{
    return (struct advise_job *)task->task.item.job;
}

// ---- the task ----------------------------------------------------------------------------

static doca_error_t check(const struct work_item *item, struct errtext *err)
{
    const struct doca_buf *buf = ((const struct advise_job *)item->job)->buf;

    if (!buf_is_out(buf))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the buffer is NULL or was given back");
    if (!buf_has_device(buf, item->link->device))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the buffer's memory map does not have the context's device");
    return memory_state(buf->memory) == DOCA_SUCCESS
               ? DOCA_SUCCESS
               : errtext_set(err, memory_state(buf->memory), "the buffer's memory has ended");
}

static doca_error_t check_task(struct doca_task *task, struct errtext *err)
{
    return check(&task->item, err);
}

static enum work_status execute(struct work_item *item)
{
    struct errtext err;

    item->error = check(item, &err);
    if (item->error != DOCA_SUCCESS)
        report("invalidate cache task", item->error, &err);
    return WORK_DONE;
}

static const struct task_kind tasks[] = {
    [TASK_INVALIDATE_CACHE] = {.name = "invalidate cache",
                               .size = sizeof(struct doca_mmap_advise_task_invalidate_cache),
                               .max = ADVISE_TASKS_MAX,
                               .check = check_task},
};

static const struct ctx_kind kind = {
    .name = "mmap advise",
    .work = {.library = WORK_LIBRARY_MMAP_ADVISE, .execute = execute},
    .tasks = tasks,
    .n_tasks = ARRAY_SIZE(tasks),
};

// ---- the context -------------------------------------------------------------------------

doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise)
{
    if (!dev || !mmap_advise)
        return REFUSED_NULL(dev, mmap_advise);
    struct doca_mmap_advise *made = aligned_alloc(64, (sizeof(*made) + 63) & ~(size_t)63);
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    context_init(&made->ctx, &kind, dev);
    *mmap_advise = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise)
{
    struct errtext err;

    if (!mmap_advise)
        return REFUSED_NULL(mmap_advise);
    doca_error_t r = context_fini(&mmap_advise->ctx, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    free(mmap_advise);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise)
{
    return mmap_advise ? &mmap_advise->ctx : NULL;
}

doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo)
{
    return devinfo ? DOCA_SUCCESS : REFUSED_NULL(devinfo);
}

doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                        uint64_t *buf_size)
{
    if (!devinfo || !buf_size)
        return REFUSED_NULL(devinfo, buf_size);
    *buf_size = UINT64_MAX;
    return DOCA_SUCCESS;
}

// ---- the task's interface ----------------------------------------------------------------

doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
    struct doca_mmap_advise *mmap_advise,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks)
{
    struct errtext err;

    if (!mmap_advise || !completion_cb || !error_cb)
        return REFUSED_NULL(mmap_advise, completion_cb, error_cb);
    doca_error_t r = task_configure(&mmap_advise->ctx, TASK_INVALIDATE_CACHE,
                                    (doca_task_completion_cb_t)completion_cb,
                                    (doca_task_completion_cb_t)error_cb, num_tasks, &err);
    // The code that the interface names for a context that is started.
    return report(__func__, r == DOCA_ERROR_BAD_STATE ? DOCA_ERROR_NOT_PERMITTED : r, &err);
}

doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
    struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
    struct doca_mmap_advise_task_invalidate_cache **task)
{
    if (!mmap_advise || !task)
        return REFUSED_NULL(mmap_advise, task);
    struct doca_task *taken = task_take(&mmap_advise->ctx, TASK_INVALIDATE_CACHE, user_data);
    if (!taken)
        return task_not_taken(__func__, &mmap_advise->ctx, TASK_INVALIDATE_CACHE);
    *task = (struct doca_mmap_advise_task_invalidate_cache *)taken;
    job_of(*task)->buf = buf;
    return DOCA_SUCCESS;
}

struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
    struct doca_mmap_advise_task_invalidate_cache *task)
{
    return task ? &task->task : NULL;
}

TASK_FIELD(doca_mmap_advise_task_invalidate_cache, buf, struct doca_buf *, job_of, buf)

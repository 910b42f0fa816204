// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The common part of hash tasks and partial hash tasks.

#include "sha_context.h"

#include "core/refused.h"

_Static_assert((int)DOCA_SHA_ALGORITHM_SHA1 == (int)SHA_1 &&
                   (int)DOCA_SHA_ALGORITHM_SHA256 == (int)SHA_256 &&
                   (int)DOCA_SHA_ALGORITHM_SHA512 == (int)SHA_512,
               "the same numbers");

doca_error_t sha_task_configure(const char *function, struct doca_sha *sha, uint32_t type,
                                doca_task_completion_cb_t done, doca_task_completion_cb_t failed,
                                uint8_t log_num_tasks)
{
    struct errtext err;
    doca_error_t r;

    if (log_num_tasks > 31)
        r = errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                        "a SHA context can have 1 to %u tasks of a kind, not 2^%u", SHA_TASKS_MAX,
                        log_num_tasks);
    else
        r = task_configure(&sha->ctx, type, done, failed, 1u << log_num_tasks, &err);
    return report(function, r, &err);
}

doca_error_t sha_task_take(const char *function, struct doca_sha *sha, uint32_t type,
                           const struct sha_fields *fields, union doca_data user_data,
                           struct sha_task **out)
{
    if (!sha_algorithm_known(fields->algorithm))
        return refused(function, "there is no such algorithm");
    struct doca_task *taken = task_take(&sha->ctx, type, user_data);
    if (!taken)
        return task_not_taken(function, &sha->ctx, type);
    struct sha_task *task = container_of(taken, struct sha_task, task);
    task->fields = *fields;
    sha_job_set(&taken->item, &task->job);
    *out = task;
    return DOCA_SUCCESS;
}

doca_error_t sha_task_settable(const char *function, const struct sha_task *task, doca_error_t code)
{
    if (task->task.item.state < TASK_IN_FLIGHT)
        return DOCA_SUCCESS;
    return report_why(function, code,
                      "the task is in flight: nothing is changed; wait for its callback");
}

// ---- work ----------------------------------------------------------------------------

// NULL: it is a hash task.
static struct doca_sha_task_partial_hash *partial_of(struct work_item *item)
{
    struct sha_task *task = container_of(task_of(item), struct sha_task, task);

    return item->type == SHA_TASK_PARTIAL_HASH
               ? container_of(task, struct doca_sha_task_partial_hash, sha)
               : NULL;
}

static doca_error_t check(struct sha_task *sha, const struct doca_buf *src,
                          const struct doca_buf *dst, struct errtext *err)
{
    const struct doca_sha_task_partial_hash *partial = partial_of(&sha->task.item);

    if (partial) {
        doca_error_t r = sha_partial_check(partial, err);
        if (r != DOCA_SUCCESS)
            return r;
    }
    const struct doca_dev *dev = sha->task.item.link->device;
    const char *wrong =
        sha_wrong_buffers(dev_card(dev), src, dst, (enum sha_algorithm)sha->fields.algorithm,
                          partial && !partial->last);
    if (!wrong)
        return DOCA_SUCCESS;
    return errtext_set(err, wrong == sha_too_long ? dev_over_limit(dev) : DOCA_ERROR_INVALID_VALUE,
                       "%s", wrong);
}

doca_error_t sha_task_check(struct doca_task *task, struct errtext *err)
{
    struct sha_task *sha = container_of(task, struct sha_task, task);

    return check(sha, sha->fields.src, sha->fields.dst, err);
}

// A task that was flushed is as it was.
static void part_over(struct sha_job *job)
{
    if (job->item->error != DOCA_ERROR_SHUTDOWN)
        sha_partial_over(partial_of(job->item));
}

doca_error_t sha_task_prepare(struct work_item *item, const void *unused)
{
    const struct sha_task *sha = container_of(task_of(item), struct sha_task, task);
    struct doca_sha_task_partial_hash *partial = partial_of(item);
    struct sha_job *job = sha_job_of(item);

    (void)unused;
    job->item = item;
    job->session = partial ? &partial->message : NULL;
    job->algorithm = (uint8_t)sha->fields.algorithm;
    job->final = !partial || partial->last;
    job->phase = SHA_QUEUED;
    job->error = DOCA_SUCCESS;
    job->over = partial ? part_over : NULL;
    if (partial) // a task is in flight once
        job->ticket = partial->message.executed;
    return sha_take_buffers(job, sha->fields.src, sha->fields.dst);
}

enum work_status sha_task_execute(struct work_item *item)
{
    struct sha_job *job = sha_job_of(item);
    struct errtext err;

    if (job->phase != SHA_QUEUED)
        return sha_execute(item);
    doca_error_t r =
        check(container_of(task_of(item), struct sha_task, task), job->src, job->response, &err);
    if (r == DOCA_SUCCESS)
        return sha_execute(item);
    job->session = NULL; // the message continues with another part
    return sha_failed(item, r, &err);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The partial hash task: a message in parts. One task is submitted again and again, each time with
// the next part; the digest comes with the last.

#include "sha_context.h"

#include "core/refused.h"

doca_error_t doca_sha_task_partial_hash_set_conf(
    struct doca_sha *sha, doca_sha_task_partial_hash_completion_cb_t task_completion_cb,
    doca_sha_task_partial_hash_completion_cb_t task_error_cb, uint8_t log_num_tasks)
{
    if (!sha || !task_completion_cb || !task_error_cb)
        return REFUSED_NULL(sha, task_completion_cb, task_error_cb);
    return sha_task_configure(__func__, sha, SHA_TASK_PARTIAL_HASH,
                              (doca_task_completion_cb_t)task_completion_cb,
                              (doca_task_completion_cb_t)task_error_cb, log_num_tasks);
}

static void new_message(struct doca_sha_task_partial_hash *task)
{
    // The digest need not be cleared: the first part overwrites it.
    task->message.started = task->message.failed = false;
    task->message.submitted = task->message.executed = 0;
    task->last = task->ended = task->has_result = false;
}

doca_error_t doca_sha_task_partial_hash_alloc_init(
    struct doca_sha *sha, enum doca_sha_algorithm algorithm, const struct doca_buf *src_buf,
    struct doca_buf *dst_buf, union doca_data user_data, struct doca_sha_task_partial_hash **task)
{
    struct sha_fields fields = {.src = src_buf, .dst = dst_buf, .algorithm = algorithm};
    struct sha_task *taken;

    if (!sha || !task)
        return REFUSED_NULL(sha, task);
    doca_error_t r =
        sha_task_take(__func__, sha, SHA_TASK_PARTIAL_HASH, &fields, user_data, &taken);
    if (r != DOCA_SUCCESS)
        return r;
    *task = container_of(taken, struct doca_sha_task_partial_hash, sha);
    new_message(*task);
    return DOCA_SUCCESS;
}

struct doca_task *doca_sha_task_partial_hash_as_task(struct doca_sha_task_partial_hash *task)
{
    return task ? &task->sha.task : NULL;
}

// ---- a part --------------------------------------------------------------------------

doca_error_t sha_partial_check(const struct doca_sha_task_partial_hash *task, struct errtext *err)
{
    if (task->ended)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the message has had its last part; begin another one with "
                           "doca_sha_task_partial_hash_reset()");
    return DOCA_SUCCESS;
}

void sha_partial_over(struct doca_sha_task_partial_hash *task)
{
    task->ended = task->last;
    task->has_result = task->last && task->sha.task.item.error == DOCA_SUCCESS;
}

static bool in_message(const struct doca_sha_task_partial_hash *task)
{
    return task->message.started && !task->ended;
}

// ---- fields --------------------------------------------------------------------------

doca_error_t doca_sha_task_partial_hash_reset(struct doca_sha_task_partial_hash *task)
{
    if (!task)
        return REFUSED_NULL(task);
    doca_error_t r = sha_task_settable(__func__, &task->sha, DOCA_ERROR_INVALID_VALUE);
    if (r == DOCA_SUCCESS)
        new_message(task);
    return r;
}

doca_error_t doca_sha_task_partial_hash_set_src(struct doca_sha_task_partial_hash *task,
                                                const struct doca_buf *src_buf)
{
    if (!task || !src_buf)
        return REFUSED_NULL(task, src_buf);
    doca_error_t r = sha_task_settable(__func__, &task->sha, DOCA_ERROR_INVALID_VALUE);
    if (r == DOCA_SUCCESS)
        task->sha.fields.src = src_buf;
    return r;
}

doca_error_t doca_sha_task_partial_hash_set_dst(struct doca_sha_task_partial_hash *task,
                                                struct doca_buf *dst_buf)
{
    if (!task || !dst_buf)
        return REFUSED_NULL(task, dst_buf);
    doca_error_t r = sha_task_settable(__func__, &task->sha, DOCA_ERROR_BAD_STATE);
    if (r == DOCA_SUCCESS)
        task->sha.fields.dst = dst_buf;
    return r;
}

doca_error_t doca_sha_task_partial_hash_set_algorithm(struct doca_sha_task_partial_hash *task,
                                                      enum doca_sha_algorithm algorithm)
{
    if (!task)
        return REFUSED_NULL(task);
    if (!sha_algorithm_known(algorithm))
        return refused(__func__, "there is no such algorithm");
    doca_error_t r = sha_task_settable(__func__, &task->sha, DOCA_ERROR_BAD_STATE);
    if (r != DOCA_SUCCESS)
        return r;
    if (in_message(task))
        return report_why(__func__, DOCA_ERROR_BAD_STATE,
                          "the task is in the middle of a message; see "
                          "doca_sha_task_partial_hash_reset()");
    task->sha.fields.algorithm = algorithm;
    return DOCA_SUCCESS;
}

doca_error_t doca_sha_task_partial_hash_set_is_final_buf(struct doca_sha_task_partial_hash *task)
{
    if (!task)
        return REFUSED_NULL(task);
    doca_error_t r = sha_task_settable(__func__, &task->sha, DOCA_ERROR_BAD_STATE);
    if (r != DOCA_SUCCESS)
        return r;
    if (!in_message(task))
        return report_why(__func__, DOCA_ERROR_BAD_STATE,
                          "the first part of a message cannot be its last; hash it with a hash "
                          "task");
    task->last = true;
    return DOCA_SUCCESS;
}

const struct doca_buf *
doca_sha_task_partial_hash_get_src(const struct doca_sha_task_partial_hash *task)
{
    if (task)
        return task->sha.fields.src;
    task_null(__func__);
    return NULL;
}

const struct doca_buf *
doca_sha_task_partial_hash_get_dst(const struct doca_sha_task_partial_hash *task)
{
    if (task)
        return task->sha.fields.dst;
    task_null(__func__);
    return NULL;
}

enum doca_sha_algorithm
doca_sha_task_partial_hash_get_algorithm(const struct doca_sha_task_partial_hash *task)
{
    if (task)
        return task->sha.fields.algorithm;
    task_null(__func__);
    return DOCA_SHA_ALGORITHM_SHA1;
}

uint8_t doca_sha_task_partial_hash_get_is_final(const struct doca_sha_task_partial_hash *task)
{
    if (task)
        return task->last;
    task_null(__func__);
    return 0;
}

uint8_t doca_sha_task_partial_hash_get_has_result(const struct doca_sha_task_partial_hash *task)
{
    if (task)
        return task->has_result;
    task_null(__func__);
    return 0;
}

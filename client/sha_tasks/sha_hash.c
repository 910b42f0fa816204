// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The hash task: a whole message.

#include "sha_context.h"

#include "core/refused.h"

doca_error_t doca_sha_task_hash_set_conf(struct doca_sha *sha,
                                         doca_sha_task_hash_completion_cb_t task_completion_cb,
                                         doca_sha_task_hash_completion_cb_t task_error_cb,
                                         uint8_t log_num_tasks)
{
    if (!sha || !task_completion_cb || !task_error_cb)
        return REFUSED_NULL(sha, task_completion_cb, task_error_cb);
    return sha_task_configure(__func__, sha, SHA_TASK_HASH,
                              (doca_task_completion_cb_t)task_completion_cb,
                              (doca_task_completion_cb_t)task_error_cb, log_num_tasks);
}

doca_error_t doca_sha_task_hash_alloc_init(struct doca_sha *sha, enum doca_sha_algorithm algorithm,
                                           const struct doca_buf *src_buf, struct doca_buf *dst_buf,
                                           union doca_data user_data,
                                           struct doca_sha_task_hash **task)
{
    struct sha_fields fields = {.src = src_buf, .dst = dst_buf, .algorithm = algorithm};
    struct sha_task *taken;

    if (!sha || !task)
        return REFUSED_NULL(sha, task);
    doca_error_t r = sha_task_take(__func__, sha, SHA_TASK_HASH, &fields, user_data, &taken);
    if (r == DOCA_SUCCESS)
        *task = container_of(taken, struct doca_sha_task_hash, sha);
    return r;
}

struct doca_task *doca_sha_task_hash_as_task(struct doca_sha_task_hash *task)
{
    return task ? &task->sha.task : NULL;
}

doca_error_t doca_sha_task_hash_set_src(struct doca_sha_task_hash *task,
                                        const struct doca_buf *src_buf)
{
    if (!task || !src_buf)
        return REFUSED_NULL(task, src_buf);
    doca_error_t r = sha_task_settable(__func__, &task->sha, DOCA_ERROR_INVALID_VALUE);
    if (r == DOCA_SUCCESS)
        task->sha.fields.src = src_buf;
    return r;
}

doca_error_t doca_sha_task_hash_set_dst(struct doca_sha_task_hash *task, struct doca_buf *dst_buf)
{
    if (!task || !dst_buf)
        return REFUSED_NULL(task, dst_buf);
    doca_error_t r = sha_task_settable(__func__, &task->sha, DOCA_ERROR_INVALID_VALUE);
    if (r == DOCA_SUCCESS)
        task->sha.fields.dst = dst_buf;
    return r;
}

doca_error_t doca_sha_task_hash_set_algorithm(struct doca_sha_task_hash *task,
                                              enum doca_sha_algorithm algorithm)
{
    if (!task)
        return REFUSED_NULL(task);
    if (!sha_algorithm_known(algorithm))
        return refused(__func__, "there is no such algorithm");
    doca_error_t r = sha_task_settable(__func__, &task->sha, DOCA_ERROR_INVALID_VALUE);
    if (r == DOCA_SUCCESS)
        task->sha.fields.algorithm = algorithm;
    return r;
}

const struct doca_buf *doca_sha_task_hash_get_src(const struct doca_sha_task_hash *task)
{
    if (task)
        return task->sha.fields.src;
    task_null(__func__);
    return NULL;
}

const struct doca_buf *doca_sha_task_hash_get_dst(const struct doca_sha_task_hash *task)
{
    if (task)
        return task->sha.fields.dst;
    task_null(__func__);
    return NULL;
}

enum doca_sha_algorithm doca_sha_task_hash_get_algorithm(const struct doca_sha_task_hash *task)
{
    if (task)
        return task->sha.fields.algorithm;
    task_null(__func__);
    return DOCA_SHA_ALGORITHM_SHA1;
}

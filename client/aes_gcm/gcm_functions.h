// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The public functions of one kind of task: of encrypt tasks in gcm_encrypt.c, of decrypt tasks in
// gcm_decrypt.c. They are the same but for their names. Before it is included:
//
//     GCM_NAME(rest)   doca_aes_gcm_task_encrypt_##rest
//     GCM_TASK         struct doca_aes_gcm_task_encrypt
//     GCM_TYPE         GCM_TASK_ENCRYPT

#include "core/refused.h"
#include "gcm_context.h"

doca_error_t GCM_NAME(set_conf)(struct doca_aes_gcm *aes_gcm,
                                GCM_NAME(completion_cb_t) task_completion_cb,
                                GCM_NAME(completion_cb_t) task_error_cb, uint32_t num_tasks)
{
    struct errtext err;

    if (!aes_gcm || !task_completion_cb || !task_error_cb)
        return REFUSED_NULL(aes_gcm, task_completion_cb, task_error_cb);
    doca_error_t r =
        task_configure(&aes_gcm->ctx, GCM_TYPE, (doca_task_completion_cb_t)task_completion_cb,
                       (doca_task_completion_cb_t)task_error_cb, num_tasks, &err);
    return report(__func__, r, &err);
}

doca_error_t GCM_NAME(alloc_init)(struct doca_aes_gcm *aes_gcm, const struct doca_buf *src_buff,
                                  struct doca_buf *dst_buff, struct doca_aes_gcm_key *key,
                                  const uint8_t *iv, uint32_t iv_length, uint32_t tag_size,
                                  uint32_t aad_size, union doca_data user_data, GCM_TASK **task)
{
    if (!aes_gcm || !task)
        return REFUSED_NULL(aes_gcm, task);
    struct doca_task *taken = task_take(&aes_gcm->ctx, GCM_TYPE, user_data);
    if (!taken)
        return task_not_taken(__func__, &aes_gcm->ctx, GCM_TYPE);
    struct gcm_task *gcm = container_of(taken, struct gcm_task, task);
    gcm->src = src_buff;
    gcm->dst = dst_buff;
    gcm_set_key(gcm, key);
    gcm->iv = iv;
    gcm->iv_length = iv_length;
    gcm->tag_size = tag_size;
    gcm->aad_size = aad_size;
    *task = container_of(gcm, GCM_TASK, gcm);
    return DOCA_SUCCESS;
}

struct doca_task *GCM_NAME(as_task)(GCM_TASK *task)
{
    return task ? &task->gcm.task : NULL;
}

// Says whether fields may be set.
static bool settable(const char *function, const GCM_TASK *task)
{
    if (task)
        return task_settable(function, &task->gcm.task);
    task_null(function);
    return false;
}

static bool given(const char *function, const GCM_TASK *task)
{
    if (!task)
        task_null(function);
    return task;
}

void GCM_NAME(set_src)(GCM_TASK *task, const struct doca_buf *src_buff)
{
    if (settable(__func__, task))
        task->gcm.src = src_buff;
}

const struct doca_buf *GCM_NAME(get_src)(const GCM_TASK *task)
{
    return given(__func__, task) ? task->gcm.src : NULL;
}

void GCM_NAME(set_dst)(GCM_TASK *task, struct doca_buf *dst_buff)
{
    if (settable(__func__, task))
        task->gcm.dst = dst_buff;
}

struct doca_buf *GCM_NAME(get_dst)(const GCM_TASK *task)
{
    return given(__func__, task) ? task->gcm.dst : NULL;
}

void GCM_NAME(set_key)(GCM_TASK *task, struct doca_aes_gcm_key *key)
{
    if (settable(__func__, task))
        gcm_set_key(&task->gcm, key);
}

struct doca_aes_gcm_key *GCM_NAME(get_key)(const GCM_TASK *task)
{
    return given(__func__, task) ? task->gcm.key : NULL;
}

void GCM_NAME(set_iv)(GCM_TASK *task, const uint8_t *iv, uint32_t iv_length)
{
    if (!settable(__func__, task))
        return;
    task->gcm.iv = iv;
    task->gcm.iv_length = iv_length;
}

const uint8_t *GCM_NAME(get_iv)(const GCM_TASK *task, uint32_t *iv_length)
{
    if (!given(__func__, task))
        return NULL;
    if (iv_length)
        *iv_length = task->gcm.iv_length;
    return task->gcm.iv;
}

void GCM_NAME(set_tag_size)(GCM_TASK *task, uint32_t tag_size)
{
    if (settable(__func__, task))
        task->gcm.tag_size = tag_size;
}

uint32_t GCM_NAME(get_tag_size)(const GCM_TASK *task)
{
    return given(__func__, task) ? task->gcm.tag_size : 0;
}

void GCM_NAME(set_aad_size)(GCM_TASK *task, uint32_t aad_size)
{
    if (settable(__func__, task))
        task->gcm.aad_size = aad_size;
}

uint32_t GCM_NAME(get_aad_size)(const GCM_TASK *task)
{
    return given(__func__, task) ? task->gcm.aad_size : 0;
}

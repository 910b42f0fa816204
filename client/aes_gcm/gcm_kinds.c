// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions of doca_aes_gcm.h for both kinds of tasks, which only differ in their names.

#include "gcm_context.h"

#include "progress/task_functions.h"

static doca_error_t configure(const char *function, struct doca_aes_gcm *aes_gcm, uint32_t type,
                              doca_task_completion_cb_t done, doca_task_completion_cb_t failed,
                              uint32_t n)
{
    struct errtext err;

    return report(function, task_configure(&aes_gcm->ctx, type, done, failed, n, &err), &err);
}

static struct gcm_task *fields(const void *task)
{
    return (struct gcm_task *)(uintptr_t)task;
}

#define SET_CONF(kind, type)                                                                       \
    TASK_SET_CONF(kind, aes_gcm, task_completion_cb, task_error_cb, configure, type)

#define ALLOC_INIT(kind, type)                                                                     \
    doca_error_t kind##_alloc_init(                                                                \
        struct doca_aes_gcm *aes_gcm, const struct doca_buf *src_buff, struct doca_buf *dst_buff,  \
        struct doca_aes_gcm_key *key, const uint8_t *iv, uint32_t iv_length, uint32_t tag_size,    \
        uint32_t aad_size, union doca_data user_data, struct kind **task)                          \
    {                                                                                              \
        if (!aes_gcm || !task)                                                                     \
            return REFUSED_NULL(aes_gcm, task);                                                    \
        struct doca_task *taken = task_take(&aes_gcm->ctx, type, user_data);                       \
        if (!taken)                                                                                \
            return task_not_taken(__func__, &aes_gcm->ctx, type);                                  \
        struct gcm_task *gcm = fields(taken);                                                      \
        gcm->src = src_buff;                                                                       \
        gcm->dst = dst_buff;                                                                       \
        gcm_set_key(gcm, key);                                                                     \
        gcm->iv = iv;                                                                              \
        gcm->iv_length = iv_length;                                                                \
        gcm->tag_size = tag_size;                                                                  \
        gcm->aad_size = aad_size;                                                                  \
        *task = (struct kind *)gcm;                                                                \
        return DOCA_SUCCESS;                                                                       \
    }

#define SET_KEY(kind)                                                                              \
    void kind##_set_key(struct kind *task, struct doca_aes_gcm_key *key)                           \
    {                                                                                              \
        if (!task)                                                                                 \
            task_null(__func__);                                                                   \
        else if (task_settable(__func__, &fields(task)->task))                                     \
            gcm_set_key(fields(task), key);                                                        \
    }

#define IV(kind)                                                                                   \
    void kind##_set_iv(struct kind *task, const uint8_t *iv, uint32_t iv_length)                   \
    {                                                                                              \
        if (!task)                                                                                 \
            task_null(__func__);                                                                   \
        else if (task_settable(__func__, &fields(task)->task)) {                                   \
            fields(task)->iv = iv;                                                                 \
            fields(task)->iv_length = iv_length;                                                   \
        }                                                                                          \
    }                                                                                              \
    const uint8_t *kind##_get_iv(const struct kind *task, uint32_t *iv_length)                     \
    {                                                                                              \
        if (!task) {                                                                               \
            task_null(__func__);                                                                   \
            return NULL;                                                                           \
        }                                                                                          \
        if (iv_length)                                                                             \
            *iv_length = fields(task)->iv_length;                                                  \
        return fields(task)->iv;                                                                   \
    }

#define KIND(kind, type)                                                                           \
    SET_CONF(kind, type)                                                                           \
    ALLOC_INIT(kind, type)                                                                         \
    TASK_AS_TASK(kind)                                                                             \
    TASK_FIELD(kind, src, const struct doca_buf *, fields, src)                                    \
    TASK_FIELD(kind, dst, struct doca_buf *, fields, dst)                                          \
    SET_KEY(kind)                                                                                  \
    TASK_GETTER(kind##_get_key, kind, struct doca_aes_gcm_key *, fields, key)                      \
    IV(kind)                                                                                       \
    TASK_FIELD(kind, tag_size, uint32_t, fields, tag_size)                                         \
    TASK_FIELD(kind, aad_size, uint32_t, fields, aad_size)

KIND(doca_aes_gcm_task_encrypt, GCM_TASK_ENCRYPT)
KIND(doca_aes_gcm_task_decrypt, GCM_TASK_DECRYPT)

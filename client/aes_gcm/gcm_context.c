// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_aes_gcm: the context.

#include "gcm_context.h"

#include "cleanup.h"
#include "core/refused.h"

static const struct task_kind tasks[] = {
    [GCM_TASK_ENCRYPT] = {.name = "encrypt",
                          .size = sizeof(struct doca_aes_gcm_task_encrypt),
                          .max = GCM_TASKS_MAX,
                          .check = gcm_check},
    [GCM_TASK_DECRYPT] = {.name = "decrypt",
                          .size = sizeof(struct doca_aes_gcm_task_decrypt),
                          .max = GCM_TASKS_MAX,
                          .check = gcm_check},
};

static void stopped(struct doca_ctx *ctx)
{
    struct doca_aes_gcm *aes_gcm = container_of(ctx, struct doca_aes_gcm, ctx);

    for (size_t i = 0; i < GCM_LANES; i++)
        gcm_cipher_fini(&aes_gcm->lanes[i]);
    aes_gcm->free_lane = NULL;
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    struct doca_aes_gcm *aes_gcm = container_of(ctx, struct doca_aes_gcm, ctx);

    for (size_t i = 0; i < GCM_LANES; i++) {
        struct gcm_cipher *lane = &aes_gcm->lanes[i];
        if (!gcm_cipher_init(lane)) {
            stopped(ctx);
            return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for ciphers");
        }
        lane->next_free = aes_gcm->free_lane;
        aes_gcm->free_lane = lane;
    }
    return DOCA_SUCCESS;
}

static const struct ctx_kind kind = {
    .name = "AES-GCM",
    .work = {.execute = gcm_execute, .progress = gcm_progress},
    .tasks = tasks,
    .n_tasks = ARRAY_SIZE(tasks),
    .start = start,
    .stopped = stopped,
};

doca_error_t doca_aes_gcm_create(struct doca_dev *dev, struct doca_aes_gcm **aes_gcm)
{
    struct errtext err;

    if (!dev || !aes_gcm)
        return REFUSED_NULL(dev, aes_gcm);
    doca_error_t r = dev_known(dev, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_INVALID_VALUE, &err);
    cleanup_free struct doca_aes_gcm *made = aligned_alloc(64, sizeof(*made));
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    *made = (struct doca_aes_gcm){.free_lane = NULL};
    context_init(&made->ctx, &kind, dev);
    *aes_gcm = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t doca_aes_gcm_destroy(struct doca_aes_gcm *aes_gcm)
{
    struct errtext err;

    if (!aes_gcm)
        return REFUSED_NULL(aes_gcm);
    doca_error_t r = context_fini(&aes_gcm->ctx, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    free(aes_gcm);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_aes_gcm_as_ctx(struct doca_aes_gcm *aes_gcm)
{
    return aes_gcm ? &aes_gcm->ctx : NULL;
}

doca_error_t doca_aes_gcm_cap_get_max_num_tasks(struct doca_aes_gcm *aes_gcm,
                                                uint32_t *max_num_tasks)
{
    if (!aes_gcm || !max_num_tasks)
        return REFUSED_NULL(aes_gcm, max_num_tasks);
    *max_num_tasks = GCM_TASKS_MAX;
    return DOCA_SUCCESS;
}

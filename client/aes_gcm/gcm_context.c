// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_aes_gcm: the context.

#include "gcm_context.h"

#include "cleanup.h"
#include "core/refused.h"

#include <stdlib.h>

static const struct task_kind tasks[] = {
    [GCM_TASK_ENCRYPT] = {.name = "encrypt",
                          .size = sizeof(struct gcm_task),
                          .max = GCM_TASKS_MAX,
                          .needs = CARD_GCM,
                          .check = gcm_check},
    [GCM_TASK_DECRYPT] = {.name = "decrypt",
                          .size = sizeof(struct gcm_task),
                          .max = GCM_TASKS_MAX,
                          .needs = CARD_GCM,
                          .check = gcm_check},
};

static void free_ciphers(struct doca_aes_gcm *aes_gcm)
{
    for (size_t i = 0; i < GCM_LANES; i++)
        gcm_cipher_fini(&aes_gcm->lanes[i]);
    for (size_t i = 0; i < aes_gcm->n_own; i++)
        gcm_cipher_fini(&aes_gcm->own[i]);
    free(aes_gcm->own);
    aes_gcm->own = NULL;
    aes_gcm->n_own = 0;
    aes_gcm->free_lane = NULL;
}

static bool make_ciphers(struct doca_aes_gcm *aes_gcm)
{
    uint32_t n = workers_most() + 1;

    for (size_t i = 0; i < GCM_LANES; i++) {
        struct gcm_cipher *lane = &aes_gcm->lanes[i];
        if (!gcm_cipher_init(lane))
            return false;
        lane->next_free = aes_gcm->free_lane;
        aes_gcm->free_lane = lane;
    }
    aes_gcm->own = calloc(n, sizeof(*aes_gcm->own));
    while (aes_gcm->own && aes_gcm->n_own < n && gcm_cipher_init(&aes_gcm->own[aes_gcm->n_own]))
        aes_gcm->n_own++;
    return aes_gcm->n_own == n;
}

static void stopped(struct doca_ctx *ctx)
{
    struct doca_aes_gcm *aes_gcm = container_of(ctx, struct doca_aes_gcm, ctx);

    worker_port_close(&aes_gcm->port);
    held_close(&aes_gcm->copies);
    free_ciphers(aes_gcm);
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    struct doca_aes_gcm *aes_gcm = container_of(ctx, struct doca_aes_gcm, ctx);

    doca_error_t r = held_open(&aes_gcm->copies, ctx->link.depth, err);
    if (r != DOCA_SUCCESS)
        return r;
    worker_port_open(&aes_gcm->port, ctx->link.executor, dev_session(ctx->device),
                     &gcm_worker_calls);
    if (make_ciphers(aes_gcm))
        return DOCA_SUCCESS;
    stopped(ctx);
    return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for ciphers");
}

static void flush(struct doca_ctx *ctx)
{
    worker_withdraw(&container_of(ctx, struct doca_aes_gcm, ctx)->port);
}

static const struct ctx_kind kind = {
    .name = "AES-GCM",
    .work = {.library = WORK_LIBRARY_AES_GCM,
             .prepare = gcm_prepare,
             .drop = gcm_drop,
             .execute = gcm_execute,
             .eager = true,
             .progress = gcm_progress},
    .tasks = tasks,
    .n_tasks = ARRAY_SIZE(tasks),
    .most_tasks = CARD_GCM_TASKS,
    .start = start,
    .cancel = gcm_cancel,
    .flush = flush,
    .stopped = stopped,
};

static struct gcm_limits limits_of(const struct card *card)
{
    return (struct gcm_limits){
        .size = card->values[CARD_GCM_BUF_SIZE],
        .list = (uint32_t)card_most(card, CARD_GCM_LIST, GCM_LIST_MAX),
        .iv = (uint32_t)card_most(card, CARD_GCM_IV, GCM_IV_MAX),
        .tag_96 = card_has(card, CARD_GCM_TAG_96),
        .tag_128 = card_has(card, CARD_GCM_TAG_128),
    };
}

doca_error_t doca_aes_gcm_create(struct doca_dev *dev, struct doca_aes_gcm **aes_gcm)
{
    struct errtext err;

    if (!dev || !aes_gcm)
        return REFUSED_NULL(dev, aes_gcm);
    doca_error_t r = dev_known(dev, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_INVALID_VALUE, &err);
    r = dev_check_card(dev, CARD_GCM, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    cleanup_free struct doca_aes_gcm *made = aligned_alloc(64, (sizeof(*made) + 63) / 64 * 64);
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    *made = (struct doca_aes_gcm){.free_lane = NULL};
    context_init(&made->ctx, &kind, dev);
    made->limits = limits_of(dev_card(dev));
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
    *max_num_tasks = context_most_tasks(&kind, GCM_TASK_ENCRYPT, aes_gcm->ctx.device);
    return DOCA_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_sha of DOCA 3: the context and its capabilities.

#include "sha_context.h"

#include "cleanup.h"
#include "core/refused.h"

static const struct task_kind tasks[] = {
    [SHA_TASK_HASH] = {.name = "hash",
                       .size = sizeof(struct doca_sha_task_hash),
                       .max = SHA_TASKS_MAX,
                       .needs = CARD_SHA,
                       .check = sha_task_check},
    [SHA_TASK_PARTIAL_HASH] = {.name = "partial hash",
                               .size = sizeof(struct doca_sha_task_partial_hash),
                               .max = SHA_TASKS_MAX,
                               .needs = CARD_SHA,
                               .check = sha_task_check},
};

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    return sha_queue_open(&ctx->link, 0, 0, err); // each task has its own message, and job
}

static void flush(struct doca_ctx *ctx)
{
    worker_withdraw(&((struct sha_queue *)ctx->link.state)->port);
}

static void stopped(struct doca_ctx *ctx)
{
    sha_queue_close(&ctx->link);
}

static const struct ctx_kind kind = {
    .name = "SHA",
    .work = {.library = WORK_LIBRARY_SHA,
             .prepare = sha_task_prepare,
             .drop = sha_drop,
             .execute = sha_task_execute,
             .eager = true,
             .progress = sha_continue},
    .tasks = tasks,
    .n_tasks = ARRAY_SIZE(tasks),
    .most_tasks = CARD_SHA_TASKS,
    .start = start,
    .cancel = sha_cancel,
    .flush = flush,
    .stopped = stopped,
};

doca_error_t doca_sha_create(struct doca_dev *dev, struct doca_sha **sha)
{
    struct errtext err;

    if (!dev || !sha)
        return REFUSED_NULL(dev, sha);
    doca_error_t r = dev_known(dev, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_INVALID_VALUE, &err);
    cleanup_free struct doca_sha *made = aligned_alloc(64, sizeof(*made));
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    context_init(&made->ctx, &kind, dev);
    *sha = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t doca_sha_destroy(struct doca_sha *sha)
{
    struct errtext err;

    if (!sha)
        return REFUSED_NULL(sha);
    doca_error_t r = context_fini(&sha->ctx, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    free(sha);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_sha_as_ctx(struct doca_sha *sha)
{
    return sha ? &sha->ctx : NULL;
}

// ---- capabilities: the same for every device ---------------------------------------------

static doca_error_t unknown_algorithm(const char *function, enum doca_sha_algorithm algorithm)
{
    struct errtext err;

    return report(
        function,
        errtext_set(&err, DOCA_ERROR_INVALID_VALUE, "%d is not an algorithm", (int)algorithm),
        &err);
}

// This is an answer, not a failure: programs query each device.
static doca_error_t answer(const struct doca_devinfo *devinfo)
{
    return devinfo_has(devinfo, CARD_SHA) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_sha_cap_task_hash_get_supported(const struct doca_devinfo *devinfo,
                                                  enum doca_sha_algorithm algorithm)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    return sha_algorithm_known(algorithm) ? answer(devinfo)
                                          : unknown_algorithm(__func__, algorithm);
}

doca_error_t doca_sha_cap_task_partial_hash_get_supported(const struct doca_devinfo *devinfo,
                                                          enum doca_sha_algorithm algorithm)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    return sha_algorithm_known(algorithm) ? answer(devinfo)
                                          : unknown_algorithm(__func__, algorithm);
}

doca_error_t doca_sha_cap_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_list_buf_num_elem)
{
    if (!devinfo || !max_list_buf_num_elem)
        return REFUSED_NULL(devinfo, max_list_buf_num_elem);
    if (!devinfo_has(devinfo, CARD_SHA))
        return DOCA_ERROR_NOT_SUPPORTED;
    *max_list_buf_num_elem = (uint32_t)devinfo_most(devinfo, CARD_SHA_LIST, SHA_LIST_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_sha_cap_get_max_src_buf_size(const struct doca_devinfo *devinfo,
                                               uint64_t *max_src_buf_size)
{
    if (!devinfo || !max_src_buf_size)
        return REFUSED_NULL(devinfo, max_src_buf_size);
    if (!devinfo_has(devinfo, CARD_SHA))
        return DOCA_ERROR_NOT_SUPPORTED;
    *max_src_buf_size = devinfo_most(devinfo, CARD_SHA_BUF_SIZE, SHA_SIZE_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_sha_cap_get_min_dst_buf_size(const struct doca_devinfo *devinfo,
                                               enum doca_sha_algorithm algorithm,
                                               uint32_t *min_dst_buf_size)
{
    if (!devinfo || !min_dst_buf_size)
        return REFUSED_NULL(devinfo, min_dst_buf_size);
    if (!devinfo_has(devinfo, CARD_SHA))
        return DOCA_ERROR_NOT_SUPPORTED;
    if (!sha_algorithm_known(algorithm))
        return unknown_algorithm(__func__, algorithm);
    *min_dst_buf_size = sha_digest_size((enum sha_algorithm)algorithm);
    return DOCA_SUCCESS;
}

doca_error_t doca_sha_cap_get_partial_hash_block_size(const struct doca_devinfo *devinfo,
                                                      enum doca_sha_algorithm algorithm,
                                                      uint32_t *partial_block_size)
{
    if (!devinfo || !partial_block_size)
        return REFUSED_NULL(devinfo, partial_block_size);
    if (!devinfo_has(devinfo, CARD_SHA))
        return DOCA_ERROR_NOT_SUPPORTED;
    if (!sha_algorithm_known(algorithm))
        return unknown_algorithm(__func__, algorithm);
    *partial_block_size = sha_block_size((enum sha_algorithm)algorithm);
    return DOCA_SUCCESS;
}

doca_error_t doca_sha_cap_get_max_num_tasks(struct doca_sha *sha, uint32_t *max_num_tasks)
{
    if (!sha || !max_num_tasks)
        return REFUSED_NULL(sha, max_num_tasks);
    *max_num_tasks = context_most_tasks(&kind, SHA_TASK_HASH, sha->ctx.device);
    return DOCA_SUCCESS;
}

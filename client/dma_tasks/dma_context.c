// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_dma of DOCA 3: the context and its capabilities.

#include "dma_context.h"

#include "cleanup.h"
#include "core/refused.h"
#include "dma/dma_job.h"
#include "work/copy.h"

static const struct task_kind tasks[] = {
    [DMA_TASK_MEMCPY] = {.name = "memcpy",
                         .size = sizeof(struct doca_dma_task_memcpy),
                         .max = DMA_TASKS_MAX,
                         .needs = CARD_DMA,
                         .fatal = true,
                         .check = dma_task_memcpy_check},
};

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    return dma_attach(&ctx->link, err);
}

static void stopped(struct doca_ctx *ctx)
{
    dma_detach(&ctx->link);
}

static const struct ctx_kind kind = {
    .name = "DMA",
    .work = {.library = WORK_LIBRARY_DMA,
             .prepare = dma_task_prepare,
             .drop = dma_drop,
             .execute = dma_execute,
             .measure = dma_measure,
             .progress = dma_continue,
             .may_block = true},
    .tasks = tasks,
    .n_tasks = ARRAY_SIZE(tasks),
    .most_tasks = CARD_DMA_TASKS,
    .start = start,
    .stopped = stopped,
};

doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
{
    struct errtext err;

    if (!dev || !dma)
        return REFUSED_NULL(dev, dma);
    doca_error_t r = dev_known(dev, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_INITIALIZATION, &err);
    cleanup_free struct doca_dma *made = aligned_alloc(64, sizeof(*made));
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    *made = (struct doca_dma){.ordered = false};
    context_init(&made->ctx, &kind, dev);
    copy_init();
    *dma = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t doca_dma_destroy(struct doca_dma *dma)
{
    struct errtext err;

    if (!dma)
        return REFUSED_NULL(dma);
    doca_error_t r = context_fini(&dma->ctx, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    free(dma);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma)
{
    return dma ? &dma->ctx : NULL;
}

// ---- capabilities ----------------------------------------------------------------------

doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    // This is an answer, not a failure: programs query each device.
    return devinfo_function(devinfo)->can_dma ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

static doca_error_t without_dma(const char *function, const struct doca_devinfo *devinfo)
{
    struct errtext err;

    return report(function, dma_check_devinfo(devinfo, &err), &err);
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                           uint32_t *max_buf_list_len)
{
    if (!devinfo || !max_buf_list_len)
        return REFUSED_NULL(devinfo, max_buf_list_len);
    if (!devinfo_function(devinfo)->can_dma)
        return without_dma(__func__, devinfo);
    *max_buf_list_len = (uint32_t)devinfo_most(devinfo, CARD_DMA_LIST, DMA_LIST_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                       uint64_t *buf_size)
{
    if (!devinfo || !buf_size)
        return REFUSED_NULL(devinfo, buf_size);
    if (!devinfo_function(devinfo)->can_dma)
        return without_dma(__func__, devinfo);
    uint64_t of_card = devinfo_card(devinfo)->values[CARD_DMA_BUF_SIZE];
    *buf_size = of_card == CARD_UNLIMITED ? DMA_TASK_SIZE_REPORTED
                                          : devinfo_most(devinfo, CARD_DMA_BUF_SIZE, DMA_SIZE_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks)
{
    if (!dma || !max_num_tasks)
        return REFUSED_NULL(dma, max_num_tasks);
    *max_num_tasks = context_most_tasks(&kind, DMA_TASK_MEMCPY, dma->ctx.device);
    return DOCA_SUCCESS;
}

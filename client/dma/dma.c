// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_dma: the library's context and capabilities.

#include "dma.h"

#include "cleanup.h"
#include "core/device_card.h"
#include "core/refused.h"
#include "dma_job.h"
#include "work/copy.h"
#include "work/ctx.h"

#include <doca_dma.h>

struct doca_dma {
    struct doca_ctx ctx;
};

// The job of the 1.3 interface: a number of bytes, from the start of one buffer to the start of the
// other. It neither uses nor changes the buffers' data of later interfaces.
#define DMA_JOB_MEMCPY_1_3 (DOCA_ACTION_DMA_FIRST + 0x130)

struct dma_job_memcpy_1_3 {
    struct doca_job base;
    struct doca_buf *dst_buff;
    struct doca_buf const *src_buff;
    uint64_t num_bytes_to_copy;
};

__attribute__((noinline)) static doca_error_t prepare_1_3(struct work_item *item,
                                                          const struct dma_job_memcpy_1_3 *job)
{
    if (job->base.type != DMA_JOB_MEMCPY_1_3) {
        item->refusal = "the job's type is not a DMA job";
        return DOCA_ERROR_INVALID_VALUE;
    }
    doca_error_t r = dma_give_buffers(item, job->src_buff, job->dst_buff);
    if (r == DOCA_SUCCESS)
        r = dma_take_exact(item, job->src_buff->head, job->dst_buff->head, job->num_bytes_to_copy);
    return r;
}

static doca_error_t prepare(struct work_item *item, const void *submitted)
{
    const struct doca_dma_job_memcpy *job = submitted;

    if (__builtin_expect(job->base.type != DOCA_DMA_JOB_MEMCPY, 0))
        return prepare_1_3(item, submitted);
    doca_error_t r = dma_give_buffers(item, job->src_buff, job->dst_buff);
    return r == DOCA_SUCCESS ? dma_take(item) : r;
}

static const struct ctx_ops ops = {
    .name = "DMA",
    .takes_device = true,
    .event_driven = true,
    .check_device = dma_check_device,
    .attach = dma_attach,
    .detach = dma_detach,
    .work = {.library = WORK_LIBRARY_DMA,
             .prepare = prepare,
             .drop = dma_drop,
             .execute = dma_execute,
             .measure = dma_measure,
             .progress = dma_continue,
             .complete_on_event = DMA_JOB_MEMCPY_1_3,
             .may_block = true},
};

doca_error_t doca_dma_create(struct doca_dma **dma)
{
    return dma_create(&ops, dma);
}

doca_error_t dma_create(const struct ctx_ops *kind, struct doca_dma **dma)
{
    static const char function[] = "doca_dma_create";
    struct doca_ctx *made;

    if (!dma)
        return REFUSED_NULL_OF(function, dma);
    doca_error_t r = ctx_new(function, kind, &made);
    if (r != DOCA_SUCCESS)
        return r;
    copy_init();
    *dma = container_of(made, struct doca_dma, ctx);
    return DOCA_SUCCESS;
}

doca_error_t doca_dma_destroy(struct doca_dma *dma)
{
    return dma ? ctx_free(__func__, &dma->ctx) : REFUSED_NULL(dma);
}

struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma)
{
    return dma ? &dma->ctx : NULL;
}

// ---- capabilities ----------------------------------------------------------------------

static doca_error_t check_devinfo(const char *function, const struct doca_devinfo *devinfo)
{
    struct errtext err;

    return report(function, dma_check_devinfo(devinfo, &err), &err);
}

doca_error_t doca_dma_job_get_supported(struct doca_devinfo *devinfo,
                                        enum doca_dma_job_types job_type)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    if (job_type != DOCA_DMA_JOB_MEMCPY)
        return refused(__func__, "the job's type is not a DMA job");
    // This is an answer, not a failure: programs query each device.
    return devinfo_function(devinfo)->can_dma ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_dma_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                                uint32_t *max_list_num_elem)
{
    if (!devinfo || !max_list_num_elem)
        return REFUSED_NULL(devinfo, max_list_num_elem);
    doca_error_t r = check_devinfo(__func__, devinfo);
    if (r == DOCA_SUCCESS)
        *max_list_num_elem = (uint32_t)devinfo_most(devinfo, CARD_DMA_LIST, DMA_LIST_MAX);
    return r;
}

doca_error_t doca_dma_get_max_buf_size(const struct doca_devinfo *devinfo, uint64_t *buf_size)
{
    if (!devinfo || !buf_size)
        return REFUSED_NULL(devinfo, buf_size);
    doca_error_t r = check_devinfo(__func__, devinfo);
    if (r == DOCA_SUCCESS)
        *buf_size = devinfo_most(devinfo, CARD_DMA_BUF_SIZE, DMA_SIZE_MAX);
    return r;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_compress of DOCA 2.2: the context, its jobs and capabilities.

#include "card_time.h"
#include "cleanup.h"
#include "compress_job.h"
#include "core/refused.h"
#include "work/ctx.h"

#include <doca_compress.h>

struct doca_compress {
    struct doca_ctx ctx;
};

// The memory of a context for a work queue: an operation for each of the queue's items, at the same
// index. Pages that are never used cost no memory.
struct compress_queue {
    struct compress_link on;
    struct compress_op *ops;
};

struct compress_item {
    struct compress_op *op;
    uint64_t *checksums;
};

// ---- jobs ------------------------------------------------------------------------------

static bool type_known(int type)
{
    return type >= DOCA_COMPRESS_DEFLATE_JOB && type <= DOCA_DECOMPRESS_LZ4_JOB;
}

static enum codec_kind kind_of(int type)
{
    if (type == DOCA_DECOMPRESS_LZ4_JOB)
        return CODEC_LZ4_BLOCK;
    return type == DOCA_COMPRESS_DEFLATE_JOB ? CODEC_DEFLATE : CODEC_INFLATE;
}

static struct compress_item *mine(const struct work_item *item)
{
    return (struct compress_item *)(uintptr_t)item->job;
}

static doca_error_t refuse(struct work_item *item, doca_error_t error, const char *why)
{
    item->refusal = why;
    return error;
}

static doca_error_t prepare(struct work_item *item, const void *submitted)
{
    // Both kinds of jobs have the same members.
    const struct doca_compress_deflate_job *job = submitted;
    struct compress_queue *queue = item->link->state;

    if (!type_known(job->base.type))
        return refuse(item, DOCA_ERROR_INVALID_VALUE, "the job's type is not a compression job");
    if (!compress_able(dev_card(item->link->device), kind_of(job->base.type)))
        return refuse(item, DOCA_ERROR_NOT_SUPPORTED,
                      "this library, or the card that the device imitates, has no such jobs; see "
                      "doca_compress_job_get_supported()");
    if (!buf_is_out(job->src_buff) || !buf_is_out(job->dst_buff))
        return refuse(item, DOCA_ERROR_INVALID_VALUE,
                      "the job's source or destination is NULL or was given back");
    struct compress_op *op = &queue->ops[item - item->link->executor->items];
    *op = (struct compress_op){.item = item,
                               .on = &queue->on,
                               .src = job->src_buff,
                               .dst = job->dst_buff,
                               .kind = (uint8_t)kind_of(job->base.type),
                               .flags = job->output_chksum ? CODEC_SUMS : 0,
                               .phase = COMPRESS_NEW};
    *mine(item) = (struct compress_item){.op = op, .checksums = job->output_chksum};
    return compress_take(op);
}

static void drop(struct work_item *item)
{
    compress_drop(mine(item)->op);
}

static enum work_status execute(struct work_item *item)
{
    return compress_execute(mine(item)->op);
}

static enum work_status progress(struct work_item *item)
{
    return compress_continue(mine(item)->op);
}

static void measure(const struct work_item *item, struct card_work *work)
{
    compress_measure(mine(item)->op, work);
}

static void finish(const struct work_item *item, union doca_data *result)
{
    const struct compress_item *job = mine(item);

    result->u64 = item->error;
    if (job->checksums && item->error == DOCA_SUCCESS)
        *job->checksums = (uint64_t)job->op->other32 << 32 | job->op->crc32;
}

// ---- the context -----------------------------------------------------------------------

static doca_error_t attach(struct work_link *link, struct errtext *err)
{
    cleanup_free struct compress_queue *queue = calloc(1, sizeof(*queue));
    cleanup_free struct compress_op *ops = calloc(link->executor->depth, sizeof(*ops));

    if (!queue || !ops)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a work queue's jobs");
    doca_error_t r = compress_link_open(&queue->on, link, err);
    if (r != DOCA_SUCCESS)
        return r;
    queue->ops = steal_ptr(ops);
    link->state = steal_ptr(queue);
    return DOCA_SUCCESS;
}

static void detach(struct work_link *link)
{
    struct compress_queue *queue = link->state;

    compress_link_close(&queue->on);
    free(queue->ops);
    free(queue);
    link->state = NULL;
}

static doca_error_t check_device(const struct doca_dev *dev, struct errtext *err)
{
    for (int kind = 0; kind < CODEC_KINDS; kind++)
        if (dev_has(dev, compress_card((enum codec_kind)kind)))
            return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                       "device %s imitates %s, which lacks compression and decompression",
                       dev_name(dev), dev_card(dev)->name);
}

static const struct ctx_ops ops = {
    .name = "compression",
    .takes_device = true,
    .event_driven = true,
    .check_device = check_device,
    .attach = attach,
    .detach = detach,
    .work = {.library = WORK_LIBRARY_COMPRESS,
             .prepare = prepare,
             .drop = drop,
             .execute = execute,
             .eager = true,
             .progress = progress,
             .measure = measure,
             .finish = finish},
};

doca_error_t doca_compress_create(struct doca_compress **compress)
{
    struct doca_ctx *made;

    if (!compress)
        return REFUSED_NULL(compress);
    doca_error_t r = ctx_new(__func__, &ops, &made);
    if (r == DOCA_SUCCESS)
        *compress = container_of(made, struct doca_compress, ctx);
    return r;
}

doca_error_t doca_compress_destroy(struct doca_compress *compress)
{
    return compress ? ctx_free(__func__, &compress->ctx) : REFUSED_NULL(compress);
}

struct doca_ctx *doca_compress_as_ctx(struct doca_compress *compress)
{
    return compress ? &compress->ctx : NULL;
}

// ---- capabilities: the same for every device ---------------------------------------------

#define REFUSED_TYPE refused(__func__, "the job's type is not a compression job")

doca_error_t doca_compress_job_get_supported(struct doca_devinfo *devinfo,
                                             enum doca_compress_job_types job_type)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    if (!type_known((int)job_type))
        return REFUSED_TYPE;
    return compress_able(devinfo_card(devinfo), kind_of((int)job_type)) ? DOCA_SUCCESS
                                                                        : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_compress_get_max_buf_size(const struct doca_devinfo *devinfo,
                                            enum doca_compress_job_types job_type,
                                            uint64_t *max_buffer_size)
{
    if (!devinfo || !max_buffer_size)
        return REFUSED_NULL(devinfo, max_buffer_size);
    if (!type_known((int)job_type))
        return REFUSED_TYPE;
    doca_error_t r = compress_check_able(__func__, devinfo_card(devinfo), kind_of((int)job_type));
    if (r != DOCA_SUCCESS)
        return r;
    *max_buffer_size = compress_most_bytes(devinfo_card(devinfo), kind_of((int)job_type));
    return DOCA_SUCCESS;
}

// The number of buffers that every kind of job takes; 0 if there is no kind.
static uint32_t most_buffers(const struct card *card)
{
    uint32_t most = 0;

    for (int kind = 0; kind < CODEC_KINDS; kind++) {
        uint32_t of_kind = compress_most_buffers(card, (enum codec_kind)kind);
        if (compress_able(card, (enum codec_kind)kind) && (!most || of_kind < most))
            most = of_kind;
    }
    return most;
}

doca_error_t doca_compress_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                                     uint32_t *max_list_num_elem)
{
    if (!devinfo || !max_list_num_elem)
        return REFUSED_NULL(devinfo, max_list_num_elem);
    uint32_t most = most_buffers(devinfo_card(devinfo));
    if (!most)
        return compress_check_able(__func__, devinfo_card(devinfo), CODEC_INFLATE);
    *max_list_num_elem = most;
    return DOCA_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_compress of DOCA 3: the context, and what all kinds of its tasks do.

#include "compress_context.h"

#include "card_time.h"
#include "cleanup.h"
#include "compress_asked.h"
#include "core/refused.h"

#include <string.h>

static enum work_status execute(struct work_item *item)
{
    return compress_execute(&compress_task_of(item)->op);
}

static enum work_status progress(struct work_item *item)
{
    return compress_continue(&compress_task_of(item)->op);
}

static enum work_status cancel(struct work_item *item)
{
    return compress_cancel(&compress_task_of(item)->op);
}

// Tasks that were cancelled in the executor's queue keep their former phase.
static doca_error_t prepare(struct work_item *item, const void *unused)
{
    struct compress_task *task = compress_task_of(item);
    unsigned asked = compress_asked(task->op.kind);

    (void)unused;
    task->op.phase = COMPRESS_NEW;
    task->op.flags = (uint8_t)((task->op.flags & ~CODEC_SUMS) | asked);
    task->op.later = (uint8_t)(CODEC_SUMS & ~asked);
    doca_error_t r = compress_take(&task->op);
    task->result =
        r == DOCA_SUCCESS && task->op.to && !task->op.to->next ? task->op.to->data : NULL;
    return r;
}

static void measure(const struct work_item *item, struct card_work *work)
{
    compress_measure(&((const struct compress_task *)item)->op, work);
}

static void drop(struct work_item *item)
{
    compress_drop(&compress_task_of(item)->op);
}

static struct compress_link *compress_link_of(struct doca_ctx *ctx)
{
    return &container_of(ctx, struct doca_compress, ctx)->on;
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    compress_asked_update();
    return compress_link_open(compress_link_of(ctx), &ctx->link, err);
}

static void flush(struct doca_ctx *ctx)
{
    worker_withdraw(&compress_link_of(ctx)->port);
}

static void stopped(struct doca_ctx *ctx)
{
    compress_link_close(compress_link_of(ctx));
}

static doca_error_t check(struct doca_task *task, struct errtext *err)
{
    struct compress_op *op = &compress_task_of(&task->item)->op;

    return compress_check(op, op->src, op->dst, err);
}

#define TASK(kind, text)                                                                           \
    [kind] = {.name = (text),                                                                      \
              .size = sizeof(struct compress_task),                                                \
              .max = COMPRESS_TASKS_MAX,                                                           \
              .check = check}

static const struct task_kind tasks[CODEC_KINDS] = {
    TASK(CODEC_DEFLATE, "compress deflate"),
    TASK(CODEC_INFLATE, "decompress deflate"),
    TASK(CODEC_LZ4_STREAM, "decompress LZ4 stream"),
    TASK(CODEC_LZ4_BLOCK, "decompress LZ4 block"),
};

static const struct ctx_kind kind = {
    .name = "compression",
    .work = {.library = WORK_LIBRARY_COMPRESS,
             .prepare = prepare,
             .drop = drop,
             .execute = execute,
             .measure = measure,
             .eager = true,
             .progress = progress},
    .tasks = tasks,
    .n_tasks = ARRAY_SIZE(tasks),
    .most_tasks = CARD_COMPRESS_TASKS,
    .start = start,
    .cancel = cancel,
    .flush = flush,
    .stopped = stopped,
};

doca_error_t doca_compress_create(struct doca_dev *dev, struct doca_compress **compress)
{
    struct errtext err;

    if (!dev || !compress)
        return REFUSED_NULL(dev, compress);
    doca_error_t r = dev_known(dev, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_INITIALIZATION, &err);
    cleanup_free struct doca_compress *made = aligned_alloc(64, (sizeof(*made) + 63) / 64 * 64);
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    memset(made, 0, sizeof(*made));
    context_init(&made->ctx, &kind, dev);
    *compress = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t doca_compress_destroy(struct doca_compress *compress)
{
    struct errtext err;

    if (!compress)
        return REFUSED_NULL(compress);
    doca_error_t r = context_fini(&compress->ctx, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    free(compress);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_compress_as_ctx(struct doca_compress *compress)
{
    return compress ? &compress->ctx : NULL;
}

doca_error_t doca_compress_cap_get_max_num_tasks(struct doca_compress *compress,
                                                 uint32_t *max_num_tasks)
{
    if (!compress || !max_num_tasks)
        return REFUSED_NULL(compress, max_num_tasks);
    *max_num_tasks = context_most_tasks(&kind, CODEC_INFLATE, compress->ctx.device);
    return DOCA_SUCCESS;
}

// ---- common to all kinds of tasks --------------------------------------------------------------

doca_error_t compress_kind_supported(const struct doca_devinfo *devinfo, enum codec_kind of)
{
    // This is an answer, not a failure: programs query each device.
    return compress_able(devinfo_card(devinfo), of) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t compress_kind_limit(const char *function, const struct card *card, enum codec_kind of)
{
    return compress_check_able(function, card, of);
}

doca_error_t compress_task_configure(const char *function, struct doca_compress *compress,
                                     enum codec_kind of, doca_task_completion_cb_t done,
                                     doca_task_completion_cb_t failed, uint32_t n)
{
    struct errtext err;

    doca_error_t r = compress_kind_limit(function, dev_card(compress->ctx.device), of);
    if (r != DOCA_SUCCESS)
        return r;
    return report(function, task_configure(&compress->ctx, of, done, failed, n, &err), &err);
}

doca_error_t compress_task_take(const char *function, struct doca_compress *compress,
                                enum codec_kind of, const struct doca_buf *src,
                                struct doca_buf *dst, union doca_data user_data,
                                struct compress_task **out)
{
    struct doca_task *taken = task_take(&compress->ctx, of, user_data);
    if (!taken)
        return task_not_taken(function, &compress->ctx, of);
    struct compress_task *task = compress_task_of(&taken->item);
    task->op = (struct compress_op){
        .item = &taken->item, .on = &compress->on, .src = src, .dst = dst, .kind = of};
    task->result = NULL;
    *out = task;
    return DOCA_SUCCESS;
}

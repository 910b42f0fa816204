// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Making, configuring and ending; the export across PCI.

#include "event_context.h"

#include "buf/buf.h"
#include "core/device_card.h"
#include "core/refused.h"

// ---- the context -------------------------------------------------------------------------

static struct doca_sync_event *event_of(const struct doca_ctx *ctx)
{
    return &container_of(ctx, struct event_context, ctx)->event;
}

// The program may submit a task again, with changed values.
static doca_error_t prepare(struct work_item *item, const void *job)
{
    (void)job;
    struct se_request *request = &se_job_of(item)->request;

    *request = (struct se_request){
        .event = request->event, .operation = request->operation, .value = request->value};
    se_job_of(item)->fresh = se_job_of(item)->last = se_job_of(item)->flushed = false;
    return DOCA_SUCCESS;
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    struct doca_sync_event *event = event_of(ctx);

    doca_error_t e = se_try_start(event, SE_ASYNCHRONOUS, err);
    if (e != DOCA_SUCCESS)
        return e;
    // An event that this program made has no device before its locations are added.
    ctx->stop_waits = dev_has(ctx->device ? ctx->device : se_device(event), CARD_STOP_WAITS);
    e = se_attach(&ctx->link, event, err);
    if (e != DOCA_SUCCESS)
        se_try_stop(event, SE_ASYNCHRONOUS);
    return e;
}

static void flush(struct doca_ctx *ctx)
{
    se_flush(&ctx->link);
}

static void stopped(struct doca_ctx *ctx)
{
    se_detach(&ctx->link);
    se_try_stop(event_of(ctx), SE_ASYNCHRONOUS);
}

// The hardware takes only masks of adjacent whole bytes.
static doca_error_t check_mask(struct doca_task *task, struct errtext *err)
{
    uint64_t mask = se_job_of(&task->item)->mask;
    unsigned bytes = 0;

    if (mask) {
        mask >>= __builtin_ctzll(mask) / 8 * 8;
        while ((mask & 0xff) == 0xff && bytes < 8) {
            bytes++;
            mask = bytes < 8 ? mask >> 8 : 0;
        }
    }
    if (!mask && bytes && (bytes & (bytes - 1)) == 0)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "mask %#llx is not made of 1, 2, 4 or 8 neighbouring bytes of 0xff",
                       (unsigned long long)se_job_of(&task->item)->mask);
}

static doca_error_t check_place(struct doca_task *task, struct errtext *err)
{
    if (se_job_of(&task->item)->out)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "there is no place for the value");
}

#define TASK(text, checked)                                                                        \
    {                                                                                              \
        .name = text, .size = sizeof(struct event_task_object), .max = EVENT_TASKS_MAX,            \
        .check = checked                                                                           \
    }

static const struct task_kind tasks[EVENT_TASKS] = {
    [EVENT_TASK_GET] = TASK("get", check_place),
    [EVENT_TASK_NOTIFY_SET] = TASK("notify set", NULL),
    [EVENT_TASK_NOTIFY_ADD] = TASK("notify add", NULL),
    [EVENT_TASK_WAIT_GT] = TASK("wait gt", check_mask),
    [EVENT_TASK_WAIT_EQ] = TASK("wait eq", check_mask),
    [EVENT_TASK_WAIT_NEQ] = TASK("wait neq", check_mask),
};

static const struct ctx_kind kind = {
    .name = "sync event",
    .work = {.library = WORK_LIBRARY_SYNC_EVENT, .prepare = prepare, .execute = se_execute},
    .tasks = tasks,
    .n_tasks = EVENT_TASKS,
    .start = start,
    .flush = flush,
    .stopped = stopped,
};

// ---- lifetime ----------------------------------------------------------------------------

static struct event_context *context_new(void)
{
    struct event_context *made =
        aligned_alloc(64, (sizeof(struct event_context) + 63) & ~(size_t)63);
    if (!made)
        return NULL;
    context_init(&made->ctx, &kind, NULL);
    se_init(&made->event, &made->ctx);
    return made;
}

// The context is idle.
static void context_free(struct event_context *context)
{
    context_fini(&context->ctx, NULL);
    se_fini(&context->event);
    free(context);
}

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
    struct errtext err;

    if (!event)
        return REFUSED_NULL(event);
    struct event_context *made = context_new();
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    doca_error_t e = se_page_new(&made->event, &err);
    if (e != DOCA_SUCCESS) {
        context_free(made);
        return report(__func__, e, &err);
    }
    *event = &made->event;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
                                                size_t sz, struct doca_sync_event **event)
{
    if (!dev || !data || !event)
        return REFUSED_NULL(dev, data, event);
    struct event_context *made = context_new();
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    doca_error_t e = se_from_export(__func__, &made->event, SE_DPU, dev, data, sz);
    if (e != DOCA_SUCCESS) {
        context_free(made);
        return e;
    }
    made->ctx.device = dev_ref(dev); // its docad counts the context's work
    *event = &made->event;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
    struct errtext err;

    if (!event)
        return REFUSED_NULL(event);
    struct event_context *context = event_context_of(event);
    if (!alive_now(&context->ctx.alive))
        return report_why(__func__, DOCA_ERROR_INVALID_VALUE, ENDED_ALREADY);
    if (context->ctx.state != DOCA_CTX_STATE_IDLE || context->ctx.in_start)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                                  "the event's context is not idle; call doca_ctx_stop(), and "
                                  "doca_pe_progress() until it is"),
                      &err);
    context_free(context);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event)
{
    if (event)
        return se_as_ctx(__func__, event);
    REFUSED_NULL(event);
    return NULL;
}

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
    return event ? se_start(__func__, event) : REFUSED_NULL(event);
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
    return event ? se_stop(__func__, event) : REFUSED_NULL(event);
}

// ---- configuration -----------------------------------------------------------------------

static doca_error_t add_cpu(const char *function, struct doca_sync_event *event, bool publisher,
                            struct doca_dev *dev)
{
    struct event_context *context = event_context_of(event);

    doca_error_t e = se_add_location(function, event, publisher, SE_CPU, dev);
    if (e == DOCA_SUCCESS && !context->ctx.device)
        context->ctx.device = dev_ref(dev);
    return e;
}

doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev)
{
    if (!event || !dev)
        return REFUSED_NULL(event, dev);
    return add_cpu(__func__, event, true, dev);
}

doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev)
{
    if (!event || !dev)
        return REFUSED_NULL(event, dev);
    return add_cpu(__func__, event, false, dev);
}

doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event)
{
    if (!event)
        return REFUSED_NULL(event);
    return se_add_location(__func__, event, true, SE_DPU, NULL);
}

doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event)
{
    if (!event)
        return REFUSED_NULL(event);
    return se_add_location(__func__, event, false, SE_DPU, NULL);
}

doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr)
{
    if (!event || !addr)
        return REFUSED_NULL(event, addr);
    return se_set_memory(__func__, event, addr);
}

// Returns why a buffer cannot hold the counter.
static const char *unfit(const struct doca_buf *buf)
{
    if (buf->memory->imported)
        return "the buffer is in imported memory; the counter must be in this process's own";
    if (!(buf->memory->access & ACCESS_LOCAL_READ_WRITE))
        return "the buffer's map cannot be written; give it DOCA_ACCESS_FLAG_LOCAL_READ_WRITE";
    if (buf->next || buf->prev)
        return "the buffer is in a list; the counter takes a single one";
    if (buf->data_len != SYNC_VALUE_SIZE || buf->data < buf->head ||
        (size_t)(buf->data - buf->head) + SYNC_VALUE_SIZE > buf->len)
        return "the buffer's data section must be 8 bytes of it; call doca_buf_set_data()";
    return NULL;
}

doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf)
{
    if (!event || !buf)
        return REFUSED_NULL(event, buf);
    if (!buf_is_out(buf))
        return refused(__func__, "the buffer was given back");
    const char *why = unfit(buf);
    if (why)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED, why);
    return se_set_memory(__func__, event, (uint64_t *)(void *)buf->data);
}

// ---- across PCI --------------------------------------------------------------------------

doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
                                                  struct doca_dev *dev, const uint8_t **data,
                                                  size_t *sz)
{
    if (!event || !dev || !data || !sz)
        return REFUSED_NULL(event, dev, data, sz);
    return se_export(__func__, event, SE_DPU, dev, data, sz);
}

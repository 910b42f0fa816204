// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The public functions of the 2.2 interface, which only call those of the other files.

#include "core/refused.h"
#include "se_context.h"

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
    struct errtext err;
    struct se_context *made;

    if (!event)
        return REFUSED_NULL(event);
    doca_error_t e = se_context_new(&made, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    e = se_page_new(&made->event, &err);
    if (e != DOCA_SUCCESS) {
        se_context_free(made);
        return report(__func__, e, &err);
    }
    *event = &made->event;
    return DOCA_SUCCESS;
}

static bool has_work_queues(struct doca_sync_event *event)
{
    pthread_mutex_lock(&event->ctx->lock);
    bool any = event->ctx->n_workqs > 0;
    pthread_mutex_unlock(&event->ctx->lock);
    return any;
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
    if (!event)
        return REFUSED_NULL(event);
    if (!alive_now(&se_context_of(event)->ctx.alive))
        return refused(__func__, ENDED_ALREADY);
    if (has_work_queues(event))
        return refused(__func__, "the event has work queues; remove them first");
    se_context_free(se_context_of(event));
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_publisher_add_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev)
{
    if (!event || !dev)
        return REFUSED_NULL(event, dev);
    return se_add_location(__func__, event, true, SE_CPU, dev);
}

doca_error_t doca_sync_event_publisher_add_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa)
{
    if (!event || !dpa)
        return REFUSED_NULL(event, dpa);
    return se_no_such(__func__, "DPA");
}

doca_error_t doca_sync_event_publisher_add_location_gpu(struct doca_sync_event *event,
                                                        struct doca_gpu *gpu)
{
    if (!event || !gpu)
        return REFUSED_NULL(event, gpu);
    return se_no_such(__func__, "GPU");
}

doca_error_t doca_sync_event_publisher_add_location_dpu(struct doca_sync_event *event)
{
    if (!event)
        return REFUSED_NULL(event);
    return se_add_location(__func__, event, true, SE_DPU, NULL);
}

doca_error_t doca_sync_event_subscriber_add_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev)
{
    if (!event || !dev)
        return REFUSED_NULL(event, dev);
    return se_add_location(__func__, event, false, SE_CPU, dev);
}

doca_error_t doca_sync_event_subscriber_add_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa)
{
    if (!event || !dpa)
        return REFUSED_NULL(event, dpa);
    return se_no_such(__func__, "DPA");
}

doca_error_t doca_sync_event_subscriber_add_location_gpu(struct doca_sync_event *event,
                                                         struct doca_gpu *gpu)
{
    if (!event || !gpu)
        return REFUSED_NULL(event, gpu);
    return se_no_such(__func__, "GPU");
}

doca_error_t doca_sync_event_subscriber_add_location_dpu(struct doca_sync_event *event)
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

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
    return event ? se_start(__func__, event) : REFUSED_NULL(event);
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
    return event ? se_stop(__func__, event) : REFUSED_NULL(event);
}

struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event)
{
    if (event)
        return se_as_ctx(__func__, event);
    REFUSED_NULL(event);
    return NULL;
}

// ---- exports --------------------------------------------------------------------------

doca_error_t doca_sync_event_export_to_dpu(struct doca_sync_event *event, struct doca_dev *dev,
                                           const uint8_t **data, size_t *sz)
{
    if (!event || !dev || !data || !sz)
        return REFUSED_NULL(event, dev, data, sz);
    return se_export(__func__, event, SE_DPU, dev, data, sz);
}

doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
                                                size_t sz, struct doca_sync_event **event)
{
    struct errtext err;
    struct se_context *made;

    if (!dev || !data || !event)
        return REFUSED_NULL(dev, data, event);
    doca_error_t e = se_context_new(&made, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    e = se_from_export(__func__, &made->event, SE_DPU, dev, data, sz);
    if (e == DOCA_SUCCESS)
        *event = &made->event;
    else
        se_context_free(made);
    return e;
}

doca_error_t doca_sync_event_export_to_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
                                           doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
{
    if (!event || !dpa || !dpa_dev_se_handle)
        return REFUSED_NULL(event, dpa, dpa_dev_se_handle);
    return se_no_such(__func__, "DPA");
}

doca_error_t doca_sync_event_export_to_gpu(struct doca_sync_event *event, struct doca_gpu *gpu,
                                           doca_gpu_dev_sync_event_t **gpu_dev_se)
{
    if (!event || !gpu || !gpu_dev_se)
        return REFUSED_NULL(event, gpu, gpu_dev_se);
    return se_no_such(__func__, "GPU");
}

doca_error_t doca_sync_event_export_remote(struct doca_sync_event *event,
                                           doca_sync_event_remote_t *handle)
{
    if (!event || !handle)
        return REFUSED_NULL(event, handle);
    if (event->state == SE_CONFIGURED || event->imported)
        return refused(__func__, "only a started event that this process made itself has a remote "
                                 "handle");
    handle->data[0] = (uintptr_t)(event->user ? (void *)event->user : (void *)event->word);
    handle->data[1] = event->exports ? event->exports->made.length : 0;
    return DOCA_SUCCESS;
}

// ---- capabilities --------------------------------------------------------------

// These are answers, not failures: programs query each device.

doca_error_t doca_sync_event_get_create_from_export_supported(const struct doca_devinfo *devinfo)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    return devinfo_function(devinfo)->can_import_dpu ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_sync_event_get_export_to_dpu_supported(const struct doca_devinfo *devinfo)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    return devinfo_function(devinfo)->can_export_dpu ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_sync_event_get_export_to_dpa_supported(const struct doca_devinfo *devinfo)
{
    return devinfo ? DOCA_ERROR_NOT_SUPPORTED : REFUSED_NULL(devinfo);
}

doca_error_t doca_sync_event_get_export_to_gpu_supported(const struct doca_devinfo *devinfo)
{
    return devinfo ? DOCA_ERROR_NOT_SUPPORTED : REFUSED_NULL(devinfo);
}

doca_error_t doca_sync_event_job_get_supported(struct doca_devinfo *devinfo,
                                               enum doca_sync_event_job_types type)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    if (type < DOCA_SYNC_EVENT_JOB_WAIT_GT || type > DOCA_SYNC_EVENT_JOB_UPDATE_ADD)
        return refused(__func__, "the job's type is not a sync event job");
    return DOCA_SUCCESS;
}

// ---- synchronous mode -----------------------------------------------------------------

doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
{
    if (__builtin_expect(!event || !value, 0))
        return REFUSED_NULL(event, value);
    return se_get(__func__, event, value);
}

doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
{
    if (__builtin_expect(!event, 0))
        return REFUSED_NULL(event);
    return se_update_set(__func__, event, value);
}

doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched)
{
    if (__builtin_expect(!event || !fetched, 0))
        return REFUSED_NULL(event, fetched);
    return se_update_add(__func__, event, value, fetched);
}

doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
    if (__builtin_expect(!event, 0))
        return REFUSED_NULL(event);
    return se_wait(__func__, event, SE_GT, value, mask, false);
}

doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask)
{
    if (__builtin_expect(!event, 0))
        return REFUSED_NULL(event);
    return se_wait(__func__, event, SE_GT, value, mask, true);
}

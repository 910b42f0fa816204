// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Making, configuring, starting and ending a sync event; the abilities of devices.

#include "sync_event.h"

#include "core/refused.h"

#include <stdlib.h>
#include <sys/mman.h>

doca_error_t se_new(struct doca_sync_event **out, struct errtext *err)
{
    cleanup_free struct doca_sync_event *event = calloc(1, sizeof(*event));
    if (!event)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    doca_error_t e = ctx_init(&event->ctx, &se_ctx_ops, err);
    if (e != DOCA_SUCCESS)
        return e;
    event->page_fd = event->wake[0] = event->wake[1] = event->import.lifeline = -1;
    pthread_mutex_init(&event->lock, NULL);
    pthread_mutex_init(&event->broker.turn, NULL);
    *out = steal_ptr(event);
    return DOCA_SUCCESS;
}

// Its context has no work queues.
void se_free(struct doca_sync_event *event)
{
    ctx_fini(&event->ctx, NULL);
    se_import_end(event);
    se_exports_end(event);
    if (event->page)
        munmap(event->page, SYNC_PAGE_SIZE);
    close_fdp(&event->page_fd);
    close_fdp(&event->wake[0]);
    close_fdp(&event->wake[1]);
    dev_unref(event->publisher_dev);
    dev_unref(event->subscriber_dev);
    pthread_mutex_destroy(&event->lock);
    pthread_mutex_destroy(&event->broker.turn);
    free(event);
}

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
    struct errtext err;
    struct doca_sync_event *made;

    if (!event)
        return REFUSED_NULL(event);
    doca_error_t e = se_new(&made, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    e = se_page_new(made, &err);
    if (e != DOCA_SUCCESS) {
        se_free(made);
        return report(__func__, e, &err);
    }
    *event = made;
    return DOCA_SUCCESS;
}

static bool has_work_queues(struct doca_sync_event *event)
{
    pthread_mutex_lock(&event->ctx.lock);
    bool any = event->ctx.n_workqs > 0;
    pthread_mutex_unlock(&event->ctx.lock);
    return any;
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
    if (!event)
        return REFUSED_NULL(event);
    if (has_work_queues(event))
        return refused(__func__, "the event has work queues; remove them first");
    se_free(event);
    return DOCA_SUCCESS;
}

// ---- configuration --------------------------------------------------------------------

static doca_error_t set_location(struct doca_sync_event *event, enum se_location *location,
                                 enum se_location to, struct doca_dev **place, struct doca_dev *dev,
                                 struct errtext *err)
{
    if (event->imported)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "an imported event is configured already, by its owner");
    if (event->state != SE_CONFIGURED)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the event is started; add locations before");
    if (*location != SE_NOWHERE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the event has one publisher and one subscriber location, and this one "
                           "was added already");
    doca_error_t known = dev ? dev_known(dev, err) : DOCA_SUCCESS;
    if (known != DOCA_SUCCESS)
        return known;
    *location = to;
    if (dev)
        *place = dev_ref(dev);
    return DOCA_SUCCESS;
}

static doca_error_t add_location(const char *function, struct doca_sync_event *event,
                                 bool publisher, enum se_location to, struct doca_dev *dev)
{
    struct errtext err;
    pthread_mutex_lock(&event->lock);
    doca_error_t e =
        set_location(event, publisher ? &event->publisher : &event->subscriber, to,
                     publisher ? &event->publisher_dev : &event->subscriber_dev, dev, &err);
    pthread_mutex_unlock(&event->lock);
    return report(function, e, &err);
}

doca_error_t se_no_such(const char *function, const char *what)
{
    struct errtext err;
    return report(function,
                  errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED, "there are no %ss here", what), &err);
}

doca_error_t doca_sync_event_publisher_add_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev)
{
    if (!event || !dev)
        return REFUSED_NULL(event, dev);
    return add_location(__func__, event, true, SE_CPU, dev);
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
    return add_location(__func__, event, true, SE_DPU, NULL);
}

doca_error_t doca_sync_event_subscriber_add_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev)
{
    if (!event || !dev)
        return REFUSED_NULL(event, dev);
    return add_location(__func__, event, false, SE_CPU, dev);
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
    return add_location(__func__, event, false, SE_DPU, NULL);
}

static doca_error_t set_addr(struct doca_sync_event *event, uint64_t *addr, struct errtext *err)
{
    if (event->imported)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "the owner of an imported event decides where its counter is");
    if (event->state != SE_CONFIGURED || se_exports(event))
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the event is started or exported; set its memory before");
    bool aligned = (uintptr_t)addr % SYNC_VALUE_SIZE == 0;
    event->user = addr;
    event->word = aligned ? (_Atomic uint64_t *)addr : NULL;
    atomic_store(&event->reach, aligned ? SE_DIRECT : SE_LOCKED);
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr)
{
    struct errtext err;

    if (!event || !addr)
        return REFUSED_NULL(event, addr);
    pthread_mutex_lock(&event->lock);
    doca_error_t e = set_addr(event, addr, &err);
    pthread_mutex_unlock(&event->lock);
    return report(__func__, e, &err);
}

// ---- started, and stopped -------------------------------------------------------------

doca_error_t se_may_start(struct doca_sync_event *event, struct errtext *err)
{
    if (event->state != SE_CONFIGURED)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the event is started already");
    if (!event->imported && (event->publisher == SE_NOWHERE || event->subscriber == SE_NOWHERE))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the event has no %s location; add one",
                           event->publisher == SE_NOWHERE ? "publisher" : "subscriber");
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
    struct errtext err;

    if (!event)
        return REFUSED_NULL(event);
    pthread_mutex_lock(&event->lock);
    doca_error_t e = se_may_start(event, &err);
    if (e == DOCA_SUCCESS) {
        event->state = SE_SYNCHRONOUS;
        event->was_synchronous = true;
    }
    pthread_mutex_unlock(&event->lock);
    return report(__func__, e, &err);
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
    if (!event)
        return REFUSED_NULL(event);
    pthread_mutex_lock(&event->lock);
    bool started = event->state == SE_SYNCHRONOUS;
    if (started)
        event->state = SE_CONFIGURED;
    pthread_mutex_unlock(&event->lock);
    return started ? DOCA_SUCCESS
                   : refused(__func__, "the event was not started by doca_sync_event_start()");
}

struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event)
{
    if (!event) {
        REFUSED_NULL(event);
        return NULL;
    }
    if (event->was_synchronous) {
        refused(__func__, "the event was started by doca_sync_event_start()");
        return NULL;
    }
    return &event->ctx;
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

// ---- what devices can do --------------------------------------------------------------

// These are answers, not failures: programs ask for each device.

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

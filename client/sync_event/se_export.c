// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Offers an event to the DPU, or to RDMA connections: its counter's memory is registered like any
// other, and the export carries the descriptors that wake.

#include "sync_event.h"

#include "core/refused.h"
#include "mmap/mmap_object.h"

#include <doca_types.h>
#include <stdlib.h>

static doca_error_t check_location(const struct doca_sync_event *event, enum se_location to,
                                   const struct doca_dev *dev, struct errtext *err)
{
    if (to == SE_NET && event->publisher != SE_NET)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the event's publisher is not at the other end of a network; call "
                           "doca_sync_event_add_publisher_location_remote_net() before it starts");
    if (to == SE_NET && !dev)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the event has no device; add a location on the CPU before it starts");
    if (to == SE_NET)
        return DOCA_SUCCESS;
    if (event->publisher != SE_DPU && event->subscriber != SE_DPU)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the event has neither publisher nor subscriber on the DPU; add the "
                           "location before it starts");
    if (!dev_function(dev)->can_export_dpu)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "device %s cannot export to a DPU: only functions of a host can",
                           dev_function(dev)->name);
    return DOCA_SUCCESS;
}

static doca_error_t may_export(const struct doca_sync_event *event, enum se_location to,
                               const struct doca_dev *dev, struct errtext *err)
{
    if (event->imported)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "an imported event cannot be exported");
    if (event->state == SE_CONFIGURED)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the event is not started");
    return check_location(event, to, dev, err);
}

// Registers the counter: the whole page, or the application's 8 bytes.
static doca_error_t register_counter(const struct doca_sync_event *event, struct se_export *export)
{
    void *start = event->user ? (void *)event->user : (void *)event->page;
    size_t size = event->user ? SYNC_VALUE_SIZE : SYNC_PAGE_SIZE;

    doca_error_t e = doca_mmap_create(NULL, &export->map);
    if (e == DOCA_SUCCESS)
        e = doca_mmap_set_memrange(export->map, start, size);
    if (e == DOCA_SUCCESS)
        e = doca_mmap_set_permissions(export->map,
                                      export->to == SE_NET
                                          ? DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_READ |
                                                DOCA_ACCESS_RDMA_WRITE | DOCA_ACCESS_RDMA_ATOMIC
                                          : DOCA_ACCESS_DPU_READ_WRITE);
    if (e == DOCA_SUCCESS)
        e = doca_mmap_dev_add(export->map, export->dev);
    return e == DOCA_SUCCESS ? doca_mmap_start(export->map) : e;
}

static doca_error_t ask_export(const struct doca_sync_event *event, struct se_export *export,
                               struct errtext *err)
{
    Docad__ExportCreate ask = DOCAD__EXPORT_CREATE__INIT;
    int fds[2];
    size_t n_fds = 0;

    ask.target = export->to == SE_NET ? DOCAD__EXPORT_TARGET__TARGET_NET_EVENT
                                      : DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT;
    ask.watch_holders = true;
    ask.has_page = event->user != NULL;
    if (ask.has_page)
        fds[n_fds++] = event->page_fd;
    fds[n_fds++] = event->timer;
    return region_ask_export(export->map, export->dev, &ask, fds, n_fds, &export->made, err);
}

static void export_free(struct se_export *export)
{
    if (export->map)
        doca_mmap_destroy(export->map);
    dev_unref(export->dev);
    free(export);
}

static doca_error_t export_new(struct doca_sync_event *event, enum se_location to,
                               struct doca_dev *dev, struct se_export **out, struct errtext *err)
{
    struct se_export *export = calloc(1, sizeof(*export));
    if (!export)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    export->dev = dev_ref(dev);
    export->to = to;
    event->shared = true;
    doca_error_t e = register_counter(event, export);
    if (e != DOCA_SUCCESS)
        errtext_set(err, e, "cannot register the counter's memory");
    else
        e = ask_export(event, export, err);
    // From now on others may change the application's memory: we change it in the same way.
    if (e == DOCA_SUCCESS && event->user && !event->import.session)
        e = se_import_begin(event, dev, export->made.desc, export->made.length, err);
    if (e != DOCA_SUCCESS) {
        export_free(export);
        return e;
    }
    *out = export;
    return DOCA_SUCCESS;
}

static doca_error_t get_export(struct doca_sync_event *event, enum se_location to,
                               struct doca_dev *dev, struct se_export **out, struct errtext *err)
{
    doca_error_t e = may_export(event, to, dev, err);
    if (e != DOCA_SUCCESS)
        return e;
    for (struct se_export *x = se_exports(event); x; x = x->next) {
        if (x->dev == dev && x->to == to) {
            *out = x;
            return DOCA_SUCCESS;
        }
    }
    e = export_new(event, to, dev, out, err);
    if (e != DOCA_SUCCESS)
        return e;
    (*out)->next = se_exports(event);
    // Release: a waiting thread reads it without the lock.
    atomic_store_explicit(&event->exports, *out, memory_order_release);
    se_wake(event); // sleepers must wait for the end of docad, too
    return DOCA_SUCCESS;
}

void se_exports_end(struct doca_sync_event *event)
{
    for (struct se_export *export = se_exports(event), *next; export; export = next) {
        next = export->next;
        export_free(export);
    }
    atomic_store(&event->exports, NULL);
}

doca_error_t se_export(const char *function, struct doca_sync_event *event, enum se_location to,
                       struct doca_dev *dev, const uint8_t **data, size_t *sz)
{
    struct errtext err = {""};
    struct se_export *export = NULL;

    pthread_mutex_lock(&event->lock);
    doca_error_t e = get_export(event, to, dev, &export, &err);
    pthread_mutex_unlock(&event->lock);
    if (e != DOCA_SUCCESS)
        return report(function,
                      CODE_AMONG(e, DOCA_ERROR_DRIVER, DOCA_ERROR_INVALID_VALUE,
                                 DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_NO_MEMORY),
                      &err);
    *data = export->made.desc;
    *sz = export->made.length;
    return DOCA_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Makes an event from the export of another process.

#include "sync_event.h"

#include "core/refused.h"
#include "export_desc.h"

static doca_error_t create(struct doca_dev *dev, const uint8_t *data, size_t size,
                           struct doca_sync_event **out, struct errtext *err)
{
    struct export_desc decoded;
    struct doca_sync_event *event;

    // Decided here, so that it holds even if docad disagrees or has gone.
    doca_error_t e = export_desc_decode(data, size, &decoded, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (decoded.target != DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the descriptor describes memory, not a sync event");
    if (!dev_function(dev)->can_import_dpu)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "device %s cannot import events: physical functions of a DPU can",
                           dev_function(dev)->name);
    e = se_new(&event, err);
    if (e != DOCA_SUCCESS)
        return e;
    event->imported = true;
    event->publisher_dev = dev_ref(dev);
    e = se_import_begin(event, dev, data, size, err);
    if (e != DOCA_SUCCESS) {
        se_free(event);
        return e;
    }
    *out = event;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
                                                size_t sz, struct doca_sync_event **event)
{
    struct errtext err = {""};

    if (!dev || !data || !event)
        return REFUSED_NULL(dev, data, event);
    doca_error_t e = create(dev, data, sz, event, &err);
    return report(__func__,
                  CODE_AMONG(e, DOCA_ERROR_DRIVER, DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NO_MEMORY,
                             DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_NOT_PERMITTED,
                             DOCA_ERROR_UNSUPPORTED_VERSION, DOCA_ERROR_NOT_FOUND),
                  &err);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Makes an event of the export of another process.

#include "sync_event.h"

#include "core/refused.h"
#include "export_desc.h"

static doca_error_t take(struct doca_sync_event *event, enum se_location to, struct doca_dev *dev,
                         const uint8_t *data, size_t size, struct errtext *err)
{
    bool net = to == SE_NET;
    struct export_desc decoded;

    // Decided here, so that it holds even if docad disagrees or has ended.
    doca_error_t e = export_desc_decode(data, size, &decoded, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (!export_is_event(decoded.target))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the descriptor describes memory, not a sync event");
    if (net != (decoded.target == DOCAD__EXPORT_TARGET__TARGET_NET_EVENT))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           net ? "the event was exported across PCI, not for RDMA"
                               : "the event was exported for RDMA, not across PCI");
    if (!net && !dev_function(dev)->can_import_dpu)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "device %s cannot import events: physical functions of a DPU can",
                           dev_function(dev)->name);
    event->imported = true;
    event->publisher_dev = dev_ref(dev);
    return se_import_begin(event, dev, data, size, err);
}

doca_error_t se_from_export(const char *function, struct doca_sync_event *event,
                            enum se_location to, struct doca_dev *dev, const uint8_t *data,
                            size_t size)
{
    struct errtext err = {""};
    doca_error_t e = take(event, to, dev, data, size, &err);

    return report(function,
                  CODE_AMONG(e, DOCA_ERROR_DRIVER, DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NO_MEMORY,
                             DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_NOT_PERMITTED,
                             DOCA_ERROR_UNSUPPORTED_VERSION, DOCA_ERROR_NOT_FOUND),
                  &err);
}

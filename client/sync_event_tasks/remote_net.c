// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Events across a network: their export, and what RDMA tasks use on the other side.

#include "core/device_card.h"
#include "core/refused.h"
#include "sync_event/se_remote_net.h"

#include <doca_sync_event.h>
#include <stdlib.h>

doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event)
{
    return event ? se_add_location(__func__, event, true, SE_NET, NULL) : REFUSED_NULL(event);
}

doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
                                                  const uint8_t **data, size_t *sz)
{
    struct errtext err;

    if (!event || !data || !sz)
        return REFUSED_NULL(event, data, sz);
    doca_error_t e = dev_check_card(se_device(event), CARD_RDMA, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    return se_export(__func__, event, SE_NET, se_device(event), data, sz);
}

doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
                                              struct doca_sync_event_remote_net **event)
{
    struct errtext err;

    if (!dev || !data || !event)
        return REFUSED_NULL(dev, data, event);
    doca_error_t e = dev_check_card(dev, CARD_RDMA, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    struct doca_sync_event_remote_net *made = calloc(1, sizeof(*made));
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    se_init(&made->event, NULL);
    e = se_from_export(__func__, &made->event, SE_NET, dev, data, sz);
    if (e != DOCA_SUCCESS) {
        se_fini(&made->event);
        free(made);
        return e;
    }
    alive_begin(&made->alive);
    *event = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event)
{
    if (!event)
        return REFUSED_NULL(event);
    if (!alive_now(&event->alive))
        return report_why(__func__, DOCA_ERROR_INVALID_VALUE, ENDED_ALREADY);
    alive_end(&event->alive);
    se_fini(&event->event);
    free(event);
    return DOCA_SUCCESS;
}

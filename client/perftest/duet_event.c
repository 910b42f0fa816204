// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "duet_event.h"

#include <doca_sync_event.h>

bool duet_event_make(struct doca_sync_event **event, struct doca_dev *dev, const uint8_t **desc,
                     size_t *desc_size, struct problem *problem)
{
    DOCA_TRY(problem, doca_sync_event_create, event);
    DOCA_TRY(problem, doca_sync_event_add_publisher_location_cpu, *event, dev);
    DOCA_TRY(problem, doca_sync_event_add_subscriber_location_remote_pci, *event);
    DOCA_TRY(problem, doca_sync_event_start, *event);
    DOCA_TRY(problem, doca_sync_event_export_to_remote_pci, *event, dev, desc, desc_size);
    return true;
}

bool duet_event_take(struct doca_sync_event **event, struct doca_dev *dev, const uint8_t *desc,
                     size_t desc_size, struct problem *problem)
{
    DOCA_TRY(problem, doca_sync_event_create_from_export, dev, desc, desc_size, event);
    DOCA_TRY(problem, doca_sync_event_start, *event);
    return true;
}

void duet_event_end(struct doca_sync_event *event)
{
    doca_sync_event_stop(event);
    doca_sync_event_destroy(event);
}

bool duet_event_turns(struct doca_sync_event *event, uint64_t *turn, uint64_t n, bool first,
                      struct problem *problem)
{
    doca_error_t r = DOCA_SUCCESS;
    uint64_t now = *turn;

    for (uint64_t i = 0; i < n && r == DOCA_SUCCESS; i++, now += 2) {
        if (first)
            r = doca_sync_event_update_set(event, now + 1);
        if (r == DOCA_SUCCESS)
            r = doca_sync_event_wait_eq(event, now + 1 + first, UINT64_MAX);
        if (!first && r == DOCA_SUCCESS)
            r = doca_sync_event_update_set(event, now + 2);
    }
    *turn = now;
    return r == DOCA_SUCCESS || problem_doca(problem, "a sync event", r);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//

#include "event_2_2.h"

#include "client.h"

#include <check.h>
#include <doca_sync_event.h>

static void play(struct doca_sync_event *event, uint64_t first)
{
    for (uint64_t value = first; value <= EVENT_ROUNDS; value += 2) {
        ck_assert_success(doca_sync_event_update_set(event, value));
        if (value < EVENT_ROUNDS)
            ck_assert_success(doca_sync_event_wait_gt_yield(event, value, UINT64_MAX));
    }
}

int event_2_2_owner(struct child *self, void *arg)
{
    struct doca_dev *dev = client_open(HOST_PF0);
    struct doca_sync_event *event;
    const uint8_t *data;
    size_t size;

    (void)arg;
    ck_assert_success(doca_sync_event_create(&event));
    ck_assert_success(doca_sync_event_publisher_add_location_dpu(event));
    ck_assert_success(doca_sync_event_subscriber_add_location_cpu(event, dev));
    ck_assert_success(doca_sync_event_start(event));
    ck_assert_success(doca_sync_event_export_to_dpu(event, dev, &data, &size));
    child_send(self, data, size);
    play(event, 1);
    child_wait(self, "end");
    ck_assert_success(doca_sync_event_stop(event));
    ck_assert_success(doca_sync_event_destroy(event));
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

int event_2_2_user(struct child *self, void *arg)
{
    struct doca_dev *dev = client_open(DPU_P0);
    struct doca_sync_event *event;
    uint8_t data[256];

    (void)arg;
    size_t size = child_receive(self, data, sizeof(data));
    ck_assert_success(doca_sync_event_create_from_export(dev, data, size, &event));
    ck_assert_success(doca_sync_event_start(event));
    ck_assert_success(doca_sync_event_wait_gt_yield(event, 0, UINT64_MAX));
    play(event, 2);
    child_tell(self, "played");
    ck_assert_success(doca_sync_event_stop(event));
    ck_assert_success(doca_sync_event_destroy(event));
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

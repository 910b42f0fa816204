// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events of one's own, on the host.

#include "tables.h"

#include "client.h"

#include <check.h>
#include <doca_sync_event.h>

enum { FRESH, CONFIGURED, STARTED, CONTEXT, STOPPED };

static struct {
    struct doca_dev *dev;
    struct doca_sync_event *event;
    struct doca_workq *workq;
    uint64_t word;
} w;

static void enter(unsigned state)
{
    w.dev = client_open(HOST_PF0);
    w.word = 1;
    ck_assert_success(doca_sync_event_create(&w.event));
    if (state >= CONFIGURED) {
        ck_assert_success(doca_sync_event_publisher_add_location_dpu(w.event));
        ck_assert_success(doca_sync_event_subscriber_add_location_cpu(w.event, w.dev));
    }
    if (state == STARTED || state == STOPPED) {
        ck_assert_success(doca_sync_event_start(w.event));
        ck_assert_success(doca_sync_event_update_set(w.event, 1)); // so that waits end
    }
    if (state == STOPPED)
        ck_assert_success(doca_sync_event_stop(w.event));
    if (state == CONTEXT) {
        struct doca_ctx *ctx = doca_sync_event_as_ctx(w.event);
        ck_assert_success(doca_ctx_start(ctx));
        ck_assert_success(doca_workq_create(1, &w.workq));
        ck_assert_success(doca_ctx_workq_add(ctx, w.workq));
    }
}

static void leave(void)
{
    if (w.workq) {
        ck_assert_success(doca_ctx_workq_rm(doca_sync_event_as_ctx(w.event), w.workq));
        ck_assert_success(doca_workq_destroy(w.workq));
    }
    if (w.event)
        ck_assert_success(doca_sync_event_destroy(w.event));
    ck_assert_success(doca_dev_close(w.dev));
    w.event = NULL;
    w.workq = NULL;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    bool makes = same(function, "doca_sync_event_create") ||
                 same(function, "doca_sync_event_create_from_export");
    bool import = same(function, "doca_sync_event_create_from_export");

    if (same(param, "event"))
        return makes ? GIVEN_NONE : GIVE(w.event);
    if (same(param, "dev"))
        return GIVE(w.dev);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(w.dev));
    if (same(param, "addr"))
        return GIVE(&w.word);
    if (import && same(param, "data"))
        return GIVE(exported_desc); // of memory, hence of no event
    *value = same(param, "mask")   ? UINT64_MAX
             : same(param, "type") ? DOCA_SYNC_EVENT_JOB_WAIT_GT
             : import              ? exported_desc_len
                                   : 0;
    return same(param, "mask") || same(param, "type") || (import && same(param, "sz")) ||
                   (same(param, "value") && !same(function, "doca_sync_event_get"))
               ? GIVEN
               : GIVEN_NONE;
}

#define ONCE        OK, INVALID, INVALID, INVALID, INVALID
#define EXPORTS     INVALID, INVALID, OK, OK, INVALID
#define SYNCHRONOUS INVALID, INVALID, OK, INVALID, INVALID

static const struct row rows[] = {
    // fresh, configured, started, started as a context, stopped
    {"doca_sync_event_create", ANY(OK)},
    {"doca_sync_event_create_from_export", ANY(INVALID)},
    {"doca_sync_event_get_create_from_export_supported", ANY(UNSUPP)},
    {"doca_sync_event_destroy", {OK, OK, OK, INVALID, OK}},
    {"doca_sync_event_publisher_add_location_cpu", {ONCE}},
    {"doca_sync_event_publisher_add_location_dpa", ANY(UNSUPP)},
    {"doca_sync_event_publisher_add_location_gpu", ANY(UNSUPP)},
    {"doca_sync_event_publisher_add_location_dpu", {ONCE}},
    {"doca_sync_event_subscriber_add_location_cpu", {ONCE}},
    {"doca_sync_event_subscriber_add_location_dpa", ANY(UNSUPP)},
    {"doca_sync_event_subscriber_add_location_gpu", ANY(UNSUPP)},
    {"doca_sync_event_subscriber_add_location_dpu", {ONCE}},
    {"doca_sync_event_set_addr", {OK, OK, STATE, STATE, OK}},
    {"doca_sync_event_start", {INVALID, OK, INVALID, INVALID, OK}},
    {"doca_sync_event_stop", {SYNCHRONOUS}},
    {"doca_sync_event_as_ctx", {OK, OK, INVALID, OK, INVALID}},
    {"doca_sync_event_job_get_supported", ANY(OK)},
    {"doca_sync_event_export_to_dpu", {EXPORTS}},
    {"doca_sync_event_get_export_to_dpu_supported", ANY(OK)},
    {"doca_sync_event_export_to_dpa", ANY(UNSUPP)},
    {"doca_sync_event_get_export_to_dpa_supported", ANY(UNSUPP)},
    {"doca_sync_event_export_to_gpu", ANY(UNSUPP)},
    {"doca_sync_event_get_export_to_gpu_supported", ANY(UNSUPP)},
    {"doca_sync_event_export_remote", {EXPORTS}},
    {"doca_sync_event_get", {SYNCHRONOUS}},
    {"doca_sync_event_update_add", {SYNCHRONOUS}},
    {"doca_sync_event_update_set", {SYNCHRONOUS}},
    {"doca_sync_event_wait_gt", {SYNCHRONOUS}},
    {"doca_sync_event_wait_gt_yield", {SYNCHRONOUS}},
};

GROUP(sync_events) = {
    .name = "sync event",
    .states = {"fresh", "configured", "started", "started as a context", "stopped"},
    ROWS(rows),
    .probe = "doca_sync_event_start",
    .enter = enter,
    .leave = leave,
    .argument = argue,
    LIVES({"doca_sync_event_create", "doca_sync_event_destroy", &w.event}),
};

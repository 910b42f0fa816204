// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "event_mode.h"

#include "example.h"

#include <poll.h>

void event_start(struct event_mode *mode, struct doca_sync_event *event, bool asynchronous)
{
    *mode = (struct event_mode){.event = event};
    if (!asynchronous) {
        must(doca_sync_event_start(event), "cannot start the event");
        return;
    }
    mode->ctx = doca_sync_event_as_ctx(event);
    must(doca_ctx_start(mode->ctx), "cannot start the event");
    must(doca_workq_create(4, &mode->workq), "cannot make a work queue");
    must(doca_workq_set_event_driven_enable(mode->workq, 1), "cannot choose event-driven mode");
    must(doca_workq_get_event_handle(mode->workq, &mode->handle), "cannot get the event handle");
    must(doca_ctx_workq_add(mode->ctx, mode->workq), "cannot add the work queue");
}

// Submits the job and sleeps until it is done.
static void run(struct event_mode *mode, const struct doca_job *job)
{
    struct doca_event done;
    doca_error_t result;

    must(doca_workq_submit(mode->workq, job), "cannot submit the job");
    while ((result = doca_workq_progress_retrieve(
                mode->workq, &done, DOCA_WORKQ_RETRIEVE_FLAGS_NONE)) == DOCA_ERROR_AGAIN) {
        must(doca_workq_event_handle_arm(mode->workq), "cannot arm");
        poll(&(struct pollfd){.fd = mode->handle, .events = POLLIN}, 1, -1);
        must(doca_workq_event_handle_clear(mode->workq, mode->handle), "cannot clear");
    }
    if (result == DOCA_ERROR_IO_FAILED)
        must((doca_error_t)done.result.u64, "the job failed");
    must(result, "cannot retrieve the job's event");
}

static struct doca_job base(const struct event_mode *mode, int type)
{
    return (struct doca_job){.type = type, .flags = DOCA_JOB_FLAGS_NONE, .ctx = mode->ctx};
}

void event_set(struct event_mode *mode, uint64_t value)
{
    struct doca_sync_event_job_update_set job = {.base = base(mode, DOCA_SYNC_EVENT_JOB_UPDATE_SET),
                                                 .value = value};
    if (mode->ctx)
        run(mode, &job.base);
    else
        must(doca_sync_event_update_set(mode->event, value), "cannot set the event");
}

uint64_t event_add(struct event_mode *mode, uint64_t value)
{
    uint64_t before = 0;
    struct doca_sync_event_job_update_add job = {
        .base = base(mode, DOCA_SYNC_EVENT_JOB_UPDATE_ADD), .value = value, .fetched = &before};
    if (mode->ctx)
        run(mode, &job.base);
    else
        must(doca_sync_event_update_add(mode->event, value, &before), "cannot add to the event");
    return before;
}

void event_wait_gt(struct event_mode *mode, uint64_t value)
{
    struct doca_sync_event_job_wait job = {
        .base = base(mode, DOCA_SYNC_EVENT_JOB_WAIT_GT), .value = value, .mask = UINT64_MAX};
    if (mode->ctx)
        run(mode, &job.base);
    else
        must(doca_sync_event_wait_gt_yield(mode->event, value, UINT64_MAX),
             "cannot wait for the event");
}

void event_end(struct event_mode *mode)
{
    if (mode->ctx) {
        must(doca_ctx_workq_rm(mode->ctx, mode->workq), "cannot remove the work queue");
        must(doca_workq_destroy(mode->workq), "cannot destroy the work queue");
        must(doca_ctx_stop(mode->ctx), "cannot stop the event");
    } else {
        must(doca_sync_event_stop(mode->event), "cannot stop the event");
    }
    must(doca_sync_event_destroy(mode->event), "cannot destroy the event");
}

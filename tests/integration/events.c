// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "events.h"

#include "deadline.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

const struct plan event_plans[EVENT_PLANS] = {
    {false, false, false, 0}, {true, false, false, 0},   {true, true, false, 0},
    {false, false, true, 8},  {true, false, true, 8},    {true, true, true, 8},
    {false, false, true, 3},  {true, false, true, 4093}, {true, true, true, 61},
};

void jobs_open(struct jobs *j, struct doca_sync_event *event, bool event_driven)
{
    *j = (struct jobs){.ctx = doca_sync_event_as_ctx(event), .handle = -1};
    ck_assert_ptr_nonnull(j->ctx);
    ck_assert_success(doca_ctx_start(j->ctx));
    ck_assert_success(doca_workq_create(8, &j->workq));
    if (event_driven) {
        ck_assert_success(doca_workq_set_event_driven_enable(j->workq, 1));
        ck_assert_success(doca_workq_get_event_handle(j->workq, &j->handle));
    }
    ck_assert_success(doca_ctx_workq_add(j->ctx, j->workq));
}

void jobs_close(struct jobs *j)
{
    ck_assert_success(doca_ctx_workq_rm(j->ctx, j->workq));
    ck_assert_success(doca_workq_destroy(j->workq));
    ck_assert_success(doca_ctx_stop(j->ctx));
}

struct doca_job job_base(struct jobs *j, int type)
{
    return (struct doca_job){.type = type, .ctx = j->ctx, .user_data = {.u64 = (uint64_t)type * 3}};
}

doca_error_t jobs_next(struct jobs *j, int type)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct doca_event event;
    doca_error_t r;
    while ((r = doca_workq_progress_retrieve(j->workq, &event, 0)) == DOCA_ERROR_AGAIN) {
        ck_assert_msg(now_ms() < deadline, "the job hangs");
        if (j->handle >= 0)
            workq_sleep(j->workq, j->handle);
    }
    ck_assert(r == DOCA_SUCCESS || r == DOCA_ERROR_IO_FAILED);
    ck_assert_int_eq(event.type, type);
    ck_assert_uint_eq(event.user_data.u64, (uint64_t)type * 3);
    ck_assert((r == DOCA_SUCCESS) == (event.result.u64 == DOCA_SUCCESS));
    return (doca_error_t)event.result.u64;
}

void job_submit_wait(struct jobs *j, uint64_t value, uint64_t mask)
{
    struct doca_sync_event_job_wait job = {
        .base = job_base(j, DOCA_SYNC_EVENT_JOB_WAIT_GT), .value = value, .mask = mask};
    ck_assert_success(doca_workq_submit(j->workq, &job.base));
}

doca_error_t job_set(struct jobs *j, uint64_t value)
{
    struct doca_sync_event_job_update_set job = {
        .base = job_base(j, DOCA_SYNC_EVENT_JOB_UPDATE_SET), .value = value};
    ck_assert_success(doca_workq_submit(j->workq, &job.base));
    return jobs_next(j, DOCA_SYNC_EVENT_JOB_UPDATE_SET);
}

uint64_t job_add(struct jobs *j, uint64_t value)
{
    uint64_t before = ~0ull;
    struct doca_sync_event_job_update_add job = {
        .base = job_base(j, DOCA_SYNC_EVENT_JOB_UPDATE_ADD), .value = value, .fetched = &before};
    ck_assert_success(doca_workq_submit(j->workq, &job.base));
    ck_assert_success(jobs_next(j, DOCA_SYNC_EVENT_JOB_UPDATE_ADD));
    return before;
}

uint64_t job_get(struct jobs *j)
{
    uint64_t value = ~0ull;
    struct doca_sync_event_job_get job = {.base = job_base(j, DOCA_SYNC_EVENT_JOB_GET),
                                          .value = &value};
    ck_assert_success(doca_workq_submit(j->workq, &job.base));
    ck_assert_success(jobs_next(j, DOCA_SYNC_EVENT_JOB_GET));
    return value;
}

void owner_open(struct owner *o, const struct plan *plan, struct child *self)
{
    const uint8_t *data, *same;
    size_t size, same_size;

    *o = (struct owner){.dev = client_open(HOST_PF0)};
    ck_assert_success(doca_sync_event_create(&o->event));
    ck_assert_success(doca_sync_event_publisher_add_location_dpu(o->event));
    ck_assert_success(doca_sync_event_subscriber_add_location_cpu(o->event, o->dev));
    if (plan->own_memory) {
        o->memory = aligned_alloc(4096, 8192);
        memset(o->memory, 0, 8192);
        ck_assert_success(
            doca_sync_event_set_addr(o->event, (uint64_t *)(void *)(o->memory + plan->offset)));
    }
    ck_assert_error(doca_sync_event_export_to_dpu(o->event, o->dev, &data, &size),
                    DOCA_ERROR_INVALID_VALUE);
    if (plan->asynchronous)
        jobs_open(&o->jobs, o->event, plan->event_driven);
    else
        ck_assert_success(doca_sync_event_start(o->event));
    ck_assert_success(doca_sync_event_export_to_dpu(o->event, o->dev, &data, &size));
    ck_assert_success(doca_sync_event_export_to_dpu(o->event, o->dev, &same, &same_size));
    ck_assert(same == data && same_size == size);
    ck_assert_uint_le(size, 256);
    child_send(self, data, size);
}

void owner_close(struct owner *o, const struct plan *plan)
{
    if (plan->asynchronous)
        jobs_close(&o->jobs);
    else
        ck_assert_success(doca_sync_event_stop(o->event));
    ck_assert_success(doca_sync_event_destroy(o->event));
    ck_assert_success(doca_dev_close(o->dev));
    free(o->memory);
}

void importer_open(struct owner *o, const struct plan *plan, struct child *self)
{
    uint8_t data[4096];
    size_t size = child_receive(self, data, sizeof(data));
    uint64_t word = 0;

    *o = (struct owner){.dev = client_open(DPU_P0)};
    ck_assert_success(doca_sync_event_create_from_export(o->dev, data, size, &o->event));
    ck_assert_error(doca_sync_event_publisher_add_location_dpu(o->event), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_sync_event_set_addr(o->event, &word), DOCA_ERROR_NOT_SUPPORTED);
    if (plan->asynchronous)
        jobs_open(&o->jobs, o->event, plan->event_driven);
    else
        ck_assert_success(doca_sync_event_start(o->event));
}

void owner_await_gt(struct owner *o, const struct plan *plan, uint64_t value)
{
    if (plan->asynchronous) {
        job_submit_wait(&o->jobs, value, UINT64_MAX);
        ck_assert_success(jobs_next(&o->jobs, DOCA_SYNC_EVENT_JOB_WAIT_GT));
    } else {
        ck_assert_success(value % 2 ? doca_sync_event_wait_gt(o->event, value, UINT64_MAX)
                                    : doca_sync_event_wait_gt_yield(o->event, value, UINT64_MAX));
    }
}

void owner_set(struct owner *o, const struct plan *plan, uint64_t value)
{
    ck_assert_success(plan->asynchronous ? job_set(&o->jobs, value)
                                         : doca_sync_event_update_set(o->event, value));
}

uint64_t owner_add(struct owner *o, const struct plan *plan, uint64_t value)
{
    uint64_t before = ~0ull;
    if (plan->asynchronous)
        return job_add(&o->jobs, value);
    ck_assert_success(doca_sync_event_update_add(o->event, value, &before));
    return before;
}

uint64_t owner_get(struct owner *o, const struct plan *plan)
{
    uint64_t value = ~0ull;
    if (plan->asynchronous)
        return job_get(&o->jobs);
    ck_assert_success(doca_sync_event_get(o->event, &value));
    return value;
}

void hand_over(struct child *from, struct child *to)
{
    uint8_t data[4096];
    child_send(to, data, child_receive(from, data, sizeof(data)));
}

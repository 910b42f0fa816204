// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Contexts (by way of DMA) and work queues, of 2.2.

#include "task_world.h"

static struct {
    struct doca_dma *dma;
    struct doca_dma_job_memcpy job;
    doca_event_handle_t handle;
    unsigned in_flight;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_dma_as_ctx(w.dma);
}

static void make(bool event_driven)
{
    task_world_make();
    ck_assert_success(doca_buf_set_data(tw.src, tw.memory, 8)); // room for many copies
    ck_assert_success(doca_dma_create(&w.dma));
    w.handle = doca_event_invalid_handle;
    if (event_driven)
        ck_assert_success(doca_workq_get_event_handle(tw.workq, &w.handle));
    w.in_flight = 0;
    w.job = (struct doca_dma_job_memcpy){.base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx()},
                                         .dst_buff = tw.dst,
                                         .src_buff = tw.src};
}

static void configure(void)
{
    ck_assert_success(doca_ctx_dev_add(ctx(), tw.dev));
}

static void start(void)
{
    ck_assert_success(doca_ctx_start(ctx()));
}

static void submit(void)
{
    ck_assert_success(doca_workq_submit(tw.workq, &w.job.base));
    w.in_flight++;
}

// Exactly the events that are owed.
static void drain(void)
{
    struct doca_event event = {0};
    for (; w.in_flight; w.in_flight--)
        ck_assert_success(doca_workq_progress_retrieve(tw.workq, &event, 0));
    ck_assert_error(doca_workq_progress_retrieve(tw.workq, &event, 0), DOCA_ERROR_AGAIN);
}

static void leave(void)
{
    drain();
    if (w.dma) {
        doca_ctx_workq_rm(ctx(), tw.workq); // refused where it was not added
        ck_assert_success(doca_dma_destroy(w.dma));
    }
    w.dma = NULL;
    task_world_end();
}

// ---- contexts

enum { C_FRESH, C_CONFIGURED, C_STARTED, C_ATTACHED, C_BUSY, C_STOPPED };

static void enter_ctx(unsigned state)
{
    make(false);
    if (state >= C_CONFIGURED)
        configure();
    if (state >= C_STARTED)
        start();
    if (state == C_ATTACHED || state == C_BUSY)
        ck_assert_success(doca_ctx_workq_add(ctx(), tw.workq));
    if (state == C_BUSY)
        submit();
    if (state == C_STOPPED)
        ck_assert_success(doca_ctx_stop(ctx()));
}

static enum given argue_ctx(const char *function, const char *param, uint64_t *value)
{
    (void)function;
    if (same(param, "dma"))
        return GIVE(w.dma);
    if (same(param, "ctx"))
        return GIVE(ctx());
    if (same(param, "workq"))
        return GIVE(tw.workq);
    return task_world_argument(param, value);
}

static const struct row ctx_rows[] = {
    //                     fresh configured started with queue, with job, stopped
    {"doca_dma_create", ANY(OK)},
    {"doca_dma_destroy", {OK, OK, OK, IN_USE, IN_USE, OK}},
    {"doca_dma_as_ctx", ANY(OK)},
    {"doca_ctx_get_max_num_ctx", ANY(OK)},
    {"doca_ctx_dev_add", {OK, IN_USE, STATE, STATE, STATE, IN_USE}},
    {"doca_ctx_dev_rm", {FOUND, OK, STATE, STATE, STATE, OK}},
    {"doca_ctx_start", {INIT, OK, INVALID, INVALID, INVALID, OK}},
    {"doca_ctx_stop", {INVALID, INVALID, OK, IN_USE, IN_USE, INVALID}},
    {"doca_ctx_workq_add", {STATE, STATE, OK, IN_USE, IN_USE, STATE}},
    {"doca_ctx_workq_rm", {STATE, STATE, FOUND, OK, IN_USE, STATE}},
    {"doca_ctx_get_event_driven_supported", ANY(OK)},
    {"doca_ctx_set_datapath_on_gpu", {UNSUPP, UNSUPP, STATE, STATE, STATE, UNSUPP}},
};

GROUP(contexts) = {
    .name = "ctx",
    .states = {"fresh", "configured", "started", "with a work queue", "with a job in flight",
               "stopped"},
    ROWS(ctx_rows),
    .probe = "doca_ctx_workq_rm",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue_ctx,
    LIFETIMES({"doca_dma_create", "doca_dma_destroy", &w.dma}),
};

// ---- work queues

enum { Q_FRESH, Q_EVENT, Q_ATTACHED, Q_ATTACHED_EVENT, Q_ARMED, Q_FULL, Q_DETACHED };

static void enter_workq(unsigned state)
{
    make(state == Q_EVENT || state == Q_ATTACHED_EVENT || state == Q_ARMED);
    configure();
    start();
    if (state >= Q_ATTACHED)
        ck_assert_success(doca_ctx_workq_add(ctx(), tw.workq));
    if (state == Q_ARMED)
        ck_assert_success(doca_workq_event_handle_arm(tw.workq));
    for (unsigned i = 0; i < QUEUE_DEPTH && state == Q_FULL; i++)
        submit();
    if (state == Q_DETACHED)
        ck_assert_success(doca_ctx_workq_rm(ctx(), tw.workq));
}

static enum given argue_workq(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "workq"))
        return GIVE(tw.workq);
    if (same(param, "job"))
        return GIVE(&w.job);
    if (same(param, "handle") && same(function, "doca_workq_event_handle_clear")) {
        *value = (uint64_t)w.handle;
        return GIVEN;
    }
    // A depth; event-driven mode; no flags.
    *value = same(param, "flags") ? 0 : 1;
    return same(param, "flags") || same(param, "enable") || same(param, "event_handle") ||
                   same(param, "completion_key") ||
                   (same(param, "depth") && same(function, "doca_workq_create"))
               ? GIVEN
               : GIVEN_NONE;
}

static void workq_succeeded(const char *function, const uint64_t *a)
{
    (void)a;
    if (same(function, "doca_workq_destroy"))
        ck_assert_success(doca_workq_create(QUEUE_DEPTH, &tw.workq)); // for leave()
    else if (same(function, "doca_workq_submit"))
        w.in_flight++;
    else if (same(function, "doca_workq_progress_retrieve"))
        w.in_flight--;
}

#define EVENTS STATE, OK, STATE, OK, OK, STATE, STATE
#define MODE   OK, OK, STATE, OK, OK, STATE, OK

static const struct row workq_rows[] = {
    //                    fresh, event-driven, attached, attached event-driven, armed, full,
    //                    detached
    {"doca_workq_create", ANY(OK)},
    {"doca_workq_destroy", {OK, OK, IN_USE, IN_USE, IN_USE, IN_USE, OK}},
    {"doca_workq_submit", {FOUND, FOUND, OK, OK, OK, NO_MEM, FOUND}},
    {"doca_workq_progress_retrieve", {AGAIN, AGAIN, AGAIN, AGAIN, AGAIN, OK, AGAIN}},
    {"doca_workq_event_handle_arm", {EVENTS}},
    {"doca_workq_event_handle_clear", {EVENTS}},
    {"doca_workq_get_depth", ANY(OK)},
    {"doca_workq_get_event_driven_enable", ANY(OK)},
    {"doca_workq_get_event_handle", {MODE}},
    {"doca_workq_set_event_driven_enable", {MODE}},
    {"doca_workq_set_event_handle", ANY(UNSUPP)},
};

GROUP(workqs) = {
    .name = "workq",
    .states = {"fresh", "event-driven", "attached", "attached and event-driven", "armed", "full",
               "detached"},
    ROWS(workq_rows),
    .probe = "doca_workq_submit",
    .enter = enter_workq,
    .leave = leave,
    .argument = argue_workq,
    LIFETIMES({"doca_workq_create", "doca_workq_destroy", NULL}),
    .succeeded = workq_succeeded,
};

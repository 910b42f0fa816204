// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Contexts (by way of DMA) and work queues.

#include "tables.h"

#include "client.h"

#include <check.h>

#define DEPTH 2

static uint8_t memory[64] = "what is copied";

// All that a job needs.
static struct {
    struct doca_dev *dev;
    struct doca_dma *dma;
    struct doca_workq *workq;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *src, *dst;
    struct doca_dma_job_memcpy job;
    doca_event_handle_t handle;
    unsigned in_flight;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_dma_as_ctx(w.dma);
}

static void make_buffers(void)
{
    ck_assert_success(doca_mmap_create(NULL, &w.mmap));
    ck_assert_success(doca_mmap_set_memrange(w.mmap, memory, sizeof(memory)));
    ck_assert_success(doca_mmap_dev_add(w.mmap, w.dev));
    ck_assert_success(doca_mmap_start(w.mmap));
    ck_assert_success(doca_buf_inventory_create(NULL, 2, 0, &w.inventory));
    ck_assert_success(doca_buf_inventory_start(w.inventory));
    ck_assert_success(doca_buf_inventory_buf_by_data(w.inventory, w.mmap, memory, 8, &w.src));
    ck_assert_success(doca_buf_inventory_buf_by_addr(w.inventory, w.mmap, memory + 8, 56, &w.dst));
}

static void make(bool event_driven)
{
    w.dev = client_open(HOST_PF0);
    make_buffers();
    ck_assert_success(doca_dma_create(&w.dma));
    ck_assert_success(doca_workq_create(DEPTH, &w.workq));
    w.handle = doca_event_invalid_handle;
    if (event_driven)
        ck_assert_success(doca_workq_get_event_handle(w.workq, &w.handle));
    w.in_flight = 0;
    w.job = (struct doca_dma_job_memcpy){
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx()}, .dst_buff = w.dst, .src_buff = w.src};
}

static void configure(void)
{
    ck_assert_success(doca_ctx_dev_add(ctx(), w.dev));
}

static void start(void)
{
    ck_assert_success(doca_ctx_start(ctx()));
}

static void submit(void)
{
    ck_assert_success(doca_workq_submit(w.workq, &w.job.base));
    w.in_flight++;
}

// Exactly the events that are owed.
static void drain(void)
{
    struct doca_event event = {0};
    for (; w.in_flight; w.in_flight--)
        ck_assert_success(doca_workq_progress_retrieve(w.workq, &event, 0));
    ck_assert_error(doca_workq_progress_retrieve(w.workq, &event, 0), DOCA_ERROR_AGAIN);
}

static void leave(void)
{
    drain();
    // Refused where it was not added, or is not there any more.
    if (w.dma)
        doca_ctx_workq_rm(ctx(), w.workq);
    ck_assert_success(doca_workq_destroy(w.workq));
    if (w.dma)
        ck_assert_success(doca_dma_destroy(w.dma));
    ck_assert_success(doca_buf_refcount_rm(w.src, NULL));
    ck_assert_success(doca_buf_refcount_rm(w.dst, NULL));
    ck_assert_success(doca_buf_inventory_destroy(w.inventory));
    ck_assert_success(doca_mmap_destroy(w.mmap));
    ck_assert_success(doca_dev_close(w.dev));
    w.dma = NULL;
}

// ---- contexts ---------------------------------------------------------------------------

enum { FRESH, CONFIGURED, STARTED, ATTACHED, BUSY, STOPPED };

static void enter_ctx(unsigned state)
{
    make(false);
    if (state >= CONFIGURED)
        configure();
    if (state >= STARTED)
        start();
    if (state == ATTACHED || state == BUSY)
        ck_assert_success(doca_ctx_workq_add(ctx(), w.workq));
    if (state == BUSY)
        submit();
    if (state == STOPPED)
        ck_assert_success(doca_ctx_stop(ctx()));
}

static enum given argue_ctx(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "dma"))
        return same(function, "doca_dma_create") ? GIVEN_NONE : GIVE(w.dma);
    if (same(param, "ctx"))
        return GIVE(ctx());
    if (same(param, "workq"))
        return GIVE(w.workq);
    return same(param, "dev") ? GIVE(w.dev) : GIVEN_NONE;
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
    LIVES({"doca_dma_create", "doca_dma_destroy", &w.dma}),
};

// ---- work queues ------------------------------------------------------------------------

enum { Q_FRESH, Q_EVENT, Q_ATTACHED, Q_ATTACHED_EVENT, Q_ARMED, Q_FULL, Q_DETACHED };

static void enter_workq(unsigned state)
{
    make(state == Q_EVENT || state == Q_ATTACHED_EVENT || state == Q_ARMED);
    configure();
    start();
    if (state >= Q_ATTACHED)
        ck_assert_success(doca_ctx_workq_add(ctx(), w.workq));
    if (state == Q_ARMED)
        ck_assert_success(doca_workq_event_handle_arm(w.workq));
    for (unsigned i = 0; i < DEPTH && state == Q_FULL; i++)
        submit();
    if (state == Q_DETACHED)
        ck_assert_success(doca_ctx_workq_rm(ctx(), w.workq));
}

static enum given argue_workq(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "workq"))
        return same(function, "doca_workq_create") ? GIVEN_NONE : GIVE(w.workq);
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
        ck_assert_success(doca_workq_create(1, &w.workq)); // for leave()
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
    LIVES({"doca_workq_create", "doca_workq_destroy", NULL}),
    .succeeded = workq_succeeded,
};

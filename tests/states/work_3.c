// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Progress engines, contexts (by way of DMA) and tasks of DOCA 3.

#include "task_world.h"

#define N_TASKS 2

static struct {
    struct doca_dma *dma;
    struct doca_dma_task_memcpy *task;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_dma_as_ctx(w.dma);
}

TASK_CALLBACK(done, doca_dma_task_memcpy)

static void state_changed(const union doca_data data, struct doca_ctx *of,
                          enum doca_ctx_states prev, enum doca_ctx_states next)
{
    (void)data;
    (void)of;
    (void)prev;
    (void)next;
}

static void make(void)
{
    task_world_make();
    ck_assert_success(doca_dma_create(tw.dev, &w.dma));
    w.task = NULL;
}

static void connect_it(void)
{
    ck_assert_success(doca_pe_connect_ctx(tw.pe, ctx()));
    ck_assert_success(doca_dma_task_memcpy_set_conf(w.dma, done, done, N_TASKS));
}

static void start(void)
{
    ck_assert_success(doca_ctx_start(ctx()));
}

static void allocate(void)
{
    union doca_data data = {.u64 = 1};
    ck_assert_success(doca_dma_task_memcpy_alloc_init(w.dma, tw.src, tw.dst, data, &w.task));
}

static void submit(void)
{
    ck_assert_success(doca_task_submit(doca_dma_task_memcpy_as_task(w.task)));
}

static void stop(void)
{
    while (doca_ctx_stop(ctx()) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(tw.pe);
}

static void leave(void)
{
    if (w.dma) {
        stop();
        ck_assert_success(doca_dma_destroy(w.dma));
    }
    w.dma = NULL;
    task_world_end();
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "pe"))
        return same(function, "doca_pe_create") ? GIVEN_NONE : GIVE(tw.pe);
    if (same(param, "dma"))
        return same(function, "doca_dma_create") ? GIVEN_NONE : GIVE(w.dma);
    if (same(param, "ctx"))
        return GIVE(ctx());
    enum given given = task_world_argument(param, value);
    if (given == GIVEN)
        return given;
    if (same(param, "task") && !same(function, "doca_dma_task_memcpy_alloc_init"))
        return GIVE(w.task);
    if (same(param, "cb"))
        return GIVE(state_changed);
    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return GIVE(done);
    *value = 1; // numbers, modes and data of the program
    bool number =
        same(param, "num_memcpy_tasks") || same(param, "event_mode") || same(param, "flags") ||
        same(param, "comp_vector") || same(param, "handle") ||
        (same(param, "user_data") && !same(function, "doca_ctx_get_user_data")) ||
        (same(param, "ordered_completions") && !same(function, "doca_dma_get_ordered_completions"));
    if (same(function, "doca_pe_get_notification_handle"))
        return GIVEN_NONE;
    return number ? GIVEN : GIVEN_NONE;
}

static const struct lifetime lifetimes[] = {
    {"doca_pe_create", "doca_pe_destroy", &tw.pe},
    {"doca_dma_create", "doca_dma_destroy", &w.dma},
    {NULL},
};

// ---- engines

static void enter_engine(unsigned state)
{
    make();
    if (state == MADE) {
        ck_assert_success(doca_dma_destroy(w.dma));
        w.dma = NULL;
        return;
    }
    connect_it();
    if (state >= RUNNING) {
        start();
        allocate();
    }
    if (state == BUSY)
        submit();
}

static const struct row engine_rows[] = {
    {"doca_pe_create", ANY(OK)},
    {"doca_pe_destroy", {OK, IN_USE, IN_USE, IN_USE}},
    {"doca_pe_progress", ANY(OK)},
    {"doca_pe_get_notification_handle", ANY(OK)},
    {"doca_pe_clear_notification", ANY(OK)},
    {"doca_pe_request_notification", ANY(OK)},
    {"doca_pe_get_num_inflight_tasks", ANY(OK)},
    {"doca_pe_set_event_mode", ANY(OK)},
    {"doca_task_batch_submit", ANY(UNSUPP)},
    {"doca_task_batch_try_submit", ANY(UNSUPP)},
    {"doca_task_batch_free", ANY(OK)},
    {"doca_task_batch_get_status", ANY(UNSUPP)},
    {"doca_task_batch_set_user_data", ANY(OK)},
    {"doca_task_batch_get_user_data", ANY(OK)},
    {"doca_task_batch_get_ctx", ANY(UNSUPP)},
    {"doca_task_batch_get_ctx_user_data", ANY(OK)},
    {"doca_task_batch_get_tasks_num", ANY(OK)},
};

GROUP(engines) = {
    .name = "engine",
    .states = {"made", "with an idle context", "with one that runs", "busy"},
    ROWS(engine_rows),
    .probe = "doca_pe_destroy",
    .enter = enter_engine,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

// ---- contexts

enum { STOPPING = BUSY + 1, AT_REST };

static void enter_ctx(unsigned state)
{
    make();
    if (state >= CONNECTED)
        connect_it();
    if (state >= RUNNING)
        start();
    if (state == BUSY || state == STOPPING) {
        allocate();
        submit();
    }
    if (state == STOPPING)
        ck_assert_error(doca_ctx_stop(ctx()), DOCA_ERROR_IN_PROGRESS);
    if (state == AT_REST)
        stop();
}

#define WHILE_IDLE(code) code, code, STATE, STATE, STATE, code

static const struct row ctx_rows[] = {
    {"doca_dma_create", ANY(OK)},
    {"doca_dma_destroy", {OK, OK, IN_USE, IN_USE, IN_USE, OK}},
    {"doca_dma_as_ctx", ANY(OK)},
    {"doca_dma_cap_task_memcpy_is_supported", ANY(OK)},
    {"doca_dma_cap_get_max_num_tasks", ANY(OK)},
    {"doca_dma_cap_task_memcpy_get_max_buf_list_len", ANY(OK)},
    {"doca_dma_cap_task_memcpy_get_max_buf_size", ANY(OK)},
    {"doca_dma_task_memcpy_set_conf", {WHILE_IDLE(OK)}},
    {"doca_dma_task_memcpy_alloc_init", {STATE, STATE, OK, OK, STATE, STATE}, "src dst"},
    {"doca_dma_get_gpu_handle", ANY(UNSUPP), "dma gpu_dma"},
    {"doca_dma_set_ordered_completions", {WHILE_IDLE(OK)}},
    {"doca_dma_get_ordered_completions", ANY(OK)},
    {"doca_pe_connect_ctx", {OK, PERMIT, STATE, STATE, STATE, PERMIT}},
    {"doca_ctx_start", {NOT_CONN, OK, STATE, STATE, STATE, OK}},
    {"doca_ctx_stop", {NOT_CONN, OK, OK, GOING, GOING, OK}},
    {"doca_ctx_get_num_inflight_tasks", ANY(OK)},
    {"doca_ctx_set_user_data", ANY(OK)},
    {"doca_ctx_get_user_data", ANY(OK)},
    {"doca_ctx_set_state_changed_cb", ANY(OK)},
    {"doca_ctx_get_state", ANY(OK)},
    {"doca_ctx_flush_tasks", ANY(OK)},
    {"doca_ctx_set_datapath_on_gpu", {WHILE_IDLE(UNSUPP)}},
    {"doca_ctx_set_datapath_on_dpa", {WHILE_IDLE(UNSUPP)}},
    {"doca_ctx_set_completion_vector", {WHILE_IDLE(UNSUPP)}},
    {"doca_ctx_cap_get_num_completion_vectors", ANY(OK)},
};

GROUP(contexts) = {
    .name = "context",
    .states = {"made", "connected", "running", "busy", "stopping", "stopped"},
    ROWS(ctx_rows),
    .probe = "doca_ctx_start",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

// ---- tasks

enum { OUTLIVING = FREED + 1 }; // its context has stopped

static void enter_task(unsigned state)
{
    make();
    connect_it();
    start();
    allocate();
    if (state == IN_FLIGHT || state == DONE)
        submit();
    if (state == DONE)
        ck_assert_uint_eq(doca_pe_progress(tw.pe), 1);
    if (state == FREED)
        doca_task_free(doca_dma_task_memcpy_as_task(w.task));
    if (state == OUTLIVING)
        stop();
}

#define TO_SUBMIT OK, STATE, OK, INVALID, STATE

static const struct row task_rows[] = {
    {"doca_task_submit", {TO_SUBMIT}},
    {"doca_task_submit_ex", {TO_SUBMIT}},
    {"doca_task_try_submit", {TO_SUBMIT}},
    {"doca_task_free", ANY(OK)},
    {"doca_task_get_status", {OK, GOING, OK, OK, OK}},
    {"doca_task_set_user_data", ANY(OK)},
    {"doca_task_get_user_data", ANY(OK)},
    {"doca_task_get_ctx", ANY(OK)},
    {"doca_dma_task_memcpy_as_task", ANY(OK)},
    {"doca_dma_task_memcpy_set_src", ANY(OK)},
    {"doca_dma_task_memcpy_get_src", ANY(OK)},
    {"doca_dma_task_memcpy_set_dst", ANY(OK)},
    {"doca_dma_task_memcpy_get_dst", ANY(OK)},
};

GROUP(tasks) = {
    .name = "task",
    .states = {"allocated", "in flight", "done", "freed", "of a stopped context"},
    ROWS(task_rows),
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

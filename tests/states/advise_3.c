// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Contexts that give advice about memory maps, and their tasks.

#include "doca_3.h"
#include "memory_3.h"

#include "client.h"

#include <check.h>
#include <doca_mmap_advise.h>
#include <doca_pe.h>
#include <string.h>

static uint8_t memory[64];

static struct {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_mmap_advise *advise;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *buf;
    struct doca_mmap_advise_task_invalidate_cache *task;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_mmap_advise_as_ctx(w.advise);
}

static void over(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data data,
                 union doca_data ctx_data)
{
    (void)task;
    (void)data;
    (void)ctx_data;
}

enum { MADE, CONNECTED, RUNNING, BUSY, STOPPED };

static void make(void)
{
    w.dev = client_open(HOST_PF0);
    w.mmap = map_new_3(memory, sizeof(memory), false);
    ck_assert_success(doca_mmap_add_dev(w.mmap, w.dev));
    ck_assert_success(doca_mmap_start(w.mmap));
    ck_assert_success(doca_buf_inventory_create(1, &w.inventory));
    ck_assert_success(doca_buf_inventory_start(w.inventory));
    ck_assert_success(doca_buf_inventory_buf_get_by_data(w.inventory, w.mmap, memory, 64, &w.buf));
    ck_assert_success(doca_pe_create(&w.pe));
    ck_assert_success(doca_mmap_advise_create(w.dev, &w.advise));
}

static void submit(void)
{
    ck_assert_success(
        doca_task_submit(doca_mmap_advise_task_invalidate_cache_as_doca_task(w.task)));
}

static void make_running(void)
{
    const union doca_data data = {.u64 = 1};
    make();
    ck_assert_success(doca_pe_connect_ctx(w.pe, ctx()));
    ck_assert_success(doca_mmap_advise_task_invalidate_cache_set_conf(w.advise, over, over, 2));
    ck_assert_success(doca_ctx_start(ctx()));
    ck_assert_success(
        doca_mmap_advise_task_invalidate_cache_alloc_init(w.advise, w.buf, data, &w.task));
}

static void stop(void)
{
    while (doca_ctx_stop(ctx()) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(w.pe);
}

static void enter_ctx(unsigned state)
{
    if (state < RUNNING)
        make();
    else
        make_running();
    if (state == CONNECTED)
        ck_assert_success(doca_pe_connect_ctx(w.pe, ctx()));
    if (state == BUSY)
        submit();
    if (state == STOPPED) {
        doca_task_free(doca_mmap_advise_task_invalidate_cache_as_doca_task(w.task));
        stop();
    }
}

static void leave(void)
{
    if (w.advise) {
        enum doca_ctx_states state;
        ck_assert_success(doca_ctx_get_state(ctx(), &state));
        if (state != DOCA_CTX_STATE_IDLE)
            stop();
        ck_assert_success(doca_mmap_advise_destroy(w.advise));
    }
    ck_assert_success(doca_pe_destroy(w.pe));
    ck_assert_success(doca_buf_dec_refcount(w.buf, NULL));
    ck_assert_success(doca_buf_inventory_destroy(w.inventory));
    ck_assert_success(doca_mmap_destroy(w.mmap));
    ck_assert_success(doca_dev_close(w.dev));
    w.advise = NULL;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "mmap_advise"))
        return same(function, "doca_mmap_advise_create") ? GIVEN_NONE : GIVE(w.advise);
    if (same(param, "dev"))
        return GIVE(w.dev);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(w.dev));
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return GIVE(w.task);
    if (same(param, "buf"))
        return GIVE(w.buf);
    if (same(param, "completion_cb") || same(param, "error_cb"))
        return GIVE(over);
    *value = 1;
    return same(param, "num_tasks") || same(param, "user_data") ? GIVEN : GIVEN_NONE;
}

static void succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_mmap_advise_create"))
        ck_assert_success(doca_mmap_advise_destroy(*(struct doca_mmap_advise **)(uintptr_t)a[1]));
    else if (same(function, "doca_mmap_advise_destroy"))
        w.advise = NULL;
}

#define FIVE(code)                                                                                 \
    {                                                                                              \
        code, code, code, code, code                                                               \
    }

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped
    {"doca_mmap_advise_create", FIVE(OK), NULL},
    {"doca_mmap_advise_destroy", {OK, OK, IN_USE, IN_USE, OK}, NULL},
    {"doca_mmap_advise_as_ctx", FIVE(OK), NULL},
    {"doca_mmap_advise_cap_task_cache_invalidate_is_supported", FIVE(OK), NULL},
    {"doca_mmap_advise_task_cache_invalidate_get_max_buf_size", FIVE(OK), NULL},
    {"doca_mmap_advise_task_invalidate_cache_set_conf", {OK, OK, PERMIT, PERMIT, OK}, NULL},
    {"doca_mmap_advise_task_invalidate_cache_alloc_init", {STATE, STATE, OK, OK, STATE}, "buf"},
};

const struct group group_advices_3 = {
    .name = "mmap advise",
    .states = {"made", "connected", "running", "busy", "stopped"},
    .rows = ctx_rows,
    .n_rows = sizeof(ctx_rows) / sizeof(ctx_rows[0]),
    .probe = "doca_mmap_advise_task_invalidate_cache_set_conf",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .succeeded = succeeded,
};

// ---- tasks ------------------------------------------------------------------------------

enum { ALLOCATED, IN_FLIGHT, DONE };

static void enter_task(unsigned state)
{
    make_running();
    if (state != ALLOCATED)
        submit();
    while (state == DONE && doca_pe_progress(w.pe))
        ;
}

#define THREE(code)                                                                                \
    {                                                                                              \
        code, code, code                                                                           \
    }

static const struct row task_rows[] = {
    {"doca_mmap_advise_task_invalidate_cache_as_doca_task", THREE(OK), NULL},
    {"doca_mmap_advise_task_invalidate_cache_set_buf", THREE(OK), "buf"},
    {"doca_mmap_advise_task_invalidate_cache_get_buf", THREE(OK), NULL},
};

const struct group group_advice_tasks_3 = {
    .name = "invalidate cache task",
    .states = {"allocated", "in flight", "done"},
    .rows = task_rows,
    .n_rows = sizeof(task_rows) / sizeof(task_rows[0]),
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .succeeded = succeeded,
};

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Contexts that give advice about memory maps, and their tasks.

#include "task_world.h"

#include <doca_mmap_advise.h>
#include <string.h>

static struct {
    struct doca_mmap_advise *advise;
} w;

static struct doca_ctx *ctx(void)
{
    return w.advise ? doca_mmap_advise_as_ctx(w.advise) : NULL;
}

TASK_CALLBACK(over, doca_mmap_advise_task_invalidate_cache)

static void create(void)
{
    ck_assert_success(doca_mmap_advise_create(tw.dev, &w.advise));
}

static void configure(void)
{
    ck_assert_success(doca_mmap_advise_task_invalidate_cache_set_conf(w.advise, over, over, 2));
}

static void allocate(void)
{
    union doca_data data = {.u64 = 1};
    struct doca_mmap_advise_task_invalidate_cache *task;
    ck_assert_success(
        doca_mmap_advise_task_invalidate_cache_alloc_init(w.advise, tw.src, data, &task));
    tw.tasks[tw.n_tasks++] = doca_mmap_advise_task_invalidate_cache_as_doca_task(task);
}

static const struct lifetime lifetimes[] = {
    {"doca_mmap_advise_create", "doca_mmap_advise_destroy", &w.advise},
    {NULL},
};

TASK_LIBRARY

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "mmap_advise"))
        return GIVE(w.advise);
    enum given given = task_world_argument(param, value);
    if (given == GIVEN)
        return given;
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return GIVE(tw.tasks[0]);
    if (same(param, "buf"))
        return GIVE(tw.src);
    if (same(param, "completion_cb") || same(param, "error_cb"))
        return GIVE(over);
    *value = 1;
    return same(param, "num_tasks") || same(param, "user_data") ? GIVEN : GIVEN_NONE;
}

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped
    {"doca_mmap_advise_create", ANY(OK)},
    {"doca_mmap_advise_destroy", {OK, OK, IN_USE, IN_USE, OK}},
    {"doca_mmap_advise_as_ctx", ANY(OK)},
    {"doca_mmap_advise_cap_task_cache_invalidate_is_supported", ANY(OK)},
    {"doca_mmap_advise_task_cache_invalidate_get_max_buf_size", ANY(OK)},
    {"doca_mmap_advise_task_invalidate_cache_set_conf", {OK, OK, PERMIT, PERMIT, OK}},
    {"doca_mmap_advise_task_invalidate_cache_alloc_init", {STATE, STATE, OK, OK, STATE}, "buf"},
};

GROUP(advices) = {
    .name = "mmap advise",
    .states = {CONTEXT_STATES},
    ROWS(ctx_rows),
    .probe = "doca_mmap_advise_task_invalidate_cache_set_conf",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

// ---- tasks

static const struct row task_rows[] = {
    // allocated, in flight, done, freed
    {"doca_mmap_advise_task_invalidate_cache_as_doca_task", ANY(OK)},
    {"doca_mmap_advise_task_invalidate_cache_set_buf", ANY(OK), "buf"},
    {"doca_mmap_advise_task_invalidate_cache_get_buf", ANY(OK)},
};

GROUP(advice_tasks) = {
    .name = "invalidate cache task",
    .states = {TASK_STATES},
    ROWS(task_rows),
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

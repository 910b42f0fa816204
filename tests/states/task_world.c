// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "task_world.h"

#include <string.h>

struct task_world tw;

void task_world_make(void)
{
    memcpy(tw.memory, "what a task takes", sizeof("what a task takes"));
    tw.dev = client_open(HOST_PF0);
    tw.mmap = map_new(tw.dev, tw.memory, sizeof(tw.memory), true);
    tw.inventory = inventory_new(2);
    ck_assert_success(doca_buf_inventory_start(tw.inventory));
    ck_assert_success(
        doca_buf_inventory_buf_get_by_data(tw.inventory, tw.mmap, tw.memory, SOURCE_SIZE, &tw.src));
    ck_assert_success(doca_buf_inventory_buf_get_by_addr(
        tw.inventory, tw.mmap, tw.memory + SOURCE_SIZE, DESTINATION_SIZE, &tw.dst));
    BEFORE_3(ck_assert_success(doca_workq_create(QUEUE_DEPTH, &tw.workq));)
    OF_3(ck_assert_success(doca_pe_create(&tw.pe));)
    tw.n_tasks = 0;
}

void task_world_end(void)
{
    BEFORE_3(if (tw.workq) ck_assert_success(doca_workq_destroy(tw.workq));)
    OF_3(if (tw.pe) ck_assert_success(doca_pe_destroy(tw.pe));)
    ck_assert_success(doca_buf_dec_refcount(tw.src, NULL));
    ck_assert_success(doca_buf_dec_refcount(tw.dst, NULL));
    ck_assert_success(doca_buf_inventory_destroy(tw.inventory));
    ck_assert_success(doca_mmap_destroy(tw.mmap));
    ck_assert_success(doca_dev_close(tw.dev));
    tw.workq = NULL;
    tw.pe = NULL;
}

#if GENERATION == 3

static void make_running(const struct task_library *library)
{
    task_world_make();
    library->create();
    ck_assert_success(doca_pe_connect_ctx(tw.pe, library->ctx()));
    library->configure();
    ck_assert_success(doca_ctx_start(library->ctx()));
    library->allocate();
}

static void submit_all(void)
{
    for (unsigned i = 0; i < tw.n_tasks; i++)
        ck_assert_success(doca_task_submit(tw.tasks[i]));
}

static void free_all(void)
{
    for (unsigned i = 0; i < tw.n_tasks; i++)
        doca_task_free(tw.tasks[i]);
}

static void stop(const struct task_library *library)
{
    while (doca_ctx_stop(library->ctx()) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(tw.pe);
}

void task_library_enter(const struct task_library *library, unsigned state)
{
    if (state < RUNNING) {
        task_world_make();
        library->create();
    } else {
        make_running(library);
    }
    if (state == CONNECTED)
        ck_assert_success(doca_pe_connect_ctx(tw.pe, library->ctx()));
    if (state == BUSY)
        submit_all();
    if (state == STOPPED) {
        free_all();
        stop(library);
    }
}

void task_library_enter_tasks(const struct task_library *library, unsigned state)
{
    make_running(library);
    if (state == IN_FLIGHT || state == DONE)
        submit_all();
    while (state == DONE && doca_pe_progress(tw.pe))
        ;
    if (state == FREED)
        free_all();
}

static void end_run(const struct task_library *library)
{
    enum doca_ctx_states state;
    ck_assert_success(doca_ctx_get_state(library->ctx(), &state));
    if (state != DOCA_CTX_STATE_IDLE)
        stop(library);
}

#else

void task_library_enter(const struct task_library *library, unsigned state)
{
    task_world_make();
    library->create();
    if (state == MADE)
        return;
    ck_assert_success(doca_ctx_dev_add(library->ctx(), tw.dev));
    ck_assert_success(doca_ctx_start(library->ctx()));
    if (state != STARTED)
        ck_assert_success(doca_ctx_workq_add(library->ctx(), tw.workq));
}

static void end_run(const struct task_library *library)
{
    doca_ctx_workq_rm(library->ctx(), tw.workq); // refused where it was not added
}

#endif

void task_library_leave(const struct task_library *library)
{
    if (library->ctx())
        end_run(library);
    lifetimes_end(library->lifetimes);
    task_world_end();
}

enum given task_world_argument(const char *param, uint64_t *value)
{
    if (same(param, "dev"))
        return GIVE(tw.dev);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(tw.dev));
    if (strncmp(param, "src", 3) == 0)
        return GIVE(tw.src);
    if (strncmp(param, "dst", 3) == 0)
        return GIVE(tw.dst);
    return GIVEN_NONE;
}

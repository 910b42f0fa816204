// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Once a context runs, allocating, submitting, progress and freeing allocate nothing, take no
// lock, and do not enter the system.

#include "../dma/dma_rig.h"
#include "../quiet_path.h"
#include "unit.h"

#include <doca_ctx.h>
#include <doca_pe.h>

static struct doca_pe *pe;
static struct doca_dma *lib;
static struct doca_mmap map;
static struct doca_buf *src, *dst;
static uint8_t bytes[256];
static unsigned n_done;

static void done(struct doca_dma_task_memcpy *task, union doca_data data, union doca_data ctx_data)
{
    (void)data;
    (void)ctx_data;
    n_done++;
    doca_dma_task_memcpy_get_dst(task)->data_len = 0;
    if (n_done % 3 == 0)
        (void)doca_task_submit(doca_dma_task_memcpy_as_task(task));
    else
        doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static bool round_trip(unsigned i)
{
    struct doca_dma_task_memcpy *task;
    unsigned before = n_done;

    if (doca_dma_task_memcpy_alloc_init(lib, src, dst, (union doca_data){.u64 = i}, &task) !=
            DOCA_SUCCESS ||
        doca_task_submit(doca_dma_task_memcpy_as_task(task)) != DOCA_SUCCESS)
        return false;
    while (doca_pe_progress(pe))
        ;
    return n_done > before;
}

static void make(void)
{
    setup();
    map = local_map(bytes, sizeof(bytes));
    src = buffer(&map, bytes, 64, 64);
    dst = buffer(&map, bytes + 128, 64, 0);
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_create(&fake_dev, &lib), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_connect_ctx(pe, doca_dma_as_ctx(lib)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_task_memcpy_set_conf(lib, done, done, 4), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(doca_dma_as_ctx(lib)), DOCA_SUCCESS);
}

static void unmake(void)
{
    ck_assert_int_eq(doca_ctx_stop(doca_dma_as_ctx(lib)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_destroy(lib), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
    drop(src);
    drop(dst);
    teardown();
}

START_TEST(nothing_is_allocated_or_locked)
{
    make();
    assert_no_allocation_or_lock(round_trip);
    unmake();
}
END_TEST

START_TEST(polling_does_not_enter_the_system)
{
    make();
    assert_no_system_call(round_trip);
    unmake();
}
END_TEST

// A constructor that fails at any of its allocations leaves nothing.
START_TEST(the_nth_allocation_of_a_context_fails)
{
    struct doca_dma *made = NULL;
    doca_error_t r;

    for (unsigned n = 1;; n++) {
        allocations = 0;
        allocation_fails = n;
        r = doca_dma_create(&fake_dev, &made);
        allocation_fails = 0;
        if (allocations < n)
            break;
        ck_assert_int_eq(r, DOCA_ERROR_NO_MEMORY);
        ck_assert_ptr_null(made);
        ck_assert_uint_eq(fake_dev.refs, 1);
    }
    ck_assert_int_eq(r, DOCA_SUCCESS);
    allocations = 0;
    allocation_fails = 1;
    r = doca_dma_task_memcpy_set_conf(made, done, done, 4);
    allocation_fails = 0;
    ck_assert_int_eq(r, DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(doca_dma_destroy(made), DOCA_SUCCESS);
}
END_TEST

UNIT_MAIN("task_path", nothing_is_allocated_or_locked, polling_does_not_enter_the_system,
          the_nth_allocation_of_a_context_fails)

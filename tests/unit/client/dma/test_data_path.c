// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Once everything is started, taking buffers, submitting, retrieving and giving back
// allocates nothing, takes no lock and, in polling mode, does not enter the system.

#include "../quiet_path.h"
#include "dma_rig.h"
#include "unit.h"

#include <doca_bufpool.h>

static uint8_t from[256], to[256];
static struct doca_mmap from_map, import, to_map;
static struct doca_bufpool *pool;

static bool round_trip(unsigned i)
{
    struct doca_buf *src, *dst, *twin, *behind;
    struct doca_event event;
    size_t n = 1 + i % 64;
    uint16_t refs;

    struct doca_mmap *source = i % 4 < 2 ? &from_map : &import;
    if (doca_buf_inventory_buf_by_data(inventory, source, from, n, &src) != DOCA_SUCCESS ||
        doca_buf_inventory_buf_by_addr(inventory, &to_map, to, 128, &dst) != DOCA_SUCCESS ||
        doca_buf_inventory_buf_dup(inventory, src, &twin) != DOCA_SUCCESS ||
        doca_bufpool_buf_alloc(pool, &behind) != DOCA_SUCCESS)
        return false;
    if (doca_buf_list_chain(src, twin) != DOCA_SUCCESS ||
        doca_buf_list_chain(dst, behind) != DOCA_SUCCESS)
        return false;
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx}, .dst_buff = dst, .src_buff = src};
    if (i % 2) // one plain copy, too
        doca_buf_list_unchain(src, twin);
    if (doca_workq_submit(workq, &job.base) != DOCA_SUCCESS ||
        doca_workq_progress_retrieve(workq, &event, 0) != DOCA_SUCCESS ||
        doca_workq_progress_retrieve(workq, &event, 0) != DOCA_ERROR_AGAIN)
        return false;
    return doca_buf_refcount_rm(src, &refs) == DOCA_SUCCESS &&
           (i % 2 == 0 || doca_buf_refcount_rm(twin, NULL) == DOCA_SUCCESS) &&
           doca_buf_refcount_rm(dst, NULL) == DOCA_SUCCESS;
}

static void make(void)
{
    from_map = local_map(from, sizeof(from));
    to_map = local_map(to, sizeof(to));
    ck_assert_int_eq(doca_bufpool_create(NULL, 2, 0, 64, 64, &to_map, &pool), DOCA_SUCCESS);
    ck_assert_int_eq(doca_bufpool_start(pool), DOCA_SUCCESS);
    setup();
    fake_import(&import, from, sizeof(from), DOCA_ACCESS_DPU_READ_ONLY, 0);
}

static void unmake(void)
{
    ck_assert_int_eq(doca_bufpool_destroy(pool), DOCA_SUCCESS);
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

UNIT_MAIN("data_path", nothing_is_allocated_or_locked, polling_does_not_enter_the_system)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Advice about memory maps: a task that succeeds for every buffer of the device, and no other.

#include "fake_core.h"
#include "unit.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_mmap_advise.h>
#include <doca_pe.h>

static struct doca_pe *pe;
static struct doca_mmap_advise *advise;
static struct doca_buf_inventory *inventory;
static struct doca_mmap map;
static uint8_t memory[4096];
static unsigned n_done, n_failed;

static void done(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data data,
                 union doca_data ctx_data)
{
    (void)task, (void)ctx_data;
    ck_assert_uint_eq(data.u64, 7);
    n_done++;
}

static void failed(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data data,
                   union doca_data ctx_data)
{
    (void)ctx_data;
    ck_assert_uint_eq(data.u64, 7);
    ck_assert_int_ne(
        doca_task_get_status(doca_mmap_advise_task_invalidate_cache_as_doca_task(task)),
        DOCA_SUCCESS);
    n_failed++;
}

static void setup(void)
{
    n_done = n_failed = 0;
    map = fake_map(memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    ck_assert_int_eq(doca_buf_inventory_create(2, &inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_advise_create(&fake_dev, &advise), DOCA_SUCCESS);
    struct doca_ctx *ctx = doca_mmap_advise_as_ctx(advise);
    ck_assert_int_eq(doca_pe_connect_ctx(pe, ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_advise_task_invalidate_cache_set_conf(advise, done, failed, 1),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_advise_task_invalidate_cache_set_conf(advise, done, failed, 1),
                     DOCA_ERROR_NOT_PERMITTED);
}

static void teardown(void)
{
    ck_assert_int_eq(doca_ctx_stop(doca_mmap_advise_as_ctx(advise)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_advise_destroy(advise), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
}

START_TEST(a_buffer_of_the_device)
{
    struct doca_mmap_advise_task_invalidate_cache *task, *more = NULL;
    struct doca_buf *buf;
    const union doca_data data = {.u64 = 7};

    ck_assert_int_eq(doca_buf_inventory_buf_get_by_data(inventory, &map, memory, 100, &buf),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, data, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, data, &more),
                     DOCA_ERROR_NO_MEMORY);
    struct doca_task *as_task = doca_mmap_advise_task_invalidate_cache_as_doca_task(task);
    ck_assert_int_eq(doca_task_try_submit(as_task), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(n_done, 1);
    // Another buffer, of a map without the device.
    struct doca_mmap other = fake_map(memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    other.devices[0] = NULL;
    struct doca_buf *foreign;
    ck_assert_int_eq(doca_buf_inventory_buf_get_by_data(inventory, &other, memory, 9, &foreign),
                     DOCA_SUCCESS);
    doca_mmap_advise_task_invalidate_cache_set_buf(task, foreign);
    ck_assert_ptr_eq(doca_mmap_advise_task_invalidate_cache_get_buf(task), foreign);
    ck_assert_int_eq(doca_task_try_submit(as_task), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_task_submit(as_task), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_uint_eq(n_failed, 1);
    doca_mmap_advise_task_invalidate_cache_set_buf(task, NULL);
    ck_assert_int_eq(doca_task_try_submit(as_task), DOCA_ERROR_INVALID_VALUE);
    doca_task_free(as_task);
    ck_assert_int_eq(doca_buf_dec_refcount(buf, NULL), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_dec_refcount(foreign, NULL), DOCA_SUCCESS);
}
END_TEST

START_TEST(null_is_refused)
{
    struct doca_mmap_advise_task_invalidate_cache *task = NULL;
    const union doca_data data = {.u64 = 7};
    struct doca_mmap_advise *none = NULL;
    uint64_t size = 0;

    ck_assert_int_eq(doca_mmap_advise_create(NULL, &none), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_mmap_advise_create(&fake_dev, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_mmap_advise_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(doca_mmap_advise_as_ctx(NULL));
    ck_assert_int_eq(doca_mmap_advise_cap_task_cache_invalidate_is_supported(NULL),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_mmap_advise_task_cache_invalidate_get_max_buf_size(NULL, &size),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_mmap_advise_task_invalidate_cache_set_conf(advise, NULL, failed, 1),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_mmap_advise_task_invalidate_cache_alloc_init(NULL, NULL, data, &task),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(doca_mmap_advise_task_invalidate_cache_as_doca_task(NULL));
    ck_assert_ptr_null(doca_mmap_advise_task_invalidate_cache_get_buf(NULL));
    doca_mmap_advise_task_invalidate_cache_set_buf(NULL, NULL);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("mmap_advise");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_buffer_of_the_device);
    tcase_add_test(tcase, null_is_refused);
    return unit_run_case("mmap_advise", tcase);
}

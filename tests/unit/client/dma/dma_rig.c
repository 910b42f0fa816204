// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "dma_rig.h"

#include "compat15/compat15.h"
#include "queue/broker.h"

#include <check.h>

const volatile ptrdiff_t SHIFT = (ptrdiff_t)1 << 40;
const uint8_t node_a[NODE_ID_SIZE] = "node a", node_b[NODE_ID_SIZE] = "node b";

struct doca_dma *dma;
struct doca_ctx *ctx;
struct doca_workq *workq;
struct doca_buf_inventory *inventory;

static void start(bool event_driven)
{
    ctx = doca_dma_as_ctx(dma);
    ck_assert_int_eq(doca_ctx_dev_add(ctx, &fake_dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_create(64, &workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(workq, event_driven), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(ctx, workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_create(NULL, 256, 0, &inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
}

void setup_mode(bool event_driven)
{
    ck_assert_int_eq(doca_dma_create(&dma), DOCA_SUCCESS);
    start(event_driven);
}

void setup_1_5(void)
{
    ck_assert_int_eq(doca_1_5_dma_create(&dma), DOCA_SUCCESS);
    start(false);
}

void setup(void)
{
    setup_mode(false);
}

void teardown(void)
{
    ck_assert_int_eq(doca_ctx_workq_rm(ctx, workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_destroy(workq), DOCA_SUCCESS);
    ck_assert_uint_eq(fake_engines_open, 0);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_destroy(dma), DOCA_SUCCESS); // with its device
    ck_assert_uint_eq(fake_dev.refs, 1);
}

struct doca_buf *buffer(struct doca_mmap *map, const void *addr, size_t len, size_t data_len)
{
    struct doca_buf *buf;
    ck_assert_int_eq(doca_buf_inventory_buf_by_args(inventory, map, (void *)addr, len, (void *)addr,
                                                    data_len, &buf),
                     DOCA_SUCCESS);
    return buf;
}

void drop(struct doca_buf *buf)
{
    ck_assert_int_eq(doca_buf_refcount_rm(buf, NULL), DOCA_SUCCESS);
}

void chain(struct doca_buf *list, struct doca_buf *more)
{
    ck_assert_int_eq(doca_buf_list_chain(list, more), DOCA_SUCCESS);
}

doca_error_t try_submit(const struct doca_buf *src, struct doca_buf *dst, uint64_t id)
{
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx, .user_data.u64 = id},
        .src_buff = src,
        .dst_buff = dst};
    return doca_workq_submit(workq, &job.base);
}

void submit(const struct doca_buf *src, struct doca_buf *dst, uint64_t id)
{
    ck_assert_int_eq(try_submit(src, dst, id), DOCA_SUCCESS);
}

doca_error_t retrieve(uint64_t *id)
{
    struct doca_event event = {0};
    doca_error_t r = doca_workq_progress_retrieve(workq, &event, 0);
    if (r == DOCA_ERROR_AGAIN)
        return r;
    ck_assert_int_eq(event.type, DOCA_DMA_JOB_MEMCPY);
    ck_assert_int_eq(r, event.result.u64 == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
    if (id)
        *id = event.user_data.u64;
    return (doca_error_t)event.result.u64;
}

doca_error_t copy(const struct doca_buf *src, struct doca_buf *dst)
{
    submit(src, dst, 1);
    return retrieve(NULL);
}

void serve_all(void)
{
    for (unsigned i = 0; i < fake_engines_made; i++)
        if (fake_engines[i].open)
            fake_serve(&fake_engines[i], SHIFT, 1, DOCA_SUCCESS);
}

doca_error_t copy_served(const struct doca_buf *src, struct doca_buf *dst)
{
    doca_error_t r;
    submit(src, dst, 1);
    while ((r = retrieve(NULL)) == DOCA_ERROR_AGAIN)
        serve_all();
    return r;
}

void fill(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 131 + i / 253 + seed);
}

struct doca_mmap local_map(void *p, size_t n)
{
    return fake_map(p, n, DOCA_ACCESS_LOCAL_READ_WRITE);
}

void brokered_import(struct doca_mmap *map, uint8_t *p, size_t n, size_t head, size_t tail,
                     const uint8_t *node)
{
    struct errtext err;
    fake_import(map, p, n, DOCA_ACCESS_DPU_READ_WRITE, SHIFT);
    map->memory.grant_key = 5;
    ck_assert_int_eq(broker_node_get(fake_session, node, &map->memory.broker, &err), DOCA_SUCCESS);
    if (head)
        fake_part(map, 0, false);
    if (head < n)
        fake_part(map, head, head + tail < n);
    if (tail && head + tail < n)
        fake_part(map, n - tail, false);
}

void release(struct doca_mmap *map)
{
    map->memory.broker = broker_node_put(map->memory.broker);
}

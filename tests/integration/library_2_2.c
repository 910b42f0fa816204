// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "library_2_2.h"

#include "client.h"

#include "deadline.h"
#include "env.h"

#include <check.h>
#include <doca_sync_event.h>
#include <stdlib.h>
#include <string.h>

// The buffers of a job; unused if src is NULL.
struct pair {
    struct doca_buf *src, *dst;
};

struct library {
    struct doca_dev *dev;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_workq *workq;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map;
    struct doca_sync_event *event;
    uint8_t *memory;
    struct pair pairs[LIBRARY_JOBS];
};

static void open_map(struct library *l)
{
    ck_assert_success(doca_mmap_create(NULL, &l->map));
    ck_assert_success(doca_mmap_set_memrange(l->map, l->memory, LIBRARY_SIZE));
    ck_assert_success(doca_mmap_set_permissions(l->map, DOCA_ACCESS_DPU_READ_WRITE |
                                                            DOCA_ACCESS_LOCAL_READ_WRITE));
    ck_assert_success(doca_mmap_dev_add(l->map, l->dev));
    ck_assert_success(doca_mmap_start(l->map));
    ck_assert_success(
        doca_buf_inventory_create(NULL, 2 * LIBRARY_JOBS, DOCA_BUF_EXTENSION_NONE, &l->inventory));
    ck_assert_success(doca_buf_inventory_start(l->inventory));
}

static void open_event(struct library *l)
{
    ck_assert_success(doca_sync_event_create(&l->event));
    ck_assert_success(doca_sync_event_publisher_add_location_cpu(l->event, l->dev));
    ck_assert_success(doca_sync_event_subscriber_add_location_cpu(l->event, l->dev));
    ck_assert_success(doca_sync_event_start(l->event));
}

struct library *library_open(const char *pci_address)
{
    struct library *l = calloc(1, sizeof(*l));
    ck_assert_ptr_nonnull(l);
    l->dev = client_open(pci_address);
    l->memory = pages_new(LIBRARY_SIZE);
    open_map(l);
    open_event(l);
    ck_assert_success(doca_dma_create(&l->dma));
    l->ctx = doca_dma_as_ctx(l->dma);
    ck_assert_success(doca_ctx_dev_add(l->ctx, l->dev));
    ck_assert_success(doca_ctx_start(l->ctx));
    ck_assert_success(doca_workq_create(LIBRARY_JOBS, &l->workq));
    ck_assert_success(doca_ctx_workq_add(l->ctx, l->workq));
    return l;
}

void library_close(struct library *l)
{
    ck_assert_success(doca_ctx_workq_rm(l->ctx, l->workq));
    ck_assert_success(doca_workq_destroy(l->workq));
    ck_assert_success(doca_ctx_stop(l->ctx));
    ck_assert_success(doca_ctx_dev_rm(l->ctx, l->dev));
    ck_assert_success(doca_dma_destroy(l->dma));
    ck_assert_success(doca_sync_event_stop(l->event));
    ck_assert_success(doca_sync_event_destroy(l->event));
    ck_assert_success(doca_buf_inventory_destroy(l->inventory));
    ck_assert_success(doca_mmap_destroy(l->map));
    ck_assert_success(doca_dev_close(l->dev));
    free(l);
}

uint8_t *library_memory(struct library *l)
{
    return l->memory;
}

// ---- jobs ---------------------------------------------------------------------------------------

static struct pair *free_pair(struct library *l)
{
    for (size_t i = 0; i < LIBRARY_JOBS; i++)
        if (!l->pairs[i].src)
            return &l->pairs[i];
    ck_abort_msg("too many jobs");
}

static void submit(struct library *l, struct doca_mmap *map, uint8_t *from, uint8_t *to, size_t n)
{
    struct pair *pair = free_pair(l);
    ck_assert_success(
        n ? doca_buf_inventory_buf_by_data(l->inventory, map, from, n, &pair->src)
          : doca_buf_inventory_buf_by_addr(l->inventory, map, from, LIBRARY_PIECE, &pair->src));
    ck_assert_success(doca_buf_inventory_buf_by_addr(l->inventory, l->map, to,
                                                     n ? n : LIBRARY_PIECE, &pair->dst));
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = l->ctx, .user_data = {.ptr = pair}},
        .src_buff = pair->src,
        .dst_buff = pair->dst};
    ck_assert_success(doca_workq_submit(l->workq, &job.base));
}

// DOCA_ERROR_AGAIN if no job is done; else the result of one.
static doca_error_t retrieve(struct library *l)
{
    struct doca_event event;
    doca_error_t r = doca_workq_progress_retrieve(l->workq, &event, 0);
    if (r == DOCA_ERROR_AGAIN)
        return r;
    struct pair *pair = event.user_data.ptr;
    ck_assert_success(doca_buf_refcount_rm(pair->src, NULL));
    ck_assert_success(doca_buf_refcount_rm(pair->dst, NULL));
    pair->src = NULL;
    return r == DOCA_ERROR_IO_FAILED ? (doca_error_t)event.result.u64 : r;
}

static doca_error_t wait_for_one(struct library *l)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t r;
    while ((r = retrieve(l)) == DOCA_ERROR_AGAIN)
        ck_assert_msg(now_ms() < deadline, "a job hangs");
    return r;
}

void library_submit(struct library *l)
{
    for (size_t i = 0; i < LIBRARY_JOBS; i++)
        submit(l, l->map, l->memory + i * LIBRARY_PIECE,
               l->memory + (LIBRARY_JOBS + i) * LIBRARY_PIECE, LIBRARY_PIECE);
}

unsigned library_retrieve(struct library *l)
{
    unsigned n = 0;
    while (retrieve(l) == DOCA_SUCCESS)
        n++;
    return n;
}

void library_work(struct library *l)
{
    library_submit(l);
    for (unsigned i = 0; i < LIBRARY_JOBS; i++)
        ck_assert_success(wait_for_one(l));
}

doca_error_t library_fail(struct library *l)
{
    submit(l, l->map, l->memory, l->memory + LIBRARY_PIECE, 0);
    return wait_for_one(l);
}

// ---- others -------------------------------------------------------------------------------------

size_t library_export(struct library *l, uint8_t *desc, size_t room)
{
    const void *made;
    size_t size;
    ck_assert_success(doca_mmap_export_dpu(l->map, l->dev, &made, &size));
    ck_assert_uint_le(size, room);
    memcpy(desc, made, size);
    return size;
}

doca_error_t library_fetch(struct library *l, const void *desc, size_t desc_len, size_t n)
{
    struct doca_mmap *map;
    uint8_t *address;
    size_t length;

    doca_error_t r = doca_mmap_create_from_export(NULL, desc, desc_len, l->dev, &map);
    if (r != DOCA_SUCCESS)
        return r;
    ck_assert_success(doca_mmap_get_memrange(map, (void **)&address, &length));
    ck_assert_uint_ge(length, n);
    submit(l, map, address, l->memory, n);
    r = wait_for_one(l);
    ck_assert_success(doca_mmap_destroy(map));
    return r;
}

uint64_t library_count(struct library *l, uint64_t by)
{
    uint64_t before, value;
    ck_assert_success(doca_sync_event_update_add(l->event, by, &before));
    ck_assert_success(doca_sync_event_get(l->event, &value));
    ck_assert_uint_eq(value, before + by);
    return value;
}

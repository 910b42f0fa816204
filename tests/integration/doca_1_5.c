// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "doca_1_5.h"

#include "deadline.h"

#include <stdio.h>

struct doca_dev *open_1_5(const char *pci_address)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    struct doca_pci_bdf wanted = {.raw = 0}, bdf;
    unsigned bus, device, function;
    uint32_t n;
    ck_assert_int_eq(sscanf(pci_address, "%x:%x.%x", &bus, &device, &function), 3);
    wanted.bus = bus & 0xff;
    wanted.device = device & 0x1f;
    wanted.function = function & 7;
    ck_assert_success(doca_devinfo_list_create(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        ck_assert_success(doca_devinfo_get_pci_addr(list[i], &bdf));
        if (bdf.raw == wanted.raw)
            ck_assert_success(doca_dev_open(list[i], &dev));
    }
    ck_assert_ptr_nonnull(dev);
    ck_assert_success(doca_devinfo_list_destroy(list));
    return dev;
}

void rig_1_5_open(struct rig_1_5 *r, const char *pci_address, size_t buffers, bool event_driven)
{
    uint32_t depth = 0;
    r->dev = open_1_5(pci_address);
    ck_assert_success(doca_dma_create(&r->dma));
    r->ctx = doca_dma_as_ctx(r->dma);
    ck_assert_success(
        doca_buf_inventory_create(NULL, buffers, DOCA_BUF_EXTENSION_NONE, &r->inventory));
    ck_assert_success(doca_buf_inventory_start(r->inventory));
    ck_assert_success(doca_ctx_dev_add(r->ctx, r->dev));
    ck_assert_success(doca_ctx_start(r->ctx));
    ck_assert_success(doca_workq_create(32, &r->workq));
    ck_assert_success(doca_workq_get_depth(r->workq, &depth));
    ck_assert_uint_eq(depth, 32);
    if (event_driven) {
        ck_assert_success(doca_workq_set_event_driven_enable(r->workq, 1));
        ck_assert_success(doca_workq_get_event_handle(r->workq, &r->handle));
    }
    ck_assert_success(doca_ctx_workq_add(r->ctx, r->workq));
}

// Closes in the order that programs for 1.5 use: the device is closed before the DMA object.
void rig_1_5_close(struct rig_1_5 *r)
{
    ck_assert_success(doca_ctx_workq_rm(r->ctx, r->workq));
    ck_assert_success(doca_workq_destroy(r->workq));
    ck_assert_success(doca_buf_inventory_destroy(r->inventory));
    ck_assert_success(doca_ctx_stop(r->ctx));
    ck_assert_success(doca_ctx_dev_rm(r->ctx, r->dev));
    ck_assert_success(doca_dev_close(r->dev));
    ck_assert_success(doca_dma_destroy(r->dma));
}

struct doca_mmap *map_1_5(struct doca_dev *dev, void *memory, size_t size)
{
    struct doca_mmap *map;
    ck_assert_success(doca_mmap_create(NULL, &map));
    ck_assert_success(doca_mmap_start(map));
    ck_assert_success(doca_mmap_dev_add(map, dev));
    ck_assert_success(doca_mmap_populate(map, memory, size, 4096, NULL, NULL));
    return map;
}

struct doca_buf *room_1_5(struct rig_1_5 *r, struct doca_mmap *map, void *address, size_t size)
{
    struct doca_buf *buf;
    ck_assert_success(doca_buf_inventory_buf_by_addr(r->inventory, map, address, size, &buf));
    return buf;
}

struct doca_buf *data_1_5(struct rig_1_5 *r, struct doca_mmap *map, void *address, size_t size)
{
    struct doca_buf *buf;
    ck_assert_success(doca_buf_inventory_buf_by_data(r->inventory, map, address, size, &buf));
    return buf;
}

struct doca_dma_job_memcpy job_1_5(struct rig_1_5 *r, struct doca_buf *from, struct doca_buf *to)
{
    struct doca_dma_job_memcpy job = {.base = {.type = DOCA_DMA_JOB_MEMCPY,
                                               .flags = DOCA_JOB_FLAGS_NONE,
                                               .ctx = r->ctx,
                                               .user_data = {.u64 = 15}},
                                      .dst_buff = to,
                                      .src_buff = from};
    return job;
}

doca_error_t retrieve_1_5(struct rig_1_5 *r)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct doca_event event = {0};
    doca_error_t e;
    while ((e = doca_workq_progress_retrieve(r->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE)) ==
           DOCA_ERROR_AGAIN)
        ck_assert_int_gt(deadline_left(deadline), 0);
    ck_assert_int_eq(event.type, DOCA_DMA_JOB_MEMCPY);
    ck_assert_uint_eq(event.user_data.u64, 15);
    ck_assert_error(e, event.result.u64 == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
    return (doca_error_t)event.result.u64;
}

doca_error_t copy_1_5(struct rig_1_5 *r, struct doca_buf *from, struct doca_buf *to)
{
    struct doca_dma_job_memcpy job = job_1_5(r, from, to);
    ck_assert_success(doca_workq_submit(r->workq, &job.base));
    memset(&job, 0xa5, sizeof(job)); // it was copied
    return retrieve_1_5(r);
}

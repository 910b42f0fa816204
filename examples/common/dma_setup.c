// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "dma_setup.h"

#include "example.h"

void dma_setup(struct dma_setup *setup, const char *device, uint32_t jobs, size_t buffers,
               bool event_driven)
{
    setup->dev = open_device(device);
    must(doca_dma_create(&setup->dma), "cannot make a DMA context");
    setup->ctx = doca_dma_as_ctx(setup->dma);
    must(doca_ctx_dev_add(setup->ctx, setup->dev), "the device cannot do DMA");
    must(doca_ctx_start(setup->ctx), "cannot start the DMA context");
    must(doca_workq_create(jobs, &setup->workq), "cannot make a work queue for %u jobs", jobs);
    must(doca_workq_set_event_driven_enable(setup->workq, event_driven), "cannot choose the mode");
    must(doca_ctx_workq_add(setup->ctx, setup->workq), "cannot add the work queue");
    must(doca_buf_inventory_create(NULL, buffers, DOCA_BUF_EXTENSION_NONE, &setup->inventory),
         "cannot make an inventory of %zu buffers", buffers);
    must(doca_buf_inventory_start(setup->inventory), "cannot start the inventory");
}

void dma_teardown(struct dma_setup *setup)
{
    must(doca_buf_inventory_destroy(setup->inventory), "cannot destroy the inventory");
    must(doca_ctx_workq_rm(setup->ctx, setup->workq), "cannot remove the work queue");
    must(doca_workq_destroy(setup->workq), "cannot destroy the work queue");
    must(doca_ctx_stop(setup->ctx), "cannot stop the DMA context");
    must(doca_dma_destroy(setup->dma), "cannot destroy the DMA context");
    must(doca_dev_close(setup->dev), "cannot close the device");
}

struct doca_mmap *map_local(struct dma_setup *setup, void *memory, size_t size)
{
    struct doca_mmap *map;
    must(doca_mmap_create(NULL, &map), "cannot make a memory map");
    must(doca_mmap_set_memrange(map, memory, size), "cannot map %zu bytes", size);
    must(doca_mmap_dev_add(map, setup->dev), "cannot add the device to the map");
    must(doca_mmap_start(map), "cannot start the memory map");
    return map;
}

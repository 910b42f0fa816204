// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "setup.h"

#include <stdio.h>
#include <string.h>

// ---- devices -----------------------------------------------------------------------------

static struct doca_pci_bdf read_address(const char *text)
{
    struct doca_pci_bdf bdf;
    unsigned bus, device, function;
    memset(&bdf, 0, sizeof(bdf));
    if (sscanf(text, "%2x:%2x.%1x", &bus, &device, &function) != 3 || device > 31 || function > 7)
        fail("'%s' is not a PCI address: write 0b:00.0", text);
    bdf.bus = bus & 0xff;
    bdf.device = device & 0x1f;
    bdf.function = function & 7;
    return bdf;
}

static int is_wanted(struct doca_devinfo *info, const char *pci_address)
{
    uint32_t caps = DOCA_DMA_CAP_NONE;
    struct doca_pci_bdf bdf;
    must(doca_dma_devinfo_caps_get(info, &caps), "cannot get a device's capabilities");
    if (!(caps & DOCA_DMA_CAP_HW_OFFLOAD))
        return 0;
    must(doca_devinfo_property_get(info, DOCA_DEVINFO_PROPERTY_PCI_ADDR, (uint8_t *)&bdf,
                                   sizeof(bdf)),
         "cannot get a device's address");
    return !pci_address || bdf.raw == read_address(pci_address).raw;
}

struct doca_dev *open_device(const char *pci_address)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;
    must(doca_devinfo_list_create(&list, &n), "cannot list devices");
    for (uint32_t i = 0; i < n && !dev; i++) {
        if (is_wanted(list[i], pci_address))
            must(doca_dev_open(list[i], &dev), "cannot open the device");
    }
    must(doca_devinfo_list_destroy(list), "cannot free the list of devices");
    if (!dev)
        fail("there is no device %s here", pci_address ? pci_address : "for DMA");
    return dev;
}

// ---- DMA -----------------------------------------------------------------------------------

void dma_open(struct dma *dma, const char *pci_address, size_t buffers)
{
    dma->dev = open_device(pci_address);
    must(doca_buf_inventory_create("buffers", buffers, DOCA_BUF_EXTENSION_NONE, &dma->inventory),
         "cannot make an inventory");
    must(doca_buf_inventory_start(dma->inventory), "cannot start the inventory");
    must(doca_dma_create(&dma->dma), "cannot make a DMA context");
    dma->ctx = doca_dma_as_ctx(dma->dma);
    must(doca_ctx_dev_add(dma->ctx, dma->dev), "the device cannot do DMA");
    must(doca_ctx_start(dma->ctx), "cannot start the DMA context");
    must(doca_workq_create(1, &dma->workq), "cannot make a work queue");
    must(doca_ctx_workq_add(dma->ctx, dma->workq), "cannot add the work queue");
}

void dma_close(struct dma *dma)
{
    must(doca_ctx_workq_rm(dma->ctx, dma->workq), "cannot remove the work queue");
    must(doca_workq_destroy(dma->workq), "cannot destroy the work queue");
    must(doca_ctx_stop(dma->ctx), "cannot stop the DMA context");
    must(doca_ctx_dev_rm(dma->ctx, dma->dev), "cannot remove the device from the context");
    must(doca_dma_destroy(dma->dma), "cannot destroy the DMA context");
    must(doca_buf_inventory_destroy(dma->inventory), "cannot destroy the inventory");
    must(doca_dev_close(dma->dev), "cannot close the device");
}

struct doca_mmap *open_map(struct doca_dev *dev, uint32_t max_chunks)
{
    struct doca_mmap *map;
    must(doca_mmap_create("map", &map), "cannot make a memory map");
    must(doca_mmap_property_set(map, DOCA_MMAP_MAX_NUM_CHUNKS, (const uint8_t *)&max_chunks,
                                sizeof(max_chunks)),
         "cannot say how many ranges there will be");
    must(doca_mmap_start(map), "cannot start the memory map");
    must(doca_mmap_dev_add(map, dev), "cannot add the device to the map");
    return map;
}

struct doca_buf *take_buf(const struct dma *dma, struct doca_mmap *map, void *address, size_t size)
{
    struct doca_buf *buf;
    must(doca_buf_inventory_buf_by_addr(dma->inventory, map, address, size, &buf),
         "cannot make a buffer");
    return buf;
}

void copy(const struct dma *dma, struct doca_buf *from, struct doca_buf *to, size_t size)
{
    struct doca_job base;
    struct doca_dma_job_memcpy job;
    struct doca_event event;
    doca_error_t result;

    memset(&base, 0, sizeof(base));
    base.type = DOCA_DMA_JOB_MEMCPY;
    base.flags = DOCA_JOB_FLAGS_NONE;
    base.ctx = dma->ctx;
    job.base = base;
    job.dst_buff = to;
    job.src_buff = from;
    job.num_bytes_to_copy = size;
    must(doca_workq_submit(dma->workq, &job.base), "cannot submit the job");
    while ((result = doca_workq_progress_retrieve(
                dma->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE)) == DOCA_ERROR_AGAIN)
        ;
    must(result, "cannot retrieve the job's event");
    must((doca_error_t)event.result.u64, "the job failed");
    must(doca_buf_refcount_rm(to, NULL), "cannot give a buffer back");
    must(doca_buf_refcount_rm(from, NULL), "cannot give a buffer back");
}

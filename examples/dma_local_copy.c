// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The smallest DMA program: copies a text from one piece of memory to another, with
// every step written out.
//
//     DOCAD_SOCKET=dpu.sock dma_local_copy [-p DEVICE] [TEXT]
//
// The order of the steps: device; DMA context with its device, started; work queue added
// to it; memory maps with the device, started; buffers on the maps; a job; its event.

#include "common/example.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct doca_mmap *make_map(struct doca_dev *dev, void *memory, size_t size)
{
    struct doca_mmap *map;
    must(doca_mmap_create(NULL, &map), "cannot make a memory map");
    must(doca_mmap_set_memrange(map, memory, size), "cannot set the memory range");
    must(doca_mmap_dev_add(map, dev), "cannot add the device to the map");
    must(doca_mmap_start(map), "cannot start the memory map");
    return map;
}

// Submits the job and polls until it is done. The library has no thread of its own: these calls
// move the bytes.
static void copy(struct doca_ctx *ctx, struct doca_workq *workq, struct doca_buf *from,
                 struct doca_buf *to)
{
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .flags = DOCA_JOB_FLAGS_NONE, .ctx = ctx},
        .dst_buff = to,
        .src_buff = from,
    };
    struct doca_event event;
    doca_error_t result;
    must(doca_workq_submit(workq, &job.base), "cannot submit the job");
    do {
        result = doca_workq_progress_retrieve(workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
    } while (result == DOCA_ERROR_AGAIN);
    if (result == DOCA_ERROR_IO_FAILED)
        must((doca_error_t)event.result.u64, "the job failed");
    must(result, "cannot retrieve the job's event");
}

int main(int argc, char **argv)
{
    help_option(argc, argv, "[-p DEVICE] [TEXT]",
                "Copies a text from one piece of memory to another by DMA. -p names a device by "
                "its PCI address, interface or InfiniBand device.");
    const char *device = device_option(argc, argv);
    const char *text = optind < argc ? argv[optind] : "Hello, DMA!";
    size_t size = strlen(text) + 1;
    char *source = strdup(text), *destination = calloc(1, size);
    if (!source || !destination)
        fail("no memory");

    // The device, and a DMA context on it.
    struct doca_dev *dev = open_device(device);
    struct doca_dma *dma;
    must(doca_dma_create(&dma), "cannot make a DMA context");
    struct doca_ctx *ctx = doca_dma_as_ctx(dma);
    must(doca_ctx_dev_add(ctx, dev), "the device cannot do DMA");
    must(doca_ctx_start(ctx), "cannot start the DMA context");

    // The work queue that takes its jobs.
    struct doca_workq *workq;
    must(doca_workq_create(1, &workq), "cannot make a work queue");
    must(doca_ctx_workq_add(ctx, workq), "cannot add the work queue");

    // The memory, and a buffer on each map. The source is full of data, the destination is empty.
    struct doca_mmap *source_map = make_map(dev, source, size);
    struct doca_mmap *destination_map = make_map(dev, destination, size);
    struct doca_buf_inventory *inventory;
    struct doca_buf *from, *to;
    must(doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &inventory),
         "cannot make an inventory");
    must(doca_buf_inventory_start(inventory), "cannot start the inventory");
    must(doca_buf_inventory_buf_by_data(inventory, source_map, source, size, &from),
         "cannot make the source buffer");
    must(doca_buf_inventory_buf_by_addr(inventory, destination_map, destination, size, &to),
         "cannot make the destination buffer");

    copy(ctx, workq, from, to);
    size_t copied;
    must(doca_buf_get_data_len(to, &copied), "cannot get the length of the data");
    printf("copied %zu bytes: %s\n", copied, destination);

    // Everything is given back in the opposite order.
    must(doca_buf_refcount_rm(to, NULL), "cannot give a buffer back");
    must(doca_buf_refcount_rm(from, NULL), "cannot give a buffer back");
    must(doca_buf_inventory_destroy(inventory), "cannot destroy the inventory");
    must(doca_mmap_destroy(destination_map), "cannot destroy a memory map");
    must(doca_mmap_destroy(source_map), "cannot destroy a memory map");
    must(doca_ctx_workq_rm(ctx, workq), "cannot remove the work queue");
    must(doca_workq_destroy(workq), "cannot destroy the work queue");
    must(doca_ctx_stop(ctx), "cannot stop the DMA context");
    must(doca_dma_destroy(dma), "cannot destroy the DMA context");
    must(doca_dev_close(dev), "cannot close the device");
    free(source);
    free(destination);
    return EXIT_SUCCESS;
}

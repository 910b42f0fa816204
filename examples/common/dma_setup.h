// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What every DMA program has: a device, a DMA context on it, a work queue for its jobs,
// and an inventory of buffers. dma_local_copy.c shows the same steps one by one.

#ifndef EXAMPLES_COMMON_DMA_SETUP_H
#define EXAMPLES_COMMON_DMA_SETUP_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dma_setup {
    struct doca_dev *dev;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_workq *workq;
    struct doca_buf_inventory *inventory;
};

// At most `jobs` may be in flight and at most `buffers` may exist at a time.
void dma_setup(struct dma_setup *setup, const char *device, uint32_t jobs, size_t buffers,
               bool event_driven);

// Call it once no job is in flight and all buffers were given back.
void dma_teardown(struct dma_setup *setup);

// Returns a started map of local memory.
struct doca_mmap *map_local(struct dma_setup *setup, void *memory, size_t size);

#endif

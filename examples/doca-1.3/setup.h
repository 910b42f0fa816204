// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the programs of the 1.3 interface share: how they find a device by its PCI address,
// and the objects that every DMA program has.

#ifndef EXAMPLES_DOCA_1_3_SETUP_H
#define EXAMPLES_DOCA_1_3_SETUP_H

#include "../common/fail.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include <stddef.h>
#include <stdint.h>

#define PAGE 4096

struct dma {
    struct doca_dev *dev;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_workq *workq;
    struct doca_buf_inventory *inventory;
};

// Opens the device at a PCI address ("0b:00.0"); without an address, the first device that can do
// DMA.
struct doca_dev *open_device(const char *pci_address);

// At most `buffers` may exist at a time.
void dma_open(struct dma *dma, const char *pci_address, size_t buffers);
void dma_close(struct dma *dma);

// Returns a started map with the device that takes up to this many ranges.
struct doca_mmap *open_map(struct doca_dev *dev, uint32_t max_chunks);

struct doca_buf *take_buf(const struct dma *dma, struct doca_mmap *map, void *address, size_t size);

// Copies from the start of one buffer to the start of another, and gives both back.
void copy(const struct dma *dma, struct doca_buf *from, struct doca_buf *to, size_t size);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the programs of the DOCA 3 interface share: a device, memory, and buffers on it.

#ifndef EXAMPLES_DOCA_3_SETUP_H
#define EXAMPLES_DOCA_3_SETUP_H

#include "../common/fail.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include <stddef.h>
#include <stdint.h>

// Memory on a device: a map over all of it, and an inventory for buffers.
struct setup {
    struct doca_dev *dev;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    uint8_t *memory;
    size_t size;
};

// Opens the first device that has DMA. Opened again it is the same device.
struct doca_dev *open_device(void);

// Opens that device, and maps `size` bytes.
void setup_open(struct setup *setup, size_t size, size_t n_buffers);
void setup_close(struct setup *setup);

// A buffer full of data, for a source, or an empty one, for a destination.
struct doca_buf *full_buffer(struct setup *setup, size_t offset, size_t size);
struct doca_buf *empty_buffer(struct setup *setup, size_t offset, size_t size);

#endif

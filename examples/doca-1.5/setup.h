// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the programs of the 1.5 interface share.

#ifndef EXAMPLES_DOCA_1_5_SETUP_H
#define EXAMPLES_DOCA_1_5_SETUP_H

#include "../common/fail.h"

#include <doca_dev.h>
#include <doca_mmap.h>

#include <stddef.h>

#define PAGE 4096

// Opens the device at a PCI address ("0b:00.0"); if it is NULL, the first device that can do DMA.
struct doca_dev *open_device(const char *pci_address);

// Returns a started map, after giving it first the device, then a range of memory.
struct doca_mmap *open_map(struct doca_dev *dev, void *memory, size_t size);

#endif

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

// The device at a PCI address ("0b:00.0"), or the first that can do DMA if it is NULL.
struct doca_dev *open_device(const char *pci_address);

// A started map with the device and a range of memory: in this order.
struct doca_mmap *open_map(struct doca_dev *dev, void *memory, size_t size);

#endif

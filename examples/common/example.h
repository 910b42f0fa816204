// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the examples share, beside how they fail: how they find a device and read a size.

#ifndef EXAMPLES_COMMON_EXAMPLE_H
#define EXAMPLES_COMMON_EXAMPLE_H

#include "fail.h"

#include <doca_dev.h>

#include <stddef.h>

// Opens a device by its PCI address ("0b:00.0"), or by the name of its network interface
// or InfiniBand device ("pf0"). NULL: the first one that can do DMA.
struct doca_dev *open_device(const char *which);

// Reads a size such as "4096", "64K", "256M", "1G". Fails if `text` is none.
size_t read_size(const char *text);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the examples share: how they fail, how they find a device.

#ifndef EXAMPLES_COMMON_EXAMPLE_H
#define EXAMPLES_COMMON_EXAMPLE_H

#include <doca_dev.h>
#include <doca_error.h>

#include <stddef.h>

// Prints "program: what went wrong" and ends the program with status 1. What it holds
// (devices, maps, exports) goes with it: docad sees to that.
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

// Fails unless `result` is DOCA_SUCCESS; says what was being done and why it failed.
void must(doca_error_t result, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Opens a device by its PCI address ("0b:00.0"), or by the name of its network interface
// or InfiniBand device ("pf0"). NULL: the first one that can do DMA.
struct doca_dev *open_device(const char *which);

// Reads a size such as "4096", "64K", "256M", "1G". Fails if `text` is none.
size_t read_size(const char *text);

#endif

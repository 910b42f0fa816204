// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The programs of these tests share this: memory that the host offers by name, and that the
// DPU finds by it and copies from and to.

#ifndef VM_PROGRAMS_NAMED_H
#define VM_PROGRAMS_NAMED_H

#include "../../../examples/common/dma_setup.h"

// A started map whose export the name stands for.
struct doca_mmap *offer(struct doca_dev *dev, const char *name, void *memory, size_t size,
                        uint32_t access);

// The map that somebody offers by this name, within a minute.
struct doca_mmap *find_offered(const struct dma_setup *setup, const char *name, uint8_t **address,
                               size_t *size);

void copy(const struct dma_setup *setup, struct doca_mmap *to, void *to_at, struct doca_mmap *from,
          void *from_at, size_t n);

#endif

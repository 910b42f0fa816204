// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Objects that the tables of several libraries stand on, as each generation makes them.

#ifndef STATES_OBJECTS_H
#define STATES_OBJECTS_H

#include "generation.h"

#include "client.h"

#include <check.h>

// A map of that range, and for that device, unless they are NULL. Of 1.5 it is always started.
struct doca_mmap *map_new(struct doca_dev *dev, void *addr, size_t size, bool started);

// Not started; with user data.
struct doca_buf_inventory *inventory_new(uint32_t elements);

// A context of the device, not started.
struct doca_dma *dma_new(struct doca_dev *dev);

// Since 2.2: the first SF of the DPU, and its representor, by way of its PF, whose address it has.
struct doca_dev *sf_open(void);
struct doca_dev_rep *sf_rep_open(struct doca_dev *pf);

#endif

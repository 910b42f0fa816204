// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Objects that the tables of several libraries stand on, as each generation makes them.

#ifndef STATES_OBJECTS_H
#define STATES_OBJECTS_H

#include "generation.h"

#include "client.h"

#include <check.h>

// A context of the device, not started.
struct doca_dma *dma_new(struct doca_dev *dev);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An inventory with a map of its own, for measuring buffers alone. It needs no daemon.

#ifndef PERFTEST_POOLS_H
#define PERFTEST_POOLS_H

#include "memory.h"
#include "problem.h"

#include <doca_buf_inventory.h>

struct pool {
    struct memory memory;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_buf **taken; // `batch` elements
    uint32_t batch;
};

// Call pool_close() even after a failure.
bool pool_open(struct pool *pool, uint32_t batch, struct problem *problem);
void pool_close(struct pool *pool);

// Allocates and releases n buffers, `batch` at a time (the last time fewer).
bool pool_pairs(struct pool *pool, uint64_t n, struct problem *problem);

#endif

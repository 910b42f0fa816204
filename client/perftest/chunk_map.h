// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs of a program of DOCA 1.3 on a map that was populated with chunks.

#ifndef PERFTEST_CHUNK_MAP_H
#define PERFTEST_CHUNK_MAP_H

#include "memory.h"
#include "problem.h"

struct chunk_map;
struct doca_dev;

// Makes a map of the memory, in `chunks` equal parts. Call chunk_map_close() even after a
// failure; it takes NULL.
bool chunk_map_open(struct chunk_map **out, struct doca_dev *dev, const struct memory *memory,
                    size_t chunks, uint32_t depth, struct problem *problem);
void chunk_map_close(struct chunk_map *map);

// Runs n jobs of `size` bytes, each from a page of the memory's first half to the corresponding
// page of its second half, page after page. Allocates and releases two buffers for each job.
bool chunk_map_run(struct chunk_map *map, uint64_t n, size_t size, struct problem *problem);

// Returns whether the copy of a round over all pages is correct.
bool chunk_map_verify(struct chunk_map *map, size_t size, struct problem *problem);

#endif

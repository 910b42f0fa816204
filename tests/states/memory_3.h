// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the tables about memory of DOCA 3 share.

#ifndef STATES_MEMORY_3_H
#define STATES_MEMORY_3_H

#include <stdbool.h>
#include <stddef.h>

struct doca_mmap;

// A map of that range; without one if addr is NULL.
struct doca_mmap *map_new_3(void *addr, size_t size, bool started);

#endif

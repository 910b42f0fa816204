// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The ranges of a map that takes several, one after the other, while it is started, as in the 1.3
// interface. Such a map is registered with docad when it is exported.

#ifndef CLIENT_MMAP_CHUNKS_H
#define CLIENT_MMAP_CHUNKS_H

#include "errtext.h"
#include "mmap/chunk_set.h"

#include <doca_mmap.h>

struct chunk_free {
    void *address;
    size_t length;
    doca_mmap_memrange_free_cb_t *free_cb;
    void *opaque;
};

struct chunks {
    struct chunk_set set;
    uint32_t n, max;
    bool disjoint;            // a range that overlaps another is refused
    struct chunk_free *frees; // of those with a callback, in the order of adding
    size_t n_frees;
    uintptr_t checked, checked_end; // memory around the latest, found to be fit
};

// Makes a set with room for one chunk; NULL if out of memory.
struct chunks *chunks_new(void);

// Adds a range to a started local map; it need not lie in one mapping. free_cb may be
// NULL. DOCA_ERROR_INVALID_VALUE if the range is not mapped, or not fit for the map's
// access; DOCA_ERROR_NO_MEMORY also if the map has as many chunks as it can take;
// DOCA_ERROR_NOT_PERMITTED if it overlaps another and must not.
doca_error_t chunks_add(struct doca_mmap *mmap, const struct chunk_free *chunk,
                        struct errtext *err);

// Called when the map has ended: releases the ranges by the application's callbacks. Takes NULL.
void chunks_end(struct chunks *chunks);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The part of a memory map that the data path uses: where its bytes are and whether jobs may still
// touch them. doca_mmap fills it in when a map starts or is imported; jobs read it.

#ifndef CLIENT_MMAP_MEMORY_H
#define CLIENT_MMAP_MEMORY_H

#include "state_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct broker_node;
struct doca_dev;
struct doca_mmap;

// A part of an imported range. Addresses are those of the exporter.
struct memory_part {
    uintptr_t start;
    size_t length;
    uint8_t *local; // mapped here, or NULL: brokered, only the owner's engine reaches it
};

// The keys of the memory on an ibverbs device.
struct memory_key {
    const struct doca_dev *device;
    uint32_t lkey, rkey; // imported memory has only the second
};

struct memory {
    uintptr_t start; // imported: in the exporter's address space
    size_t length;
    uint32_t access; // enum doca_access_flags: of the map, or granted by the export
    bool imported;

    // For copies by docad's engine: NULL if it makes none.
    struct broker_node *copier;
    uint64_t copies_over;
    uint32_t copy_key;
    bool copy_writable;

    const struct memory_key *keys; // one for each ibverbs device of the map
    size_t n_keys;

    // Imported maps only.
    const struct memory_part *parts; // ascending, gapless, covering the range
    size_t n_parts;
    const struct state_table *table;
    uint32_t slot;
    uint64_t import_id;
    struct broker_node *broker; // the owner's engine; NULL if every part is mapped
    uint32_t grant_key;
};

// Returns NULL if the device is not one of the map's, or not an ibverbs device.
static inline const struct memory_key *memory_key(const struct memory *memory,
                                                  const struct doca_dev *device)
{
    for (size_t i = 0; i < memory->n_keys; i++)
        if (__builtin_expect(memory->keys[i].device == device, 1))
            return &memory->keys[i];
    return NULL;
}

// Owned by the map; valid while a buffer refers to it.
const struct memory *mmap_memory(const struct doca_mmap *mmap);

// Returns whether the map is started, or imported: buffers may be made and used.
bool mmap_usable(const struct doca_mmap *mmap);
// Returns whether the map is not started yet, but its range is set, which cannot change: buffers
// may be made.
bool mmap_takes_early(const struct doca_mmap *mmap);
// For a map with several ranges, of which `memory` has the first: returns whether the bytes lie in
// one range.
bool mmap_has_chunk(const struct doca_mmap *mmap, uintptr_t start, size_t length);
// Returns whether the map keeps its devices as long as it has buffers.
bool mmap_keeps_devices(const struct doca_mmap *mmap);
bool mmap_has_device(const struct doca_mmap *mmap, const struct doca_dev *dev);

// For a started local map: the number of this start, which is never used twice.
uint64_t mmap_region(const struct doca_mmap *mmap);

// Returns whether these bytes of a local map lie in its memory file.
bool mmap_range_mapped(const struct doca_mmap *mmap, uintptr_t start, size_t length);

// For a local map: returns whether this address lies in its memory file. Cuts *length to where that
// changes.
bool mmap_stretch(const struct doca_mmap *mmap, uintptr_t start, size_t *length);

// Maps count the buffers that refer to them. Inventories of several threads may share a map, so
// each has a count of its own there, which only its thread changes: allocating and releasing a
// buffer need no locked instruction.
struct buf_count {
    _Alignas(64) _Atomic(const void *) owner;
    _Atomic uint32_t n;
};

// True for a map that does not count its buffers, and may end before they do: see
// doca_mmap_enable_thread_safety() of DOCA 3.
bool mmap_uncounted(const struct doca_mmap *mmap);

// Returns the count of an inventory (`owner`) in a map; NULL if all counts are taken.
// Then the two functions below count its buffers together with those of others.
struct buf_count *mmap_buf_count(struct doca_mmap *mmap, const void *owner);
void mmap_buf_get(struct doca_mmap *mmap);
void mmap_buf_put(struct doca_mmap *mmap);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the data path knows of a memory map: where its bytes are and whether they may
// still be touched. Filled by doca_mmap when it starts or is imported, read by jobs.

#ifndef CLIENT_MMAP_MEMORY_H
#define CLIENT_MMAP_MEMORY_H

#include "state_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct broker_node;
struct doca_dev;
struct doca_mmap;

// A stretch of an imported range. Addresses are the exporter's.
struct memory_part {
    uintptr_t start;
    size_t length;
    uint8_t *local; // mapped here, or NULL: brokered, only the owner's engine reaches it
};

// What an ibverbs device knows the memory by.
struct memory_key {
    const struct doca_dev *device;
    uint32_t lkey, rkey; // of imported memory: the second only
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

// NULL if the device is none of the map's, or no ibverbs device.
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

// Started, or imported: buffers may be made and used.
bool mmap_usable(const struct doca_mmap *mmap);
// Not started yet, but its range is set, for good: buffers may be made.
bool mmap_takes_early(const struct doca_mmap *mmap);
// Of a map with several ranges, of which `memory` has the first: does this lie in one?
bool mmap_has_chunk(const struct doca_mmap *mmap, uintptr_t start, size_t length);
// May it lose no device while it has buffers?
bool mmap_keeps_devices(const struct doca_mmap *mmap);
bool mmap_has_device(const struct doca_mmap *mmap, const struct doca_dev *dev);

// Of a started local map: which start of it this is, never the same twice.
uint64_t mmap_region(const struct doca_mmap *mmap);

// Do these bytes of a local map lie in its memory file?
bool mmap_range_mapped(const struct doca_mmap *mmap, uintptr_t start, size_t length);

// Of a local map: does this address lie in its memory file? *length is cut to where that
// changes.
bool mmap_stretch(const struct doca_mmap *mmap, uintptr_t start, size_t *length);

// Buffers that refer to a map are counted. Inventories of several threads may share a
// map, so each has a count of its own there, which only its thread changes: no locked
// instruction for a buffer taken or given back.
struct buf_count {
    _Alignas(64) _Atomic(const void *) owner;
    _Atomic uint32_t n;
};

// The count of an inventory (`owner`) in a map; NULL if all places are given, and then
// its buffers are counted together with those of others by the two functions below.
struct buf_count *mmap_buf_count(struct doca_mmap *mmap, const void *owner);
void mmap_buf_get(struct doca_mmap *mmap);
void mmap_buf_put(struct doca_mmap *mmap);

#endif

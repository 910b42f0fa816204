// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A set of address ranges that only grows. A lookup finds whether a range lies within one of them.
//
// Ranges may overlap, and come in any order, a million of them or one. A range that lies within
// another is not stored. The others lie in two sorted arrays: a long one, and a short one for the
// latest, which is merged into the long one when it has grown to about its square root. That takes
// 16 bytes a range, and adding moves little. A table of hints, by address, makes the time of a
// lookup independent of the number of ranges if they have about the same size; ranges that are not
// in it are searched for.
//
// Lookups change nothing: several threads may make them while none adds.

#ifndef CLIENT_MMAP_CHUNK_SET_H
#define CLIENT_MMAP_CHUNK_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chunk {
    uintptr_t start, end;
};

// Ascending by start, and by end.
struct chunk_run {
    struct chunk *chunks;
    size_t n, room;
};

struct chunk_set {
    struct chunk latest; // the likely next one, if each range is used right after it was added
    struct chunk *hints; // in groups of four, a cache line each; NULL for few ranges
    unsigned hint_bits;  // there are 1 << hint_bits hints
    unsigned granule;    // 1 << granule bytes share four hints
    uintptr_t total;     // bytes in `old` and `recent`
    struct chunk_run old, recent;
};

// All zero at first.
void chunk_set_fini(struct chunk_set *set);

// Adds a range of at least one byte that does not wrap. Returns false if out of memory; then
// nothing has changed.
bool chunk_set_add(struct chunk_set *set, uintptr_t start, size_t length);

// Returns whether the range has a byte in common with one that was added.
bool chunk_set_meets(const struct chunk_set *set, uintptr_t start, size_t length);

bool chunk_set_search(const struct chunk_set *set, uintptr_t start, size_t length);

static inline bool chunk_holds(const struct chunk *chunk, uintptr_t start, size_t length)
{
    uintptr_t offset = start - chunk->start, size = chunk->end - chunk->start;
    return (offset < size) & (length <= size - offset);
}

// Returns the four hints for an address.
static inline const struct chunk *chunk_set_hints(const struct chunk_set *set, uintptr_t start)
{
    uint64_t mixed = (uint64_t)(start >> set->granule) * 0x9E3779B97F4A7C15u;
    return &set->hints[mixed >> (66 - set->hint_bits) << 2];
}

// Returns whether the range lies within one that was added.
static inline bool chunk_set_has(const struct chunk_set *set, uintptr_t start, size_t length)
{
    if (chunk_holds(&set->latest, start, length))
        return true;
    if (set->hints) {
        const struct chunk *hint = chunk_set_hints(set, start);
        // The branch could not be predicted: so there is none for each hint.
        unsigned a = chunk_holds(&hint[0], start, length);
        unsigned b = chunk_holds(&hint[1], start, length);
        unsigned c = chunk_holds(&hint[2], start, length);
        unsigned d = chunk_holds(&hint[3], start, length);
        if (a | b | c | d)
            return true;
    }
    return chunk_set_search(set, start, length);
}

#endif

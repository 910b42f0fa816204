// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The bytes that a buffer, or a list of buffers, stands for.

#ifndef WORKBENCH_BUFFERS_H
#define WORKBENCH_BUFFERS_H

#include "registry.h"

#define SPACE_OWN     0          // memory of this process
#define SPACE_UNKNOWN UINT64_MAX // addresses that cannot be compared with others

// Bytes in one space of addresses: that of this process, or that of an imported map, whose address
// is its number.
struct stretch {
    uint64_t space, start, end;
};

struct element {
    const struct entry *buffer, *map; // map: or NULL
    uint64_t space;
    uint64_t head, end; // of the buffer
    uint64_t data, data_end;
};

// Calls `what` for the buffers of a list, until it returns false. Returns false if not all buffers
// are known.
bool buffers_each(const struct entry *first, bool (*what)(const struct element *element, void *of),
                  void *of);
// Returns the number of bytes of data of a list, or UINT64_MAX if not all buffers are known.
uint64_t buffers_data(const struct entry *first);
// Returns the number of buffers, or 0 if not all are known.
unsigned buffers_count(const struct entry *first);

static inline bool stretches_overlap(const struct stretch *a, const struct stretch *b)
{
    return a->space == b->space && a->space != SPACE_UNKNOWN && a->start < b->end &&
           b->start < a->end;
}

#endif

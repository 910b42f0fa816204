// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The parts of a region, as a client or another daemon describes them.

#ifndef DAEMON_SEGMENTS_H
#define DAEMON_SEGMENTS_H

#include "errtext.h"

#include <docad.pb-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENTS_MAX 1024 // so that a list of them fits one message

struct segment {
    uint64_t address, length;
    uint64_t offset; // offset in the memfd
    bool mapped;
};

struct segments {
    struct segment *items;
    size_t count;
    uint64_t mapped_bytes, brokered_bytes;
    uint64_t memfd_size; // the size that the mapped parts need, 0 if there are none
};

// Checks the range, and that the parts ascend without gaps and cover it exactly. Mapped
// parts must be whole pages that do not overlap in the file. On success the caller frees
// *out with segments_fini().
doca_error_t segments_read(uint64_t address, uint64_t length, Docad__Segment *const *messages,
                           size_t n, struct segments *out, struct errtext *err);
void segments_fini(struct segments *segments);

// Returns the part with all of these bytes, within the range; NULL if they are in more than one.
const struct segment *segments_find(const struct segments *segments, uint64_t address,
                                    uint64_t length);

// Makes a list for a message: one block of memory, which the caller frees. Returns NULL if memory
// runs out.
Docad__Segment **segments_to_messages(const struct segments *segments);

#endif

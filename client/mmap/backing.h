// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What lies behind a memory range that others may reach: which of its pages are in a
// memory file, and which only docad's engine reaches.
//
// Nothing here talks to docad.

#ifndef CLIENT_MMAP_BACKING_H
#define CLIENT_MMAP_BACKING_H

#include "errtext.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct backing_part {
    uintptr_t start;
    size_t length;
    bool mapped;
    uint64_t offset; // in the memory file, when mapped
};

struct backing {
    struct backing_part *parts; // ascending, gapless, covering the range
    size_t n_parts;
    bool brokered; // some part is
    int memfd;     // O_RDWR, or -1 if no part is mapped
    int memfd_ro;  // the same file O_RDONLY if somebody may only read, else -1
};

// Looks at the range, and moves to a memory file what can be if `access` (enum
// doca_access_flags) lets the DPU or RDMA peers in. No other thread may write to the range
// meanwhile. DOCA_ERROR_INVALID_VALUE if the range is not there, or not for such an
// access; DOCA_ERROR_NO_MEMORY; DOCA_ERROR_NOT_PERMITTED if the kernel forbids it. After
// a failure the memory is as it was.
doca_error_t backing_new(uintptr_t start, size_t length, uint32_t access, struct backing **out,
                         struct errtext *err);

// docad has the memory file, and nobody else yet: from now on nobody maps it for writing, if
// others only read. 0 or -errno.
int backing_seal(const struct backing *backing, uint32_t access);

// As backing_new() looks at a range, and no more. On success *from and *to say how far
// around it all is as fit.
doca_error_t backing_check(uintptr_t start, size_t length, uint32_t access, uintptr_t *from,
                           uintptr_t *to, struct errtext *err);

// Moves back what is still there. Takes NULL, returns NULL.
struct backing *backing_free(struct backing *backing);

// In place of a flag of enum doca_access_flags: docad's engine reads and writes.
#define ACCESS_OF_ENGINE (1u << 31)

// Only others may read: every grant to the DPU or to RDMA peers is for reading.
bool access_others_read_only(uint32_t access);
bool access_has_others(uint32_t access);

#endif

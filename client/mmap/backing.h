// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The backing of a memory range that others may reach: which of its pages are in a memory
// file, and which can be reached only by docad's engine.
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
    bool brokered; // some parts are
    int memfd;     // O_RDWR, or -1 if no part is mapped
    int memfd_ro;  // the same file O_RDONLY if others may only read, else -1
};

// Examines the range, and moves what it can to a memory file if `access` (enum doca_access_flags)
// admits the DPU or RDMA peers. No other thread may write to the range during that.
// DOCA_ERROR_INVALID_VALUE if the range is not mapped, or not fit for such an access;
// DOCA_ERROR_NO_MEMORY; DOCA_ERROR_NOT_PERMITTED if the kernel forbids it. After a failure the
// memory is as it was.
doca_error_t backing_new(uintptr_t start, size_t length, uint32_t access, struct backing **out,
                         struct errtext *err);

// Called when docad has the memory file, and no other process yet: if others only read, no process
// can map it for writing from now on. Returns 0 or -errno.
int backing_seal(const struct backing *backing, uint32_t access);

// Examines a range as backing_new() does, and changes nothing. On success *from and *to are the
// limits of the memory around it that is fit as well.
doca_error_t backing_check(uintptr_t start, size_t length, uint32_t access, uintptr_t *from,
                           uintptr_t *to, struct errtext *err);

// Moves back the pages that are still there. Takes NULL, returns NULL.
struct backing *backing_free(struct backing *backing);

// A flag in addition to those of enum doca_access_flags: docad's engine reads and writes.
#define ACCESS_OF_ENGINE (1u << 31)

// Returns whether others may only read: every grant to the DPU or to RDMA peers is for reading.
bool access_others_read_only(uint32_t access);
bool access_has_others(uint32_t access);

#endif

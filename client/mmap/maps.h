// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The kernel's list of this process's mappings.

#ifndef CLIENT_MMAP_MAPS_H
#define CLIENT_MMAP_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct vma {
    uintptr_t start, end;
    uint64_t offset; // in its file
    dev_t device;
    ino_t inode; // 0: no file
    bool readable, writable, executable, shared;
    bool nameless; // no file and not a special mapping of the kernel, or the heap
    bool memfd;
    bool locked; // by mlock()
};

// Returns the mappings that touch [start, end), ascending. The caller frees *out. Returns
// 0 or -errno.
int vmas_read(uintptr_t start, uintptr_t end, struct vma **out, size_t *count);

#endif

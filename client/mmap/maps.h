// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The kernel's list of this process's mappings.

#ifndef CLIENT_MMAP_MAPS_H
#define CLIENT_MMAP_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>

// The name of the memory files that pages are moved to.
#define MOVED_FILE_NAME "docad-region"

struct vma {
    uintptr_t start, end;
    uint64_t offset; // in its file
    dev_t device;
    ino_t inode; // 0: no file
    bool readable, writable, executable, shared;
    bool nameless; // no file and not a special mapping of the kernel, or the heap
    bool memfd;
    bool moved;  // a memory file of pages_move_in(), of this process or of an ancestor
    bool locked; // by mlock()
};

static inline int vma_protection(const struct vma *vma)
{
    return (vma->readable ? PROT_READ : 0) | (vma->writable ? PROT_WRITE : 0) |
           (vma->executable ? PROT_EXEC : 0);
}

// Reads the list mapping by mapping. Allocates nothing, and may be used in a child of fork().
struct vma_reader {
    int fd;
    size_t used, have;
    char chunk[4096];
    char line[512];
};

int vma_reader_open(struct vma_reader *r, const char *path); // 0 or -errno
int vma_reader_next(struct vma_reader *r, struct vma *out);  // 1, 0 at the end, or -errno
void vma_reader_close(struct vma_reader *r);

// Returns the mappings that touch [start, end), ascending. The caller frees *out. Returns
// 0 or -errno.
int vmas_read(uintptr_t start, uintptr_t end, struct vma **out, size_t *count);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The backings whose pages lie in memory files, and what fork() does to these pages.
//
// Such pages are MAP_SHARED, but belong to private memory of the program. So a child of fork()
// replaces them by private pages before anything else runs in it. Until then it writes to the
// parent's pages: the C library's own state of the fork, which does not lie in whole pages of a
// program's buffers.
//
// If no handler runs in a child (clone(2), _Fork(3)), the child does not inherit the pages at all:
// a crash of the child is better than a parent that finds the child's bytes in its memory.

#ifndef CLIENT_MMAP_MOVED_H
#define CLIENT_MMAP_MOVED_H

#include "list.h"
#include "mmap/backing.h"
#include "mmap/pages.h"

#include <sys/types.h>

struct moved_backing {
    struct backing backing;
    struct list link; // in the list, if its pages were moved
    struct page_file file;
    uintptr_t end; // 0: we have no file
    dev_t device;
    ino_t inode;
    uintptr_t copy; // during a fork, the file's contents for the child; 0: no copy is made
};

// The lock of the list, and of every move: a second move over the same pages must see the
// result of the first. fork() takes it, so that no child gets a half of a move.
void moved_lock(void);
void moved_unlock(void);

// With the lock. moved_add() adds a backing whose pages have moved.
void moved_add(struct moved_backing *m);
void moved_remove(struct moved_backing *m);

// Returns the backing that has this file, or NULL. With the lock.
struct moved_backing *moved_find(dev_t device, ino_t inode);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Moves pages of this process to a memory file and back, in place: addresses and contents stay, and
// other threads may read at any time.

#ifndef CLIENT_MMAP_PAGES_H
#define CLIENT_MMAP_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The offset of a range in its file: byte `address` is at address - base.
struct page_file {
    int fd;
    uintptr_t base;
    bool punch; // pages that were moved back may be removed from the file
};

// Both return 0 or -errno. *moved is how much of the beginning is in the file afterwards or, with
// pages_move_out(), is not there any more. Nothing is allocated, and no memory except the range and
// the stack is written.
int pages_move_in(const struct page_file *file, uintptr_t start, size_t length, size_t *moved);
int pages_move_out(const struct page_file *file, uintptr_t start, size_t length, int protection,
                   size_t *moved);

// Reads the file's bytes of a range. Returns 0 or -errno.
int pages_read(const struct page_file *file, uintptr_t start, size_t length, uintptr_t to);

// The size of a page, and addresses rounded to it.
size_t page_size(void);

static inline uintptr_t page_down(uintptr_t address)
{
    return address & ~(page_size() - 1);
}

static inline uintptr_t page_up(uintptr_t address)
{
    return page_down(address + page_size() - 1);
}

#endif

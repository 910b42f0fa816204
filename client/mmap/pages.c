// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "mmap/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

// The amount of memory that exists twice during a move.
#define PIECE ((size_t)2 << 20)

size_t page_size(void)
{
    static size_t size;
    size_t known = __atomic_load_n(&size, __ATOMIC_RELAXED);
    if (!known) {
        known = (size_t)sysconf(_SC_PAGESIZE);
        __atomic_store_n(&size, known, __ATOMIC_RELAXED);
    }
    return known;
}

static int write_all(int fd, uintptr_t from, size_t length, uint64_t offset)
{
    while (length > 0) {
        // The kernel reads the memory: a missing page is EFAULT, not a signal.
        ssize_t n = pwrite(fd, (const void *)from, length, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        from += (size_t)n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return 0;
}

static int read_all(int fd, uintptr_t to, size_t length, uint64_t offset)
{
    while (length > 0) {
        ssize_t n = pread(fd, (void *)to, length, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        to += (uintptr_t)n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return 0;
}

int pages_read(const struct page_file *file, uintptr_t start, size_t length, uintptr_t to)
{
    return read_all(file->fd, to, length, start - file->base);
}

int pages_move_in(const struct page_file *file, uintptr_t start, size_t length, size_t *moved)
{
    for (*moved = 0; *moved < length;) {
        uintptr_t at = start + *moved;
        size_t n = length - *moved < PIECE ? length - *moved : PIECE;
        int r = write_all(file->fd, at, n, at - file->base);
        if (r < 0)
            return r;
        // From here on the file has the valid contents: a mapping that fails may have
        // removed the old pages already.
        *moved += n;
        if (mmap((void *)at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                 file->fd, (off_t)(at - file->base)) == MAP_FAILED)
            return -errno;
    }
    return 0;
}

static void *reserve(size_t length)
{
    void *p = mmap(NULL, length, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

// Fills `fresh` with the contents of the file and moves it to `at`, in one step: readers see either
// the old page or the new one.
static int swap_in(const struct page_file *file, uintptr_t at, size_t n, uintptr_t fresh,
                   int protection)
{
    const int usual = PROT_READ | PROT_WRITE;
    int r = read_all(file->fd, fresh, n, at - file->base);
    if (r == 0 && protection != usual && mprotect((void *)fresh, n, protection) < 0)
        r = -errno;
    if (r == 0 &&
        mremap((void *)fresh, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)at) == MAP_FAILED)
        r = -errno;
    // Fails for a file that is sealed against writing; such a file keeps its pages until
    // it is closed.
    if (r == 0 && file->punch)
        (void)fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        (off_t)(at - file->base), (off_t)n);
    return r;
}

int pages_move_out(const struct page_file *file, uintptr_t start, size_t length, int protection,
                   size_t *moved)
{
    // One reservation for all pieces: pieces cut from one mapping merge again at their
    // destination. If there is not so much address space, they are reserved piece by
    // piece.
    uintptr_t whole = (uintptr_t)reserve(length);
    int r = 0;

    for (*moved = 0; *moved < length && r == 0;) {
        uintptr_t at = start + *moved;
        size_t n = length - *moved < PIECE ? length - *moved : PIECE;
        uintptr_t fresh = whole ? whole + *moved : (uintptr_t)reserve(n);
        if (!fresh)
            return -ENOMEM;
        r = swap_in(file, at, n, fresh, protection);
        if (r == 0)
            *moved += n;
        else if (!whole)
            munmap((void *)fresh, n);
    }
    if (whole && *moved < length)
        munmap((void *)(whole + *moved), length - *moved);
    return r;
}

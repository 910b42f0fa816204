// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATTERN_BLOCK 4096
#define PAGE          4096

const char *memory_kind_name(enum memory_kind kind)
{
    static const char *const names[] = {"mapped", "unaligned", "tiny", "file"};
    return names[kind];
}

// Writes the pages rather than faulting them in, as the library does with its files: the
// pages then come from the allocator in the same way.
static void *map_file(size_t size)
{
    static const char zeros[65536];
    int fd = memfd_create("doca-perftest", MFD_CLOEXEC);
    if (fd < 0)
        return MAP_FAILED;
    size_t done = 0;
    while (done < size) {
        size_t left = size - done;
        ssize_t n = write(fd, zeros, left < sizeof(zeros) ? left : sizeof(zeros));
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    void *at = MAP_FAILED;
    if (done == size)
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    int saved = errno;
    close(fd);
    errno = saved;
    return at;
}

// Mapped memory has whole pages: a part of one could not be shared.
static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

bool memory_open(struct memory *memory, enum memory_kind kind, size_t size, struct problem *problem)
{
    void *base = NULL;
    size_t allocated = size, skip = 0;

    switch (kind) {
    case MEMORY_MAPPED:
        size = allocated = whole_pages(size);
        base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        break;
    case MEMORY_FILE:
        size = allocated = whole_pages(size);
        base = map_file(size);
        break;
    case MEMORY_UNALIGNED:
        skip = 1;
        allocated = size + 1;
        base = malloc(allocated);
        break;
    case MEMORY_TINY:
        base = malloc(size);
        break;
    }
    if (base == MAP_FAILED || !base)
        return problem_set(problem, "cannot get %zu bytes of %s memory: %s", size,
                           memory_kind_name(kind), strerror(errno));
    *memory = (struct memory){.at = (char *)base + skip,
                              .size = size,
                              .base = base,
                              .allocated = allocated,
                              .kind = kind};
    memset(memory->at, 0, size);
    return true;
}

void memory_close(struct memory *memory)
{
    if (!memory->base)
        return;
    if (memory->kind == MEMORY_MAPPED || memory->kind == MEMORY_FILE)
        munmap(memory->base, memory->allocated);
    else
        free(memory->base);
    *memory = (struct memory){0};
}

static void pattern_block(uint64_t *words, uint64_t block)
{
    for (size_t i = 0; i < PATTERN_BLOCK / sizeof(*words); i++) {
        uint64_t x = (block * (PATTERN_BLOCK / sizeof(*words)) + i + 1) * 0x9e3779b97f4a7c15u;
        words[i] = x ^ (x >> 29);
    }
}

void pattern_fill(void *at, size_t size)
{
    uint64_t words[PATTERN_BLOCK / sizeof(uint64_t)];
    for (size_t done = 0; done < size; done += PATTERN_BLOCK) {
        pattern_block(words, done / PATTERN_BLOCK);
        memcpy((char *)at + done, words, size - done < PATTERN_BLOCK ? size - done : PATTERN_BLOCK);
    }
}

size_t pattern_check(const void *at, size_t size)
{
    uint64_t words[PATTERN_BLOCK / sizeof(uint64_t)];
    for (size_t done = 0; done < size; done += PATTERN_BLOCK) {
        size_t n = size - done < PATTERN_BLOCK ? size - done : PATTERN_BLOCK;
        const char *here = (const char *)at + done;
        pattern_block(words, done / PATTERN_BLOCK);
        if (memcmp(here, words, n) == 0)
            continue;
        for (size_t i = 0; i < n; i++)
            if (here[i] != ((char *)words)[i])
                return done + i;
    }
    return size;
}

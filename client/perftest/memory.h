// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory of the kinds that programs register, and the pattern that shows whether a copy
// of it is correct.

#ifndef PERFTEST_MEMORY_H
#define PERFTEST_MEMORY_H

#include "problem.h"

#include <stddef.h>
#include <stdint.h>

#define TINY_SIZE 6

enum memory_kind {
    MEMORY_MAPPED,    // anonymous and page-aligned: exports of it are mapped as a whole
    MEMORY_UNALIGNED, // malloc() and one byte on: a part of a page at either end
    MEMORY_TINY,      // six bytes of malloc(): not one whole page
    MEMORY_FILE,      // a memory file, mapped shared: what an importer gets
};

struct memory {
    char *at;
    size_t size;
    void *base; // the allocated memory
    size_t allocated;
    enum memory_kind kind;
};

const char *memory_kind_name(enum memory_kind kind);

// Allocates, and touches every page. Mapped memory and files have whole pages: their
// `size` may be larger than requested.
bool memory_open(struct memory *memory, enum memory_kind kind, size_t size,
                 struct problem *problem);
void memory_close(struct memory *memory);

// The pattern, which depends on the distance from the start of the memory.
void pattern_fill(void *at, size_t size);
// Finds the first wrong byte; `size` if there is none.
size_t pattern_check(const void *at, size_t size);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "event_memory.h"

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCKS (1u << 20) // of which only pages that were ever used take memory

struct block {
    union {
        struct block *next; // while it is free
        uint8_t bytes[32];
    };
};

// Exists with sanitizers: registers memory that may contain pointers.
extern void __lsan_register_root_region(const void *at, size_t size) __attribute__((weak));

// If the blocks cannot be allocated, everything comes from malloc.
static struct {
    struct block *all, *free;
    size_t n_made, n_used;
} blocks;

void event_memory_init(void)
{
    if (blocks.all)
        return;
    void *all = mmap(NULL, BLOCKS * sizeof(struct block), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return;
    // A large page would take 2 MiB for the first block.
    madvise(all, BLOCKS * sizeof(struct block), MADV_NOHUGEPAGE);
    if (__lsan_register_root_region)
        __lsan_register_root_region(all, BLOCKS * sizeof(struct block));
    blocks.all = all;
    event_set_mem_functions(event_memory_take, event_memory_resize, event_memory_give);
}

static bool is_small(const void *block)
{
    uintptr_t at = (uintptr_t)block, all = (uintptr_t)blocks.all;
    return at >= all && at - all < blocks.n_made * sizeof(struct block);
}

void *event_memory_take(size_t size)
{
    struct block *block = blocks.free;
    if (size > sizeof(*block) || (!block && (!blocks.all || blocks.n_made == BLOCKS)))
        return malloc(size);
    if (block)
        blocks.free = block->next;
    else
        block = &blocks.all[blocks.n_made++];
    blocks.n_used++;
    return block;
}

void event_memory_give(void *block)
{
    if (!is_small(block)) {
        free(block);
        return;
    }
    struct block *small = block;
    small->next = blocks.free;
    blocks.free = small;
    blocks.n_used--;
}

void *event_memory_resize(void *block, size_t size)
{
    if (!is_small(block))
        return realloc(block, size);
    if (size <= sizeof(struct block))
        return block;
    void *larger = malloc(size);
    if (!larger)
        return NULL;
    memcpy(larger, block, sizeof(struct block));
    event_memory_give(block);
    return larger;
}

size_t event_memory_count(void)
{
    return blocks.n_used;
}

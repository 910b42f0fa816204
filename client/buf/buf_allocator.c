// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "buf_allocator.h"

#include "core/process.h"
#include "plural.h"

#include <stdlib.h>
#include <string.h>

#define MADE_FIRST 4096u // buffers that are made at first: 512 KiB
#define MADE_LATER 64u   // and each time when all of those are out: two pages

_Atomic uint32_t buf_allocators_ended;

// Under the process lock.
static struct list allocators = {&allocators, &allocators};
static uint32_t n_blocks; // that were made

bool buf_exists(const struct doca_buf *buf)
{
    const struct buf_allocator *allocator;
    bool exists = false;

    process_lock();
    list_for_each (allocator, &allocators, node)
        for (const struct buf_block *block = allocator->blocks; block; block = block->next)
            exists = exists || (uintptr_t)buf - (uintptr_t)block->bufs <
                                   atomic_load(&block->n_made) * sizeof(*buf);
    process_unlock();
    return exists;
}

doca_error_t buf_allocator_init(struct buf_allocator *allocator, const union doca_data *user_data,
                                size_t num_elements, uint32_t extensions, struct errtext *err)
{
    if (extensions != DOCA_BUF_EXTENSION_NONE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "unknown extensions %#x", extensions);
    *allocator = (struct buf_allocator){.extensions = extensions};
    if (user_data)
        allocator->user_data = *user_data;
    list_init(&allocator->node);
    return buf_allocator_grow(allocator, num_elements, err);
}

// Two blocks at one address, one after the other, have buffers with different generations.
static void add_block(struct buf_allocator *allocator, struct buf_block *block, size_t n)
{
    process_lock();
    block->generation = n_blocks++ << 20;
    block->n = n;
    block->next = allocator->blocks;
    allocator->blocks = block;
    if (!list_linked(&allocator->node))
        list_append(&allocators, &allocator->node);
    process_unlock();
}

// Makes buffers of the next elements of the block, up to n, and puts them in front of the free
// ones.
static void make(struct buf_allocator *allocator, struct buf_block *block, size_t n)
{
    size_t from = block->n_made, end = block->n - from < n ? block->n : from + n;

    memset(&block->bufs[from], 0, (end - from) * sizeof(struct doca_buf));
    for (size_t i = from; i < end; i++) {
        block->bufs[i].allocator = allocator;
        block->bufs[i].generation = block->generation;
        block->bufs[i].next = i + 1 < end ? &block->bufs[i + 1] : allocator->free;
    }
    allocator->free = &block->bufs[from];
    // Release: another thread may look for them in buf_exists().
    atomic_store_explicit(&block->n_made, end, memory_order_release);
}

doca_error_t buf_allocator_grow(struct buf_allocator *allocator, size_t num_elements,
                                struct errtext *err)
{
    if (num_elements == 0 || num_elements > UINT32_MAX - allocator->total)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "cannot add %zu buffers to %u, only 1 to %u", num_elements,
                           allocator->total, UINT32_MAX - allocator->total);
    size_t size = sizeof(struct buf_block) + num_elements * sizeof(struct doca_buf);
    struct buf_block *block = aligned_alloc(_Alignof(struct buf_block), size);
    if (!block)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for %zu buffer%s (%zu bytes)",
                           num_elements, PLURAL(num_elements), size);
    memset(block, 0, sizeof(*block));
    add_block(allocator, block, num_elements);
    make(allocator, block, MADE_FIRST);
    allocator->total += (uint32_t)num_elements;
    allocator->n_free += (uint32_t)num_elements;
    return DOCA_SUCCESS;
}

void buf_allocator_make_all(struct buf_allocator *allocator)
{
    struct buf_block *block = allocator->blocks;

    block->n_made = 0;
    allocator->free = NULL;
    make(allocator, block, block->n);
}

struct doca_buf *buf_allocator_make_more(struct buf_allocator *allocator)
{
    struct buf_block *block = allocator->blocks;

    while (block && block->n_made == block->n)
        block = block->next;
    if (block)
        make(allocator, block, MADE_LATER);
    return allocator->free;
}

void buf_allocator_fini(struct buf_allocator *allocator)
{
    if (allocator->blocks) {
        process_lock();
        list_remove(&allocator->node);
        atomic_fetch_add(&buf_allocators_ended, 1);
        process_unlock();
    }
    while (allocator->blocks) {
        struct buf_block *block = allocator->blocks;
        allocator->blocks = block->next;
        free(block);
    }
    free(allocator->name);
    allocator->name = NULL;
    allocator->free = NULL;
}

struct buf_count *buf_allocator_count(struct buf_allocator *allocator, struct doca_mmap *mmap)
{
    if (mmap_uncounted(mmap)) {
        // The map may end while its buffers live, so they must not touch it when they are released.
        // It is not cached either: its address may become that of a map that counts.
        allocator->counted_map = NULL;
        allocator->count = NULL;
        return &allocator->blocks->uncounted;
    }
    allocator->counted_map = mmap;
    allocator->count = mmap_buf_count(mmap, allocator);
    return allocator->count;
}

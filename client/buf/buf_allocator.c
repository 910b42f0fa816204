// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "buf_allocator.h"

#include "core/process.h"
#include "plural.h"

#include <stdlib.h>
#include <string.h>

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
            exists = exists || (uintptr_t)buf - (uintptr_t)block->bufs < block->n * sizeof(*buf);
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
    uint32_t generation = n_blocks++ << 20;
    for (size_t i = 0; i < n; i++)
        block->bufs[i].generation = generation;
    block->n = n;
    block->next = allocator->blocks;
    allocator->blocks = block;
    if (!list_linked(&allocator->node))
        list_append(&allocators, &allocator->node);
    process_unlock();
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
    memset(block, 0, size);
    for (size_t i = 0; i < num_elements; i++) {
        block->bufs[i].allocator = allocator;
        block->bufs[i].next = i + 1 < num_elements ? &block->bufs[i + 1] : allocator->free;
    }
    add_block(allocator, block, num_elements);
    allocator->free = block->bufs;
    allocator->total += (uint32_t)num_elements;
    allocator->n_free += (uint32_t)num_elements;
    return DOCA_SUCCESS;
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

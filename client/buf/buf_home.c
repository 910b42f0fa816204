// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "buf_home.h"

#include "core/process.h"
#include "plural.h"

#include <stdlib.h>
#include <string.h>

_Atomic uint32_t buf_homes_ended;

// Under the process lock.
static struct list homes = {&homes, &homes};
static uint32_t n_blocks; // that were made

bool buf_exists(const struct doca_buf *buf)
{
    const struct buf_home *home;
    bool exists = false;

    process_lock();
    list_for_each (home, &homes, node)
        for (const struct buf_block *block = home->blocks; block; block = block->next)
            exists = exists || (uintptr_t)buf - (uintptr_t)block->bufs < block->n * sizeof(*buf);
    process_unlock();
    return exists;
}

doca_error_t buf_home_init(struct buf_home *home, const union doca_data *user_data,
                           size_t num_elements, uint32_t extensions, struct errtext *err)
{
    if (extensions != DOCA_BUF_EXTENSION_NONE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "unknown extensions %#x", extensions);
    *home = (struct buf_home){.extensions = extensions};
    if (user_data)
        home->user_data = *user_data;
    list_init(&home->node);
    return buf_home_grow(home, num_elements, err);
}

// Two blocks at one address, one after the other, have buffers with different turns.
static void add_block(struct buf_home *home, struct buf_block *block, size_t n)
{
    process_lock();
    uint32_t turn = n_blocks++ << 20;
    for (size_t i = 0; i < n; i++)
        block->bufs[i].turn = turn;
    block->n = n;
    block->next = home->blocks;
    home->blocks = block;
    if (!list_linked(&home->node))
        list_append(&homes, &home->node);
    process_unlock();
}

doca_error_t buf_home_grow(struct buf_home *home, size_t num_elements, struct errtext *err)
{
    if (num_elements == 0 || num_elements > UINT32_MAX - home->total)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "cannot add %zu buffers to %u, only 1 to %u", num_elements, home->total,
                           UINT32_MAX - home->total);
    size_t size = sizeof(struct buf_block) + num_elements * sizeof(struct doca_buf);
    struct buf_block *block = aligned_alloc(_Alignof(struct buf_block), size);
    if (!block)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for %zu buffer%s (%zu bytes)",
                           num_elements, PLURAL(num_elements), size);
    memset(block, 0, size);
    for (size_t i = 0; i < num_elements; i++) {
        block->bufs[i].home = home;
        block->bufs[i].next = i + 1 < num_elements ? &block->bufs[i + 1] : home->free;
    }
    add_block(home, block, num_elements);
    home->free = block->bufs;
    home->total += (uint32_t)num_elements;
    home->n_free += (uint32_t)num_elements;
    return DOCA_SUCCESS;
}

void buf_home_fini(struct buf_home *home)
{
    if (home->blocks) {
        process_lock();
        list_remove(&home->node);
        atomic_fetch_add(&buf_homes_ended, 1);
        process_unlock();
    }
    while (home->blocks) {
        struct buf_block *block = home->blocks;
        home->blocks = block->next;
        free(block);
    }
    free(home->name);
    home->name = NULL;
    home->free = NULL;
}

struct buf_count *buf_home_count(struct buf_home *home, struct doca_mmap *mmap)
{
    if (mmap_uncounted(mmap)) {
        // The map may end while its buffers live, so they must not touch it when they are given
        // back. It is not remembered either: its address may become that of a map that counts.
        home->counted_map = NULL;
        home->count = NULL;
        return &home->blocks->uncounted;
    }
    home->counted_map = mmap;
    home->count = mmap_buf_count(mmap, home);
    return home->count;
}

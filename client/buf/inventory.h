// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Inventories of every interface: how a buffer is taken from one.

#ifndef CLIENT_BUF_INVENTORY_H
#define CLIENT_BUF_INVENTORY_H

#include "buf_allocator.h"
#include "core/alive.h"

struct doca_buf_inventory {
    struct buf_allocator allocator;
    struct alive alive;
};

static inline struct buf_allocator *inventory_allocator(struct doca_buf_inventory *inventory)
{
    return &inventory->allocator;
}

// INVALID_VALUE if the number of buffers is not allowed, or NO_MEMORY.
doca_error_t inventory_new(const union doca_data *user_data, size_t num_elements,
                           uint32_t extensions, struct doca_buf_inventory **out,
                           struct errtext *err);

// The following report failures in the name of `function`. They are out of line, so that the text's
// buffer is not in the frame of a call that succeeds.

// For bytes that are not in the map's first range: INVALID_VALUE if they are not in the map.
__attribute__((noinline)) doca_error_t inventory_check_chunks(const char *function,
                                                              const struct doca_mmap *mmap,
                                                              const void *addr, size_t len);
// NO_MEMORY
__attribute__((cold)) doca_error_t inventory_all_out(const char *function);

// inventory_take() for wrong arguments, for maps that are not started yet (most programs start
// theirs first), and for maps of several chunks, apart from the first.
__attribute__((noinline, cold)) doca_error_t
inventory_take_early(const char *function, struct doca_buf_inventory *inventory,
                     struct doca_mmap *mmap, void *addr, size_t len, void *data, size_t data_len,
                     struct doca_buf **buf);

static inline bool memory_holds(const struct memory *memory, const void *addr, size_t len)
{
    uintptr_t offset = (uintptr_t)addr - memory->start;
    return offset < memory->length && len && len <= memory->length - offset;
}

// Takes a buffer for a range of the map. Failures are reported in the name of `function`.
static inline __attribute__((always_inline)) doca_error_t
inventory_take(const char *function, struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
               void *addr, size_t len, void *data, size_t data_len, struct doca_buf **buf)
{
    if (__builtin_expect(!inventory || !mmap || !addr || !buf || !inventory->allocator.started ||
                             !mmap_usable(mmap) || !memory_holds(mmap_memory(mmap), addr, len),
                         0))
        return inventory_take_early(function, inventory, mmap, addr, len, data, data_len, buf);
    struct doca_buf *taken = buf_allocator_take(&inventory->allocator, mmap);
    if (__builtin_expect(!taken, 0))
        return inventory_all_out(function);
    buf_place(taken, mmap, addr, len, data, data_len);
    *buf = taken;
    return DOCA_SUCCESS;
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The allocator of buffers that inventories and pools have in common: a free list. Memory is
// allocated when the allocator is made, or grows. The first buffers are in the list from the
// beginning, the others follow when it is empty: pages of buffers that are never taken are never
// touched.

#ifndef CLIENT_BUF_BUF_ALLOCATOR_H
#define CLIENT_BUF_BUF_ALLOCATOR_H

#include "buf.h"
#include "errtext.h"
#include "list.h"

#include <doca_types.h>

struct buf_block {
    struct buf_block *next;
    size_t n;                   // of bufs
    _Atomic size_t n_made;      // those that are buffers already
    uint32_t generation;        // the first one of its buffers
    struct buf_count uncounted; // a count without a reader, for maps that keep none
    struct doca_buf bufs[];
};

struct buf_allocator {
    struct list node;         // in the list of all allocators
    struct buf_block *blocks; // the last one has the buffers of the beginning
    struct doca_buf *free;
    uint32_t total, n_free;
    struct doca_mmap *counted_map; // the map of the last buffer taken,
    struct buf_count *count;       // and the allocator's count there
    uint32_t extensions;
    bool started, stopped;
    bool doca_3; // made by DOCA 3, whose errors differ
    bool fixed;  // a pool: each buffer has a fixed address
    union doca_data user_data;
    char *name; // of an inventory of the 1.3 interface, or NULL
};

// Checks the arguments that both constructors take, and allocates the buffers.
doca_error_t buf_allocator_init(struct buf_allocator *allocator, const union doca_data *user_data,
                                size_t num_elements, uint32_t extensions, struct errtext *err);

// Adds buffers. After a failure nothing has changed.
doca_error_t buf_allocator_grow(struct buf_allocator *allocator, size_t num_elements,
                                struct errtext *err);

// Makes all buffers of an allocator that has just been made.
void buf_allocator_make_all(struct buf_allocator *allocator);

// Makes some more buffers for the free list, which is empty. Returns the first one; NULL if there
// are none left.
struct doca_buf *buf_allocator_make_more(struct buf_allocator *allocator)
    __attribute__((noinline, cold));

// All buffers must have been released. An allocator of zeroes is allowed.
void buf_allocator_fini(struct buf_allocator *allocator);

// Returns whether buffers may be taken. DOCA 3 defines no error for an inventory that is not
// started yet, and programs take buffers from such an inventory.
static inline bool buf_allocator_is_usable(const struct buf_allocator *allocator)
{
    return allocator->started || (allocator->doca_3 && !allocator->stopped);
}

static inline bool buf_allocator_busy(const struct buf_allocator *allocator)
{
    return allocator->n_free != allocator->total;
}

// The allocator's count in a map other than that of the last buffer.
struct buf_count *buf_allocator_count(struct buf_allocator *allocator, struct doca_mmap *mmap);

// Allocates a buffer that refers to the map; the caller sets its address. Returns NULL if there is
// none.
static inline struct doca_buf *buf_allocator_take(struct buf_allocator *allocator,
                                                  struct doca_mmap *mmap)
{
    struct doca_buf *buf = allocator->free;
    if (__builtin_expect(!buf, 0) && !(buf = buf_allocator_make_more(allocator)))
        return NULL;
    struct buf_count *count = allocator->count;
    // Another map may have the address of a map that has ended: then the owner differs.
    if (__builtin_expect(
            allocator->counted_map != mmap ||
                (count && atomic_load_explicit(&count->owner, memory_order_relaxed) != allocator),
            0))
        count = buf_allocator_count(allocator, mmap);
    if (__builtin_expect(count != NULL, 1))
        atomic_store_explicit(&count->n, atomic_load_explicit(&count->n, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    else
        mmap_buf_get(mmap);
    buf->count = count;
    allocator->free = buf->next;
    allocator->n_free--;
    buf->next = NULL;
    buf->refcount = 1;
    return buf;
}

static inline void buf_allocator_release(struct doca_buf *buf)
{
    struct buf_allocator *allocator = buf->allocator;

    // Release: all accesses through the buffer come before the end of the map.
    if (__builtin_expect(buf->count != NULL, 1))
        atomic_store_explicit(&buf->count->n,
                              atomic_load_explicit(&buf->count->n, memory_order_relaxed) - 1,
                              memory_order_release);
    else
        mmap_buf_put(buf->mmap);
    if (__builtin_expect(buf->flags & BUF_AWAITED, 0))
        *buf->gone = true;
    buf->generation++;
    buf->refcount = 0;
    buf->prev = NULL;
    buf->next = allocator->free;
    allocator->free = buf;
    allocator->n_free++;
}

// The buffer must be the head of its list.
static inline void buf_allocator_release_list(struct doca_buf *buf)
{
    while (buf) {
        struct doca_buf *next = buf->next;
        buf_allocator_release(buf);
        buf = next;
    }
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The place that buffers come from and go back to: what inventories and pools have in
// common. Memory is taken when a home is made, or grows, and free buffers are in a list.

#ifndef CLIENT_BUF_BUF_HOME_H
#define CLIENT_BUF_BUF_HOME_H

#include "buf.h"
#include "errtext.h"
#include "list.h"

#include <doca_types.h>

struct buf_block {
    struct buf_block *next;
    size_t n;                   // of bufs
    struct buf_count uncounted; // a count without a reader, for maps that keep none
    struct doca_buf bufs[];
};

struct buf_home {
    struct list node;         // in the list of all homes
    struct buf_block *blocks; // the last one has the buffers of the beginning
    struct doca_buf *free;
    uint32_t total, n_free;
    struct doca_mmap *counted_map; // the map of the last buffer taken,
    struct buf_count *count;       // and the home's count there
    uint32_t extensions;
    bool started, stopped;
    bool doca_3; // made by DOCA 3, whose errors differ
    bool fixed;  // a pool: each buffer keeps its place
    union doca_data user_data;
    char *name; // of an inventory of the 1.3 interface, or NULL
};

// Checks the arguments that both constructors take, and makes the buffers.
doca_error_t buf_home_init(struct buf_home *home, const union doca_data *user_data,
                           size_t num_elements, uint32_t extensions, struct errtext *err);

// Adds buffers. On failure nothing is changed.
doca_error_t buf_home_grow(struct buf_home *home, size_t num_elements, struct errtext *err);

// All buffers must be back. A home of zeroes is allowed.
void buf_home_fini(struct buf_home *home);

// Returns whether buffers may be taken. DOCA 3 names no error for an inventory that was not started
// yet, and programs take buffers from such.
static inline bool buf_home_gives(const struct buf_home *home)
{
    return home->started || (home->doca_3 && !home->stopped);
}

static inline bool buf_home_busy(const struct buf_home *home)
{
    return home->n_free != home->total;
}

// The home's count in a map other than that of the last buffer.
struct buf_count *buf_home_count(struct buf_home *home, struct doca_mmap *mmap);

// Takes a buffer that refers to the map, to be placed; NULL if all are out.
static inline struct doca_buf *buf_home_take(struct buf_home *home, struct doca_mmap *mmap)
{
    struct doca_buf *buf = home->free;
    if (!buf)
        return NULL;
    struct buf_count *count = home->count;
    // Another map may have the address of a map that has ended: then the owner differs.
    if (__builtin_expect(
            home->counted_map != mmap ||
                (count && atomic_load_explicit(&count->owner, memory_order_relaxed) != home),
            0))
        count = buf_home_count(home, mmap);
    if (__builtin_expect(count != NULL, 1))
        atomic_store_explicit(&count->n, atomic_load_explicit(&count->n, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    else
        mmap_buf_get(mmap);
    buf->count = count;
    home->free = buf->next;
    home->n_free--;
    buf->next = NULL;
    buf->refcount = 1;
    return buf;
}

static inline void buf_home_give(struct doca_buf *buf)
{
    struct buf_home *home = buf->home;

    // Release: everything done through the buffer is over before the map may end.
    if (__builtin_expect(buf->count != NULL, 1))
        atomic_store_explicit(&buf->count->n,
                              atomic_load_explicit(&buf->count->n, memory_order_relaxed) - 1,
                              memory_order_release);
    else
        mmap_buf_put(buf->mmap);
    if (__builtin_expect(buf->flags & BUF_AWAITED, 0))
        *buf->gone = true;
    buf->turn++;
    buf->refcount = 0;
    buf->prev = NULL;
    buf->next = home->free;
    home->free = buf;
    home->n_free++;
}

// The buffer must be the head of its list.
static inline void buf_home_give_list(struct doca_buf *buf)
{
    while (buf) {
        struct doca_buf *next = buf->next;
        buf_home_give(buf);
        buf = next;
    }
}

#endif

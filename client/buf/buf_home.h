// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Where buffers come from and go back to: what inventories and pools have in common.
// A fixed number of buffers, all memory taken at creation, a list of free ones.

#ifndef CLIENT_BUF_BUF_HOME_H
#define CLIENT_BUF_BUF_HOME_H

#include "buf.h"
#include "errtext.h"

#include <doca_types.h>

struct buf_home {
    struct doca_buf *bufs;
    struct doca_buf *free;
    uint32_t total, n_free;
    uint32_t extensions;
    bool started;
    union doca_data user_data;
};

// Checks the arguments that both constructors have, and makes the buffers.
doca_error_t buf_home_init(struct buf_home *home, const union doca_data *user_data,
                           size_t num_elements, uint32_t extensions, struct errtext *err);

// All buffers must be back.
void buf_home_fini(struct buf_home *home);

static inline bool buf_home_busy(const struct buf_home *home)
{
    return home->n_free != home->total;
}

// A buffer that refers to the map, to be placed; NULL if all are out.
static inline struct doca_buf *buf_home_take(struct buf_home *home, struct doca_mmap *mmap)
{
    struct doca_buf *buf = home->free;
    if (!buf)
        return NULL;
    mmap_buf_get(mmap);
    home->free = buf->next;
    home->n_free--;
    buf->next = NULL;
    buf->refcount = 1;
    return buf;
}

static inline void buf_home_give(struct doca_buf *buf)
{
    struct buf_home *home = buf->home;

    mmap_buf_put(buf->mmap);
    buf->refcount = 0;
    buf->prev = NULL;
    buf->next = home->free;
    home->free = buf;
    home->n_free++;
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "held.h"

#define PREPARED_MAX 1024u // copies that are made before the first job

doca_error_t held_open(struct buf_allocator *copies, uint32_t jobs, struct errtext *err)
{
    uint32_t n = jobs < PREPARED_MAX / 2 ? 2 * jobs : PREPARED_MAX;

    return buf_allocator_init(copies, NULL, n ? n : 2, 0, err);
}

void held_close(struct buf_allocator *copies)
{
    buf_allocator_fini(copies);
}

static struct doca_buf *take(struct buf_allocator *copies, struct doca_mmap *mmap)
{
    struct errtext err;

    if (__builtin_expect(!copies->free, 0) &&
        buf_allocator_grow(copies, copies->total, &err) != DOCA_SUCCESS)
        return NULL;
    return buf_allocator_take(copies, mmap);
}

static void copy(struct doca_buf *to, const struct doca_buf *from)
{
    to->data = from->data;
    to->data_len = from->data_len;
    to->head = from->head;
    to->len = from->len;
    to->to_local = from->to_local;
    to->device = from->device;
    to->flags = from->flags & (uint8_t)~BUF_AWAITED;
    to->stamp = buf_stamp(from);
    to->memory = from->memory;
    to->mmap = from->mmap;
    to->original = (struct doca_buf *)(uintptr_t)from;
}

doca_error_t buf_hold(struct buf_allocator *copies, const struct doca_buf *list,
                      const struct doca_dev *device, unsigned most, struct doca_buf **held)
{
    struct doca_buf **at = held;

    *held = NULL;
    if (!buf_is_out(list))
        return DOCA_SUCCESS;
    for (unsigned n = 0; list && n <= most; list = list->next, n++) {
        if (buf_settle(list))
            (void)buf_has_device(list, device); // the buffer remembers it for its next jobs
        *at = take(copies, list->mmap);
        if (!*at) {
            buf_release(*held);
            *held = NULL;
            return DOCA_ERROR_NO_MEMORY;
        }
        copy(*at, list);
        at = &(*at)->next;
    }
    return DOCA_SUCCESS;
}

doca_error_t buf_hold_both(struct buf_allocator *copies, const struct doca_dev *device,
                           unsigned most, const struct doca_buf *src, const struct doca_buf *dst,
                           struct doca_buf **held_src, struct doca_buf **held_dst)
{
    doca_error_t r = buf_hold(copies, src, device, most, held_src);
    if (r != DOCA_SUCCESS)
        return r;
    r = buf_hold(copies, dst, device, most, held_dst);
    if (r != DOCA_SUCCESS) {
        buf_release(*held_src);
        *held_src = NULL;
    }
    return r;
}

void buf_release(struct doca_buf *held)
{
    buf_allocator_release_list(held);
}

void buf_release_written(struct doca_buf *held)
{
    for (const struct doca_buf *copy = held; copy; copy = copy->next) {
        struct doca_buf *buf = copy->original;
        if (buf_is_same(buf, copy->stamp) && buf->data == copy->data)
            buf->data_len = copy->data_len;
    }
    buf_release(held);
}

void buf_release_both(struct doca_buf **src, struct doca_buf **dst, bool written)
{
    buf_release(*src);
    if (written)
        buf_release_written(*dst);
    else
        buf_release(*dst);
    *src = *dst = NULL;
}

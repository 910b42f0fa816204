// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "buf.h"

#include "buf_allocator.h"
#include "core/refused.h"

#include <doca_types.h>

const struct memory_part *memory_part_at(const struct memory *memory, uintptr_t address)
{
    size_t low = 0, high = memory->n_parts;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (memory->parts[middle].start <= address)
            low = middle;
        else
            high = middle;
    }
    return &memory->parts[low];
}

static uint8_t imported_flags(const struct memory *memory)
{
    const uint32_t dpu_read = DOCA_ACCESS_DPU_READ_ONLY | DOCA_ACCESS_DPU_READ_WRITE;
    uint8_t flags = 0;

    if (memory->access & dpu_read)
        flags |= BUF_READABLE;
    if (memory->access & DOCA_ACCESS_DPU_READ_WRITE)
        flags |= BUF_WRITABLE;
    return flags | BUF_IMPORTED;
}

void buf_place_imported(struct doca_buf *buf)
{
    const struct memory_part *part = memory_part_at(buf->memory, (uintptr_t)buf->head);

    buf->flags = imported_flags(buf->memory);
    if (part->local && buf->len <= part->length - ((uintptr_t)buf->head - part->start)) {
        buf->to_local = (ptrdiff_t)((uintptr_t)part->local - part->start);
        buf->flags |= BUF_DIRECT;
    }
}

void buf_place_early(struct doca_buf *buf, struct doca_mmap *mmap, uint8_t *head, size_t len,
                     uint8_t *data, size_t data_len)
{
    buf_place(buf, mmap, head, len, data, data_len);
    // A copy of a buffer that was allocated before the map was started may be made afterwards.
    if (!mmap_usable(mmap))
        buf->flags = BUF_DIRECT | BUF_EARLY;
}

bool buf_settle(const struct doca_buf *buf)
{
    if (!(buf->flags & BUF_EARLY))
        return true;
    if (!mmap_usable(buf->mmap))
        return false;
    // This is final: a map does not stop while it has buffers. As in buf_learn_device(), the caller
    // does not see the change, so const does not cover it.
    ((struct doca_buf *)buf)->flags = buf_local_flags(buf->memory);
    return true;
}

bool buf_learn_device(const struct doca_buf *buf, const struct doca_dev *device)
{
    if (!mmap_has_device(buf->mmap, device))
        return false;
    // The caller does not see which device of its map a buffer caches, so const does not cover it.
    if (mmap_keeps_devices(buf->mmap))
        ((struct doca_buf *)buf)->device = device;
    return true;
}

// ---- the public interface -----------------------------------------------------------

#define REFUSED_BUF refused(__func__, "the buffer is NULL or was given back, or the result is NULL")

doca_error_t doca_buf_refcount_add(struct doca_buf *buf, uint16_t *refcount)
{
    (void)buf;
    (void)refcount;
    struct errtext err;
    return report(__func__,
                  errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED, "buffers have only one reference"),
                  &err);
}

// A separate function keeps the text's buffer out of the frame of a call that succeeds.
__attribute__((noinline, cold)) static doca_error_t give_slowly(struct doca_buf *buf,
                                                                uint16_t *refcount)
{
    static const char function[] = "doca_buf_refcount_rm";
    struct errtext err;

    if (!buf_is_out(buf))
        return refused(function, "the buffer is NULL or was given back already");
    if (buf->prev)
        return report(function,
                      errtext_set(&err, DOCA_ERROR_NOT_PERMITTED,
                                  "the buffer is in a list and not its head; give the head back, "
                                  "or unchain the buffer first"),
                      &err);
    // Only DOCA 3 has functions that take more references.
    if (refcount)
        *refcount = buf->refcount;
    buf->refcount--;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_refcount_rm(struct doca_buf *buf, uint16_t *refcount)
{
    if (__builtin_expect(!buf || buf->refcount != 1 || buf->prev, 0))
        return give_slowly(buf, refcount);
    if (refcount)
        *refcount = 1;
    buf_allocator_release_list(buf);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_refcount(struct doca_buf *buf, uint16_t *refcount)
{
    if (!buf_is_out(buf) || !refcount)
        return REFUSED_BUF;
    *refcount = buf->refcount;
    return DOCA_SUCCESS;
}

// The position of a buffer is valid even right after it was released, as in the vendor's library:
// programs read it then.
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
    if (!buf || !len)
        return REFUSED_NULL(buf, len);
    *len = buf->len;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head)
{
    if (!buf || !head)
        return REFUSED_NULL(buf, head);
    *head = buf->head;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
    if (!buf || !data_len)
        return REFUSED_NULL(buf, data_len);
    *data_len = buf->data_len;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
    if (!buf || !data)
        return REFUSED_NULL(buf, data);
    *data = buf->data;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
    if (!buf_is_out(buf) || !data)
        return refused(__func__, "the buffer is NULL or was given back, or the data is NULL");
    buf->data = data;
    buf->data_len = data_len;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_reset_data_len(struct doca_buf *buf)
{
    if (!buf_is_out(buf))
        return refused(__func__, "the buffer is NULL or was given back");
    buf->data_len = 0;
    return DOCA_SUCCESS;
}

// ---- lists --------------------------------------------------------------------------

doca_error_t doca_buf_list_next(struct doca_buf *buf, struct doca_buf **next_buf)
{
    if (!buf_is_out(buf) || !next_buf)
        return REFUSED_BUF;
    *next_buf = buf->next;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_list_last(struct doca_buf *buf, struct doca_buf **last_buf)
{
    if (!buf_is_out(buf) || !last_buf)
        return REFUSED_BUF;
    *last_buf = buf_list_last(buf);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_list_is_last(const struct doca_buf *buf, bool *is_last)
{
    if (!buf_is_out(buf) || !is_last)
        return REFUSED_BUF;
    *is_last = !buf->next;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_list_is_first(const struct doca_buf *buf, bool *is_first)
{
    if (!buf_is_out(buf) || !is_first)
        return REFUSED_BUF;
    *is_first = !buf->prev;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list)
{
    if (!buf_is_out(buf) || !is_in_list)
        return REFUSED_BUF;
    *is_in_list = buf->next || buf->prev;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_list_num_elements(const struct doca_buf *buf, uint32_t *num_elements)
{
    struct errtext err;

    if (!buf_is_out(buf) || !num_elements)
        return REFUSED_BUF;
    if (buf->prev)
        return report(
            __func__,
            errtext_set(&err, DOCA_ERROR_NOT_PERMITTED, "the buffer is not the head of its list"),
            &err);
    uint32_t n = 0;
    for (; buf; buf = buf->next)
        n++;
    *num_elements = n;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_list_chain(struct doca_buf *list1, struct doca_buf *list2)
{
    if (!buf_is_out(list1) || !buf_is_out(list2))
        return refused(__func__, "a buffer is NULL or was given back");
    // Two different heads belong to different lists, so no circle can arise.
    if (list1 == list2 || list1->prev || list2->prev)
        return refused(__func__, "both buffers must be heads of lists, and different ones");
    struct doca_buf *last = buf_list_last(list1);
    last->next = list2;
    list2->prev = last;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_list_unchain(struct doca_buf *list1, struct doca_buf *list2)
{
    if (!buf_is_out(list1) || !buf_is_out(list2))
        return refused(__func__, "a buffer is NULL or was given back");
    struct doca_buf *buf = list1->next;
    while (buf && buf != list2)
        buf = buf->next;
    if (!buf)
        return refused(__func__, "the second buffer does not follow the first one in its list");
    buf->prev->next = NULL;
    buf->prev = NULL;
    return DOCA_SUCCESS;
}

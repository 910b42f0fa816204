// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_end.h"

#include "plural.h"
#include "work/copy.h"

static doca_error_t check_one(const struct work_link *link, const struct doca_buf *buf,
                              struct errtext *err)
{
    if (!buf_sound(buf))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%zu bytes of data at %p are outside the local buffer's %zu bytes at %p",
                           buf->data_len, (void *)buf->data, buf->len, (void *)buf->head);
    if (buf->flags & BUF_IMPORTED)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the local buffer belongs to an imported memory map");
    if (!buf_settle(buf))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the local buffer's memory map " BUF_NOT_STARTED);
    if (!(buf->flags & BUF_WRITABLE))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the permissions of the local buffer's memory map (%#x) lack "
                           "DOCA_ACCESS_LOCAL_READ_WRITE",
                           buf->memory->access);
    if (!buf_has_device(buf, link->device))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the instance's device was not added to the local buffer's memory map");
    return DOCA_SUCCESS;
}

doca_error_t rdma_list_check(const struct work_link *link, const struct doca_buf *list,
                             uint32_t limit, enum rdma_extent extent, uint64_t *bytes,
                             struct errtext *err)
{
    uint64_t sum = 0;
    uint32_t n = 0;

    for (const struct doca_buf *buf = list; buf; buf = buf->next) {
        if (++n > limit)
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "the list has more than %u buffer%s, the most that this job takes",
                               limit, PLURAL(limit));
        doca_error_t r = check_one(link, buf, err);
        if (r != DOCA_SUCCESS)
            return r;
        sum += rdma_part(buf, extent);
    }
    *bytes = sum;
    return DOCA_SUCCESS;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

void rdma_gather(const struct doca_buf *list, uint64_t at, uint8_t *to, size_t n, size_t total)
{
    for (; list && n; list = list->next) {
        size_t part = list->data_len;
        if (at >= part) {
            at -= part;
            continue;
        }
        size_t some = min_size(part - at, n);
        copy_piece(to, list->data + at, some, total);
        to += some, n -= some, at = 0;
    }
}

void rdma_scatter(const struct doca_buf *list, enum rdma_extent extent, uint64_t at,
                  const uint8_t *from, size_t n, size_t total)
{
    for (; list && n; list = list->next) {
        size_t part = rdma_part(list, extent);
        if (at >= part) {
            at -= part;
            continue;
        }
        size_t some = min_size(part - at, n);
        copy_piece(rdma_part_at(list, extent) + at, from, some, total);
        from += some, n -= some, at = 0;
    }
}

void rdma_set_lengths(struct doca_buf *list, enum rdma_extent extent, uint64_t n)
{
    enum rdma_extent written = extent == RDMA_BEHIND ? RDMA_BEHIND : RDMA_ROOM;

    for (; list; list = list->next) {
        size_t some = min_size(n, rdma_part(list, written));
        list->data_len = written == RDMA_BEHIND ? list->data_len + some : some;
        n -= some;
    }
}

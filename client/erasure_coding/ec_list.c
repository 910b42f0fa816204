// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//

#include "ec_job.h"

#include "work/bytes.h"

bool ec_list_find(const struct doca_buf *list, bool room, uint64_t place, struct bytes *out)
{
    for (const struct doca_buf *buf = list; buf && buf_sound(buf); buf = buf->next) {
        size_t size = room ? buf_tailroom(buf) : buf->data_len;
        if (place < size) {
            const uint8_t *start = room ? buf_tail(buf) : buf->data;
            bytes_find(buf, start + place, size - (size_t)place, out);
            return true;
        }
        place -= size;
    }
    return false;
}

bool ec_list_sum(const struct doca_buf *list, bool room, uint64_t *bytes)
{
    unsigned n = 0;

    *bytes = 0;
    for (const struct doca_buf *buf = list; buf; buf = buf->next) {
        if (++n > EC_LIST_MAX || !buf_sound(buf))
            return false;
        *bytes += room ? buf_tailroom(buf) : buf->data_len;
    }
    return true;
}

void ec_list_extend(struct doca_buf *list, uint64_t bytes)
{
    for (struct doca_buf *buf = list; buf && bytes; buf = buf->next) {
        size_t room = buf_tailroom(buf), part = room < bytes ? room : (size_t)bytes;
        buf->data_len += part;
        bytes -= part;
    }
}

bool ec_list_direct(const struct doca_buf *list)
{
    for (const struct doca_buf *buf = list; buf; buf = buf->next)
        if (!(buf->flags & BUF_DIRECT) || buf->memory != list->memory)
            return false;
    return true;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Buffers: references that programs count, and lists, whose functions have other names and errors
// than before.

#include "buf/buf_allocator.h"
#include "core/refused.h"

#include <doca_buf.h>

#define REFUSED_BUF refused(__func__, "the buffer is NULL or was given back, or the result is NULL")

#define NOT_HEAD "the buffer is in a list and not its head"

// ---- references --------------------------------------------------------------------------

doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount)
{
    if (!buf_is_out(buf))
        return refused(__func__, "the buffer is NULL or was given back");
    if (buf->prev)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED, NOT_HEAD);
    if (buf->refcount == UINT16_MAX)
        return report_why(__func__, DOCA_ERROR_TOO_BIG, "the buffer has 65535 references already");
    if (refcount)
        *refcount = buf->refcount;
    buf->refcount++;
    return DOCA_SUCCESS;
}

// For all calls but the one that releases a buffer. Out of line, so that no text's buffer is in the
// frame of a call that succeeds.
__attribute__((noinline, cold)) static doca_error_t drop_reference(struct doca_buf *buf,
                                                                   uint16_t *refcount)
{
    static const char function[] = "doca_buf_dec_refcount";

    if (!buf)
        return refused(function, "buf is NULL");
    if (!buf->refcount)
        return report_why(function, DOCA_ERROR_BAD_STATE, "the buffer was given back already");
    if (buf->prev)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED,
                          NOT_HEAD "; give the head back, or unchain the buffer first");
    if (refcount)
        *refcount = buf->refcount;
    buf->refcount--;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount)
{
    if (__builtin_expect(!buf || buf->refcount != 1 || buf->prev, 0))
        return drop_reference(buf, refcount);
    if (refcount)
        *refcount = 1;
    buf_allocator_release_list(buf);
    return DOCA_SUCCESS;
}

// ---- data --------------------------------------------------------------------------------

doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
    if (!buf_is_out(buf))
        return refused(__func__, "the buffer is NULL or was given back");
    if (!buf_holds(buf, buf->data, data_len))
        return refused(__func__, "the data would end behind the buffer");
    buf->data_len = data_len;
    return DOCA_SUCCESS;
}

// ---- lists -------------------------------------------------------------------------------

doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf)
{
    if (!buf_is_out(buf) || !next_buf)
        return REFUSED_BUF;
    *next_buf = buf->next;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf)
{
    if (!buf_is_out(buf) || !last_buf)
        return REFUSED_BUF;
    *last_buf = buf_list_last(buf);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last)
{
    if (!buf_is_out(buf) || !is_last)
        return REFUSED_BUF;
    *is_last = !buf->next;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first)
{
    if (!buf_is_out(buf) || !is_first)
        return REFUSED_BUF;
    *is_first = !buf->prev;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements)
{
    uint32_t n = 0;

    if (!buf_is_out(buf) || !num_elements)
        return REFUSED_BUF;
    for (; buf; buf = buf->next)
        n++;
    *num_elements = n;
    return DOCA_SUCCESS;
}

// Both are different heads, so there is no cycle.
static doca_error_t chain(const char *function, struct doca_buf *list1, struct doca_buf *tail,
                          struct doca_buf *list2)
{
    if (list1 == list2 || list1->prev || list2->prev)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED,
                          "both buffers must be heads of lists, and different ones");
    if (list2->refcount != 1)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED,
                          "the second list's head has more than one reference: drop the others "
                          "first");
    tail->next = list2;
    list2->prev = tail;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2)
{
    if (!buf_is_out(list1) || !buf_is_out(list2))
        return refused(__func__, "a buffer is NULL or was given back");
    return chain(__func__, list1, buf_list_last(list1), list2);
}

doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
                                      struct doca_buf *list2)
{
    if (!buf_is_out(list1_head) || !buf_is_out(list1_tail) || !buf_is_out(list2))
        return refused(__func__, "a buffer is NULL or was given back");
    // Only walking the list would show whether it has the tail.
    if (list1_tail->next || (list1_tail != list1_head && !list1_tail->prev) ||
        (list1_tail == list2))
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED,
                          "list1_tail is not the last buffer of the first list");
    return chain(__func__, list1_head, list1_tail, list2);
}

doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2)
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

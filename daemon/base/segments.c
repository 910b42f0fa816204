// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "segments.h"

#include "cleanup.h"

#include <inttypes.h>
#include <string.h>

static doca_error_t bad(struct errtext *err, size_t index, const char *what)
{
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "segment %zu: %s", index, what);
}

static bool page_aligned(uint64_t value)
{
    return (value & ((uint64_t)sysconf(_SC_PAGESIZE) - 1)) == 0;
}

// This part must begin at `next`; the last `left` bytes of the range are not covered yet.
static doca_error_t check_segment(const Docad__Segment *s, size_t index, uint64_t next,
                                  uint64_t left, struct errtext *err)
{
    if (s->length == 0)
        return bad(err, index, "empty");
    if (s->address != next)
        return bad(err, index, "does not begin where the previous one ends");
    if (s->length > left)
        return bad(err, index, "extends beyond the end of the range");
    if (!s->mapped)
        return DOCA_SUCCESS;
    if (!page_aligned(s->address) || !page_aligned(s->length) || !page_aligned(s->offset))
        return bad(err, index, "mapped, but not whole pages");
    if (s->offset > (uint64_t)INT64_MAX - s->length)
        return bad(err, index, "its offset overflows");
    return DOCA_SUCCESS;
}

static int by_offset(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

// If two parts used the same bytes of the file, one word would have two addresses.
static doca_error_t check_overlap(const struct segments *s, struct errtext *err)
{
    cleanup_free struct segment *sorted = malloc(s->count * sizeof(*sorted));
    size_t n = 0;
    if (!sorted)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].mapped)
            sorted[n++] = s->items[i];
    qsort(sorted, n, sizeof(*sorted), by_offset);
    for (size_t i = 1; i < n; i++)
        if (sorted[i - 1].offset + sorted[i - 1].length > sorted[i].offset)
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "segments overlap in the memory file, at offset %" PRIu64,
                               sorted[i].offset);
    return DOCA_SUCCESS;
}

static doca_error_t check_range(uint64_t address, uint64_t length, size_t n, struct errtext *err)
{
    if (length == 0)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "range at 0x%" PRIx64 " is empty",
                           address);
    // File offsets into a process's memory are signed.
    if (address > INT64_MAX || length > (uint64_t)INT64_MAX - address)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "range at 0x%" PRIx64 " with %" PRIu64 " bytes overflows", address,
                           length);
    if (n == 0 || n > SEGMENTS_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%zu segments; the number must be from 1 to %d", n, SEGMENTS_MAX);
    return DOCA_SUCCESS;
}

static doca_error_t fill(uint64_t address, uint64_t length, Docad__Segment *const *messages,
                         size_t n, struct segments *s, struct errtext *err)
{
    uint64_t next = address, left = length;
    for (size_t i = 0; i < n; i++) {
        const Docad__Segment *m = messages[i];
        doca_error_t r = check_segment(m, i, next, left, err);
        if (r != DOCA_SUCCESS)
            return r;
        s->items[s->count++] = (struct segment){.address = m->address,
                                                .length = m->length,
                                                .offset = m->mapped ? m->offset : 0,
                                                .mapped = m->mapped};
        *(m->mapped ? &s->mapped_bytes : &s->brokered_bytes) += m->length;
        if (m->mapped && m->offset + m->length > s->memfd_size)
            s->memfd_size = m->offset + m->length;
        next += m->length;
        left -= m->length;
    }
    if (left > 0)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "segments end %" PRIu64 " bytes before the range does", left);
    return check_overlap(s, err);
}

doca_error_t segments_read(uint64_t address, uint64_t length, Docad__Segment *const *messages,
                           size_t n, struct segments *out, struct errtext *err)
{
    doca_error_t r = check_range(address, length, n, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct segments s = {.items = calloc(n, sizeof(*s.items))};
    if (!s.items)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    r = fill(address, length, messages, n, &s, err);
    if (r != DOCA_SUCCESS) {
        segments_fini(&s);
        return r;
    }
    *out = s;
    return DOCA_SUCCESS;
}

void segments_fini(struct segments *segments)
{
    free(segments->items);
    memset(segments, 0, sizeof(*segments));
}

// The parts ascend without gaps.
const struct segment *segments_find(const struct segments *segments, uint64_t address,
                                    uint64_t length)
{
    size_t low = 0, high = segments->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (segments->items[middle].address <= address)
            low = middle;
        else
            high = middle;
    }
    const struct segment *s = &segments->items[low];
    return length <= s->length && address - s->address <= s->length - length ? s : NULL;
}

Docad__Segment **segments_to_messages(const struct segments *segments)
{
    size_t n = segments->count;
    Docad__Segment **list = malloc(n * (sizeof(*list) + sizeof(**list)));
    if (!list)
        return NULL;
    Docad__Segment *items = (Docad__Segment *)(list + n);
    for (size_t i = 0; i < n; i++) {
        const struct segment *s = &segments->items[i];
        docad__segment__init(&items[i]);
        items[i].address = s->address;
        items[i].length = s->length;
        items[i].offset = s->offset;
        items[i].mapped = s->mapped;
        list[i] = &items[i];
    }
    return list;
}

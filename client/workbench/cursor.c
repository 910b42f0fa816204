// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cursor.h"

#include <stddef.h>

#define PADDING_MIN 8 // bytes: `size` and `kind` are in them

const struct record *cursor_record(struct cursor *cursor)
{
    while (cursor->at < cursor->end) {
        uint32_t offset = (uint32_t)(cursor->at % cursor->bytes);
        const struct record *record = (const struct record *)(cursor->slot->ring + offset);
        if (record->size < PADDING_MIN || record->size % 8 || record->size > cursor->bytes - offset)
            break;
        if (record->kind != RECORD_PADDING && record->size < sizeof(*record))
            break;
        if (record->kind != RECORD_PADDING)
            return record;
        cursor->at += record->size;
    }
    cursor->at = cursor->end;
    return NULL;
}

// ---- the heap

// Records that ended at the same time have the order of their slots.
static bool is_before(const struct cursor *a, const struct cursor *b)
{
    return a->ended != b->ended ? a->ended < b->ended : a->slot < b->slot;
}

// The program can change the record later: the heap has its own copy of the time.
static bool note_record(struct cursor *cursor)
{
    const struct record *record = cursor_record(cursor);
    if (record)
        cursor->ended = record->ended;
    return record;
}

void cursors_add(struct cursor **heap, unsigned *count, struct cursor *cursor)
{
    if (!note_record(cursor))
        return;
    unsigned at = (*count)++;
    for (; at && is_before(cursor, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = cursor;
}

void cursors_moved(struct cursor **heap, unsigned *count)
{
    struct cursor *cursor = note_record(heap[0]) ? heap[0] : heap[--*count];
    unsigned at = 0;
    for (unsigned child; (child = 2 * at + 1) < *count; at = child) {
        child += child + 1 < *count && is_before(heap[child + 1], heap[child]);
        if (!is_before(heap[child], cursor))
            break;
        heap[at] = heap[child];
    }
    heap[at] = cursor;
}

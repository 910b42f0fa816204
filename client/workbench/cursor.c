// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cursor.h"

#include <stddef.h>

#define PADDING_MIN 8 // bytes: `size` and `kind` are in them

const struct record *cursor_record(struct cursor *cursor)
{
    while (cursor->at < cursor->end) {
        uint32_t offset = (uint32_t)(cursor->at % RING_BYTES);
        const struct record *record = (const struct record *)(cursor->slot->ring + offset);
        if (record->size < PADDING_MIN || record->size % 8 || record->size > RING_BYTES - offset)
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

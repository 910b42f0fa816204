// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The ring of a thread, as the writer process reads it.

#ifndef WORKBENCH_CURSOR_H
#define WORKBENCH_CURSOR_H

#include "record.h"

// The part of a ring that is read in one turn.
struct cursor {
    struct slot *slot;
    uint32_t bytes;   // of the ring
    uint64_t at, end; // bytes, ever
    uint64_t ended;   // of the record at the cursor, for the heap
};

// Returns the record at the cursor, which has at least the members of struct record; NULL at the
// end. A record that the program has damaged ends the turn.
const struct record *cursor_record(struct cursor *cursor);

// A heap of cursors that are not at their end, in which the record that ended first is on top.
// Adds a cursor, unless it is at its end.
void cursors_add(struct cursor **heap, unsigned *count, struct cursor *cursor);
// The cursor on top has moved: finds the new top.
void cursors_moved(struct cursor **heap, unsigned *count);

#endif

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
    uint64_t at, end; // bytes, ever
};

// Returns the record at the cursor, which has at least the members of struct record; NULL at the
// end. A record that the program has damaged ends the turn.
const struct record *cursor_record(struct cursor *cursor);

#endif

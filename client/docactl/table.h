// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tables for people, printed by libsmartcols. On a terminal a table fits: columns with the same
// text in all rows, or of least importance, are left out, and long texts are cut or wrapped.
// Elsewhere everything is printed in full.

#ifndef DOCACTL_TABLE_H
#define DOCACTL_TABLE_H

#include "output.h"

struct table {
    const struct column
        *columns;  // without those that are only in JSON, with the terminator of all tables
    bool keep_all; // the user has named the columns: none is left out
    bool no_headers;
};

// Its rows, as texts.
struct grid;

// Returns NULL if memory runs out.
struct grid *table_begin(const struct table *table);
// Returns false if memory runs out.
bool table_add(struct grid *grid, struct json_object *row);
bool table_add_message(struct grid *grid, const ProtobufCMessage *message);
// Prints the rows. Returns false if memory runs out.
bool table_end(struct grid *grid, const struct table *table);
// Takes NULL, returns NULL.
struct grid *table_free(struct grid *grid);

// All of that for an array of objects. Returns false if memory runs out.
bool table_print(struct json_object *array, const struct table *table);

#endif

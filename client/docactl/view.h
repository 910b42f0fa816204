// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The user's view of a list: which rows, in which order, and which columns.

#ifndef DOCACTL_VIEW_H
#define DOCACTL_VIEW_H

#include "docactl.h"
#include "table.h"

#define VIEW_COLUMNS_MAX    64
#define VIEW_CONDITIONS_MAX 16

struct condition {
    const struct column *column;
    bool unlike;
    char pattern[128]; // of fnmatch(3), for what people see
};

struct view {
    struct column columns[VIEW_COLUMNS_MAX + 1];
    bool named; // by the user
    bool no_headers;
    struct condition conditions[VIEW_CONDITIONS_MAX];
    size_t n_conditions;
    const struct column *sort; // NULL: in the daemon's order
};

// Reads the options of the command (--columns, --filter, --sort, --no-headers) for a list with
// these fields.
enum outcome view_take(struct ctl *ctl, const struct column *fields, struct view *view);

// The fields that the view needs of each row, with the terminator of all tables.
void view_needs(const struct view *view, const struct column *fields,
                struct column needed[VIEW_COLUMNS_MAX + 1]);

// Returns whether the row is in the user's view.
bool view_wants(const struct view *view, struct json_object *row);

// Returns the matching rows, in the view's order; releases the array.
struct json_object *view_rows(const struct view *view, struct json_object *array);

struct table view_table(const struct view *view);
bool view_print(const struct view *view, struct json_object *array);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tables for people, printed by libsmartcols. On a terminal a table fits: columns that say the
// same in all rows, or matter least, are left out, and long texts are cut or wrapped. Elsewhere
// everything is printed in full.

#ifndef DOCACTL_TABLE_H
#define DOCACTL_TABLE_H

#include "output.h"

struct table {
    const struct column *columns; // without those that people do not see, ended as all tables are
    bool keep_all;                // the user has named the columns: none is left out
    bool no_headers;
};

// Prints an array of objects. False if memory runs out.
bool table_print(struct json_object *array, const struct table *table);

#endif

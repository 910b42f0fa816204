// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Gets a list from the daemon and prints it on standard output.

#ifndef DOCACTL_LISTING_H
#define DOCACTL_LISTING_H

#include "ctl_call.h"
#include "fields.h"

// A list of the daemon's, as JSON.
struct listing {
    Docad__List__Kind kind;
    const char *field; // of ListReply
    const struct column *columns;
    bool (*wanted)(const ProtobufCMessage *item); // NULL: all items are
};

// Adds all pages of the list to an array.
enum outcome fetch_list(struct ctl *ctl, const struct listing *listing, struct json_object *array);

// Prints the list as it comes, without making an array of it: it may have a hundred thousand rows.
// Not as JSON, and not sorted.
enum outcome show_list(struct ctl *ctl, const struct listing *listing);

// Prints a value and releases it.
enum outcome show_array(struct ctl *ctl, struct json_object *array, const struct column *columns);
enum outcome show_object(struct ctl *ctl, struct json_object *object, const struct column *columns);

// Fails if standard output could not be written.
enum outcome written(struct ctl *ctl, bool ok);

#endif

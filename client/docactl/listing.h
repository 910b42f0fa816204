// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The way from a list of the daemon to a list on standard output.

#ifndef DOCACTL_LISTING_H
#define DOCACTL_LISTING_H

#include "ctl_call.h"
#include "fields.h"

// A list of the daemon as JSON.
struct listing {
    Docad__List__Kind kind;
    const char *field; // of ListReply
    const struct column *columns;
    bool (*wanted)(const ProtobufCMessage *item); // NULL: all are
};

// Adds all pages of the list to an array.
enum outcome fetch_list(struct ctl *ctl, const struct listing *listing, struct json_object *array);

// Prints a value, which is taken over.
enum outcome show_array(struct ctl *ctl, struct json_object *array, const struct column *columns);
enum outcome show_object(struct ctl *ctl, struct json_object *object, const struct column *columns);

// Standard output was written, or not.
enum outcome written(struct ctl *ctl, bool ok);

#endif

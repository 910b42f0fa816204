// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The way from a list of the daemon to a list on standard output.

#ifndef DOCACTL_LISTING_H
#define DOCACTL_LISTING_H

#include "connection.h"
#include "output.h"

// Adds the entries of a page to a JSON array.
typedef void (*page_adder)(const Docad__ListReply *page, void *array);

// Fetches all pages of a list and prints it.
enum outcome show_list(struct ctl *ctl, Docad__List__Kind kind, page_adder add,
                       const struct column *columns);

// Prints a value, which is taken over.
enum outcome show_array(struct ctl *ctl, struct json_object *array, const struct column *columns);
enum outcome show_object(struct ctl *ctl, struct json_object *object, const struct column *columns);

#endif

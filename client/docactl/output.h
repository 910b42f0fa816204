// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Output. Every command makes JSON objects; with --json they are printed as they are,
// without it a table of columns says which members people see and how they are written.

#ifndef DOCACTL_OUTPUT_H
#define DOCACTL_OUTPUT_H

#include <json-c/json.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum column_format {
    COLUMN_TEXT,
    COLUMN_NUMBER,
    COLUMN_ADDRESS,  // a number, shown in hexadecimal
    COLUMN_BYTES,    // a number, shown with a unit
    COLUMN_DURATION, // milliseconds
    COLUMN_LIST,     // an array of texts
    COLUMN_COUNT,    // an array, of which the length is shown
    COLUMN_YES_NO,
};

// A table of columns ends with one without title.
struct column {
    const char *title; // of a list's column or an object's line
    const char *key;   // the member
    enum column_format format;
};

// Both take the value over and release it. False if standard output failed.
bool output_list(bool json, struct json_object *array, const struct column *columns);
bool output_object(bool json, struct json_object *object, const struct column *columns);

// Members, made from what the daemon sent.
void put_text(struct json_object *object, const char *key, const char *text);
void put_number(struct json_object *object, const char *key, uint64_t number);
void put_bool(struct json_object *object, const char *key, bool value);
// Bytes as hexadecimal digits.
void put_hex(struct json_object *object, const char *key, const void *bytes, size_t size);
// An export's id takes all 64 bits, more than JSON readers keep of a number: it is
// written as text of 16 hexadecimal digits, as in docad's own texts.
void put_export_id(struct json_object *object, const char *key, uint64_t id);
// enum doca_access_flags as an array of texts.
void put_access(struct json_object *object, const char *key, uint32_t access);
void put_texts(struct json_object *object, const char *key, const char *const *texts, size_t n);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Output. Every command makes JSON objects; with --json they are printed as they are, without it a
// table of columns determines which members are printed, and how.

#ifndef DOCACTL_OUTPUT_H
#define DOCACTL_OUTPUT_H

#include "text.h"

#include <json-c/json.h>
#include <protobuf-c/protobuf-c.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum column_format {
    COLUMN_TEXT,
    COLUMN_NUMBER,
    COLUMN_ADDRESS,  // a number, shown in hexadecimal
    COLUMN_BYTES,    // a number, shown with a unit
    COLUMN_DURATION, // milliseconds
    COLUMN_LIST,     // an array of texts
    COLUMN_COUNT,    // an array, whose length is shown
    COLUMN_YES_NO,
    COLUMN_FRACTION, // a number that may have decimals
    COLUMN_PERCENT,  // the same, with its sign
    // Made from a message's field of another type:
    COLUMN_ID,      // an export's id, a text
    COLUMN_ACCESS,  // enum doca_access_flags, an array of texts
    COLUMN_HEX,     // bytes, a text
    COLUMN_MAC,     // bytes, a text
    COLUMN_IP,      // bytes, a text
    COLUMN_ENUM,    // a number, one of the names
    COLUMN_LIMIT,   // a number, null if unlimited
    COLUMN_OBJECTS, // an array of objects, whose number is shown
    COLUMN_OBJECT,
    COLUMN_LABELS, // an object with text members, name="text" is shown
};

struct column;
typedef void (*column_put_fn)(struct json_object *object, const struct column *column,
                              const ProtobufCMessage *message);

// A column without a key ends a table.
struct column {
    const char *title; // of a list's column or an object's line; NULL: only in JSON
    const char *key;   // the member
    enum column_format format;
    const char *help;             // for the manual
    const char *source;           // the message's field, if it has another name
    const struct column *members; // of COLUMN_OBJECT and COLUMN_OBJECTS
    const char *const *names;     // of COLUMN_ENUM
    size_t n_names;
    column_put_fn put;  // makes the member, if not NULL
    bool optional;      // may be absent
    bool wraps;         // a text of several lines, rather than one that is cut; items of a list one
                        // a line
    unsigned char rank; // columns of the highest rank are left out first if a table does not fit;
                        // 0: never
};

// The form of a command's JSON.
enum shape {
    SHAPE_NONE,
    SHAPE_OBJECT,
    SHAPE_ARRAY, // of objects
    SHAPE_LINES, // an object on each line
};

// Both release the value. Returns false if standard output failed.
bool output_json(struct json_object *value);

// Writes the value with a newline, and control characters as \uNNNN.
void output_json_to(FILE *f, struct json_object *value, int flags);

// Prints the value on one line, for programs that read line by line. Returns false if standard
// output failed.
bool output_line(struct json_object *value);
bool output_object(bool json, struct json_object *object, const struct column *columns);

// Makes the cell of a member, escaped for terminals. The caller frees it; NULL if memory runs out.
char *output_cell(struct json_object *object, const struct column *column);
// The same for a number that is shown with its unit, if it has one. Returns false if the column has
// another format.
bool output_number(char out[TEXT_SHORT], const struct column *column, uint64_t number);
bool output_is_number(const struct column *column); // aligned to the right, never cut
// Titles are bold on a terminal, unless NO_COLOR is set.
bool output_wants_bold(void);

// Members, made from what the daemon sent. Their keys are constants of the program.
void put_text(struct json_object *object, const char *key, const char *text);
void put_number(struct json_object *object, const char *key, uint64_t number);
void put_bool(struct json_object *object, const char *key, bool value);
// Bytes as hexadecimal digits.
void put_hex(struct json_object *object, const char *key, const void *bytes, size_t size);
// An export's id has 64 bits, more than JSON readers keep of a number: it is written as text of
// 16 hexadecimal digits, as in docad's own messages.
void put_export_id(struct json_object *object, const char *key, uint64_t id);
// enum doca_access_flags as an array of texts.
#define ACCESS_NAMES_MAX 8
// Returns how many it has.
size_t access_names(const char *names[ACCESS_NAMES_MAX], uint32_t access);
void put_access(struct json_object *object, const char *key, uint32_t access);
void put_texts(struct json_object *object, const char *key, const char *const *texts, size_t n);
// A text under a name that the daemon sent.
void put_label(struct json_object *labels, const char *name, const char *text);

#endif

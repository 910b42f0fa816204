// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Options and positional arguments, read by table. The help is printed from the same tables.

#ifndef DOCACTL_OPTIONS_H
#define DOCACTL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_id {
    OPTION_SOCKET,
    OPTION_JSON,
    OPTION_TIMEOUT,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_ALL,
    OPTION_NAME,
    OPTION_PID,
    OPTION_TO,
    OPTION_OUTPUT,
    OPTION_WAIT,
    OPTION_LINKED,
    OPTION_DAYS,
    OPTION_COUNT,
    OPTION_INTERVAL,
    OPTION_AS,
    OPTION_COLUMNS,
    OPTION_FILTER,
    OPTION_SORT,
    OPTION_NO_HEADERS,
    OPTION_COMPARE,
    OPTION_SIZE,
    N_OPTIONS,
};

struct option_spec {
    enum option_id id;
    char letter;          // 0: no short form
    const char *name;     // NULL ends a table
    const char *argument; // NULL: takes none
    const char *help;
};

extern const struct option_spec global_options[];
extern const struct option_spec list_options[]; // of commands that list

#define POSITIONALS_MAX 4

struct arguments {
    const char *options[N_OPTIONS]; // NULL: not given; "" for one without argument
    const char *positional[POSITIONALS_MAX];
    size_t n; // may exceed POSITIONALS_MAX: then only the first are kept
};

// Reads argv[0..argc). Options are looked up in the tables in turn (`own` may be NULL,
// the global ones come last). With `stop_at_word` the first positional ends the reading.
// Returns how many elements were read, or -1 with a text in `error`.
int options_parse(struct arguments *args, int argc, char **argv, const struct option_spec *own,
                  bool stop_at_word, char *error, size_t error_size);

// Reads a time in seconds ("2", "0.5", at most a week). Returns false if `text` is not a time.
bool parse_seconds(const char *text, uint32_t *ms);

// Reads a count of at least 1. Returns false if `text` is not a count.
bool parse_count(const char *text, uint64_t *count);

// Reads the id of an export: hexadecimal digits, with or without 0x. Returns false if `text` is not
// an id.
bool parse_id(const char *text, uint64_t *id);

#endif

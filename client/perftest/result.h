// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The result of a run: named figures, in memory that the measuring process shares with
// the process that prints them.

#ifndef PERFTEST_RESULT_H
#define PERFTEST_RESULT_H

#include "options.h"
#include "problem.h"
#include "stats.h"

#include <json-c/json.h>

#define FIGURES_MAX 24

struct figure {
    const char *key;   // in JSON
    const char *title; // of the column; NULL: in JSON only
    double value;
    int digits; // behind the point
};

struct result {
    bool ok;
    struct problem problem;
    bool verified;
    bool absent; // something that it needs is missing: `problem` has the text
    size_t n_figures;
    struct figure figures[FIGURES_MAX];
};

// `key` and `title` are constants.
void result_add(struct result *result, const char *key, const char *title, double value,
                int digits);
// Minimum, percentiles, maximum and average of durations.
void result_add_spread(struct result *result, const struct spread *spread);

struct json_object *result_json(const struct result *result);
// A line of the table; columns are at least so wide.
void result_print_titles(const struct result *result, int least);
void result_print(const struct result *result, int least);

// Prints a JSON object and releases it. Returns false if standard output failed.
bool json_print(struct json_object *object);
// Adds a member: null if there is no number.
void json_add_number(struct json_object *object, const char *key, double value);
void json_add_text(struct json_object *object, const char *key, const char *text);
// The head of every report: program, version, clock, machine.
void json_add_head(struct json_object *object, const char *command);

#endif

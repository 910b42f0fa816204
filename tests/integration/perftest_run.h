// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Runs of doca-perftest, and what they print.

#ifndef INTEGRATION_PERFTEST_RUN_H
#define INTEGRATION_PERFTEST_RUN_H

#include "child.h"
#include "run.h"

#include "text_names.h"

#include <json-c/json.h>

extern struct command_result result; // of the last run

// Private daemons live in the test's directory, so that what is left there is seen.
void perftest_set_up(void);

// The exit status.
int run_perftest(const char *const words[]);

#define RUN(...)    run_perftest((const char *const[]){__VA_ARGS__, NULL})
#define RUN_OK(...) ck_assert_msg(RUN(__VA_ARGS__) == 0, "status %d: %s", result.status, result.err)

// The output of the last run. The caller releases it.
struct json_object *printed(void);
// Members, which must be there.
struct json_object *get(struct json_object *object, const char *key, json_type type);
double number(struct json_object *object, const char *key);
const char *text(struct json_object *object, const char *key);

// The head of the last report; returns its results, and the whole, which the caller releases.
struct json_object *results_of(const char *command, struct json_object **whole);
void assert_numbers(struct json_object *object, const char *const keys[]);
// The last run has failed, and says this.
void assert_one_line(const char *says);

#endif

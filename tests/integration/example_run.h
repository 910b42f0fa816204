// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Runs examples on two linked nodes, for their tests.

#ifndef INTEGRATION_EXAMPLE_RUN_H
#define INTEGRATION_EXAMPLE_RUN_H

#include "child.h"
#include "nodes.h"

extern struct command_result result; // of the last program

#define RUN(daemon, ...)                                                                           \
    (command_run(daemon, (const char *const[]){__VA_ARGS__, NULL}, &result), result.status)
#define RUN_OK(daemon, ...) run_example_well(daemon, (const char *const[]){__VA_ARGS__, NULL})

// Runs a program to its end, which must be a good one. DOCAD_TEST_CHECKED: an example must break no
// rule of docad-run --check either, nor must one that become() starts.
void run_example_well(const struct daemon *daemon, const char *const argv[]);

// ---- files ----------------------------------------------------------------------------------

// A file whose bytes differ everywhere; not a multiple of anything.
struct path make_file(size_t size);
void assert_same(const char *a, const char *b);
void flip_byte(const struct path *path, long at);

// ---- a program beside the others ------------------------------------------------------------

// Becomes the example program of `argv`, which writes to a log.
int become(struct child *self, void *argv);
bool log_has(const char *text);
void wait_for_log(const char *text);

#endif

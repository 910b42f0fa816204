// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Other programs that measure similar things, if they are installed: runs a server and a
// client of theirs, and reads the client's output. A row of `compare` may use them if
// both measure the same thing.

#ifndef PERFTEST_EXTERNAL_H
#define PERFTEST_EXTERNAL_H

#include "supervisor.h"

#include <json-c/json.h>

enum external_tool {
    EXTERNAL_UCX,    // ucx_perftest
    EXTERNAL_FABRIC, // fi_pingpong
    N_EXTERNAL,
};

struct external_test {
    enum external_tool tool;
    const char *name; // ucx_perftest's test, fi_pingpong's provider
    uint64_t size, iters;
};

// A figure that a tool does not print is NAN.
struct external_figures {
    double p50_usec, average_usec, mib_s, rate_mpps;
};

// Finds the program. Returns false if it is not installed.
bool external_find(enum external_tool tool, char *path, size_t size);

// Runs a test over shared memory, with the other side in a separate process.
bool external_run(struct supervisor *sup, const struct external_test *test,
                  struct external_figures *out, struct problem *problem);

// Returns an array of the programs: name, package, path (null if not installed).
struct json_object *external_json(void);

#endif

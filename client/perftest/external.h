// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs of others that measure similar things, where they are installed: a server
// and a client of theirs are run, and what the client prints is read. A row of `compare`
// may use them where both measure like for like.

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

// What a tool does not say is NAN.
struct external_figures {
    double p50_usec, average_usec, mib_s, rate_mpps;
};

// Where the program is. False if it is not installed.
bool external_find(enum external_tool tool, char *path, size_t size);

// Runs a test over shared memory, the other side in a process of its own.
bool external_run(struct supervisor *sup, const struct external_test *test,
                  struct external_figures *out, struct problem *problem);

// An array of what was looked for: name, package, path (null if not installed).
struct json_object *external_json(void);

#endif

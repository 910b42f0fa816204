// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs of others that measure the same things: which are installed, and how to run
// them. A row of `compare` uses one where it measures like for like.

#ifndef PERFTEST_EXTERNAL_H
#define PERFTEST_EXTERNAL_H

#include "problem.h"

#include <json-c/json.h>

enum external_tool {
    EXTERNAL_UCX,    // ucx_perftest
    EXTERNAL_FABRIC, // fi_pingpong
    N_EXTERNAL,
};

// Where the program is. False if it is not installed.
bool external_find(enum external_tool tool, char *path, size_t size);

// An array of what was looked for: name, package, path (null if not installed).
struct json_object *external_json(void);

#endif

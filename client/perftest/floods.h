// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a hostile user does all the time, without the library: each flood in a process of its own,
// which runs until it is killed.

#ifndef PERFTEST_FLOODS_H
#define PERFTEST_FLOODS_H

#include <stddef.h>

struct flood {
    const char *name, *what;
    // Returns only if it cannot go on.
    void (*run)(const char *host_socket, const char *dpu_socket);
};

extern const struct flood floods[];
extern const size_t n_floods;

#endif

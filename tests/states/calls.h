// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Every function of the interface as something to call with arguments decided at run
// time. The list is generated from the tables of the interface and the public headers.

#ifndef STATES_CALLS_H
#define STATES_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARAMS_MAX 10

enum result_kind { RESULT_ERROR, RESULT_POINTER, RESULT_NUMBER };

struct param {
    const char *name;
    bool pointer;
};

struct call {
    const char *name;
    enum result_kind result;
    uint64_t (*make)(const uint64_t *arguments);
    uint32_t documented; // codes that its comment names: 1 << code
    unsigned n_params;
    struct param params[PARAMS_MAX];
};

extern const struct call calls[]; // by name
extern const size_t n_calls;

#endif

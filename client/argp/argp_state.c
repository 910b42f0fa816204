// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The parser: there is one in a process.

#include "argp.h"

struct argp argp = {.params = {&argp.params, &argp.params}};

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The parser: a process has one.

#include "argp.h"

struct argp argp = {.params = {&argp.params, &argp.params}};

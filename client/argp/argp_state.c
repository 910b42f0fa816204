// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The parser's state, of which a process has one.

#include "argp.h"

#define NEW                                                                                        \
    {                                                                                              \
        .program = {.params = {&argp.program.params, &argp.program.params},                        \
                    .cmds = {&argp.program.cmds, &argp.program.cmds}},                             \
        .current = &argp.program,                                                                  \
    }

struct argp argp = NEW;

void argp_reset(void)
{
    argp = (struct argp)NEW;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How often a test repeats what it does. Few repetitions find the faults that it is for; in a
// long run, which DOCAD_TEST_LONG=1 asks for, there are more, against faults that are rare.

#ifndef HARNESS_REPETITIONS_H
#define HARNESS_REPETITIONS_H

#include <stdlib.h>
#include <string.h>

// Returns the first number, or the second one in a long run.
static inline unsigned repetitions(unsigned usual, unsigned in_long_run)
{
    const char *wanted = getenv("DOCAD_TEST_LONG");
    return wanted && strcmp(wanted, "1") == 0 ? in_long_run : usual;
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Replacements for libraries that docad does not have, so that a program can be loaded. A call of
// one of their functions prints its name, and ends the program.

#ifndef RUN_STAND_IN_H
#define RUN_STAND_IN_H

#include "needs.h"

struct stand_in {
    const char *soname;
    uint16_t machine;            // EM_X86_64 or EM_AARCH64
    const char *const *versions; // that the library defines
    size_t version_count;
    const struct elf_symbol *const *symbols; // the functions
    size_t symbol_count;
    const char *generation;
};

// Writes the library into memory that has no name. A descriptor that outlives exec(), or -1 with
// errno.
int stand_in_make(const struct stand_in *stand_in);

#endif

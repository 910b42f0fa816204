// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The runtime directories (sdk-<generation>): their contents, and which of them a program is for.

#ifndef RUN_RUNTIME_H
#define RUN_RUNTIME_H

#include "needs.h"

struct runtime_libraries;

struct runtime {
    char generation[16];
    char *path;
    struct runtime_libraries
        *libraries; // opened when they are first asked for: most programs need none
};

struct runtimes {
    struct runtime *all;
    size_t count;
};

// Reads the directories sdk-* of `directory`. Returns NULL, or the reason why there are none
// (static text).
const char *runtimes_read(struct runtimes *runtimes, const char *directory);
void runtimes_free(struct runtimes *runtimes);

// The directory of a generation, or NULL.
const struct runtime *runtimes_find(const struct runtimes *runtimes, const char *generation);

// The same, or the one of a release, such as 3.1. Returns NULL if there is none.
const struct runtime *runtimes_named(const struct runtimes *runtimes, const char *name);

// Returns the directory that fits what a program needs, or NULL if none has the vendor's libraries
// of that number: the one that has most of the functions; among equals the release that is stored
// in the program decides, then the symbol versions that it needs.
const struct runtime *runtimes_choose(const struct runtimes *runtimes, const struct needs *needs);

// Returns whether it is certain that the program is of this generation. Otherwise the choice is a
// guess.
bool runtime_is_certain(const struct runtime *runtime, const struct needs *needs);

// The machine that the libraries are for, as in ELF's headers; 0 if none can be read.
uint16_t runtime_machine(const struct runtime *runtime);

enum runtime_has {
    RUNTIME_HAS,     // leads to libdoca-client
    RUNTIME_LACKS,   // a function of the generation; a call of it ends the program
    RUNTIME_UNKNOWN, // no library has the name, in the version
};
enum runtime_has runtime_has(const struct runtime *runtime, const struct elf_symbol *symbol);
bool runtime_has_library(const struct runtime *runtime, const char *library);

// Returns whether the loader finds the version in the library, if the directory has the library.
bool runtime_has_version(const struct runtime *runtime, const char *library, const char *version);

#endif

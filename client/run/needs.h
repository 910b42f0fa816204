// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The vendor's libraries that a program needs: itself, and through its own libraries.

#ifndef RUN_NEEDS_H
#define RUN_NEEDS_H

#include "elf_object.h"

#include <limits.h>

#define NEEDS_OBJECTS 256 // the most libraries that are examined

struct needs {
    struct elf_object *objects[NEEDS_OBJECTS]; // the program first
    char *paths[NEEDS_OBJECTS];
    size_t object_count;
    // The vendor's functions, each name and version once. They are symbols of a version of the
    // vendor's libraries; and, of those without a version, the ones that begin with doca_, and the
    // ones that an object that is linked with such a library finds in no other library.
    const struct elf_symbol **symbols;
    size_t symbol_count;
    const char **libraries; // names of the vendor's libraries, each once
    size_t library_count;
    const char **absent; // other libraries that are nowhere, each once
    size_t absent_count;
    const struct elf_version **versions; // needed versions that other libraries do not define
    size_t version_count;
    bool has_docads;     // an object needs docad's own library
    bool has_rpath;      // an object prefers a path of its own to LD_LIBRARY_PATH
    bool third_argument; // doca_argp_start() gets the address of a third argument: 1.2 or 1.3
    char release[16];    // of the SDK that the program was built with, as 2.5.0108; or ""
};

// Reads the program and its libraries, from its own paths, LD_LIBRARY_PATH, the loader's cache and
// the usual directories. ELF_NO_FILE with errno ENOMEM: no memory.
enum elf_opened needs_read(struct needs *needs, const char *program);
void needs_free(struct needs *needs);

// Returns whether the loader finds the version in the library.
bool needs_version_is_there(const struct elf_object *library, const char *version);

// Returns whether an object needs one of the vendor's libraries itself.
bool needs_asks_vendor(const struct elf_object *object);

// Returns whether a library has the form libdoca_NAME.so.NUMBER.
bool needs_is_vendors(const char *library);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whole files, named by two parts. Whatever goes wrong ends the program.

#ifndef EXAMPLES_COMMON_FILES_H
#define EXAMPLES_COMMON_FILES_H

#include <stddef.h>

struct bytes {
    void *data;
    size_t size;
};

struct bytes read_file(const char *name, const char *suffix); // the caller frees the data
void write_file(const char *name, const char *suffix, const struct bytes *bytes);

#endif

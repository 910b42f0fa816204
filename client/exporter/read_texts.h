// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Reads what daemons send on their metrics sockets: from all of them at the same time, so that one
// that hangs only affects its own text.

#ifndef EXPORTER_READ_TEXTS_H
#define EXPORTER_READ_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_MAX (16u << 20)

struct reading {
    const char *path;
    char *text; // all of it, which the caller frees; NULL: it could not be read
    size_t size;
    int fd;
};

// Fills in the texts. One is NULL if no process answers, if it does not end before `deadline_ms`
// (clock_ms()), or is longer than TEXT_MAX. Returns false if memory is short.
bool read_texts(struct reading *readings, size_t n, uint64_t deadline_ms);

#endif

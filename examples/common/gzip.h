// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// gzip files: raw deflate, which compression makes and reads, between a header and a trailer, which
// are the program's business.

#ifndef EXAMPLES_COMMON_GZIP_H
#define EXAMPLES_COMMON_GZIP_H

#include <stddef.h>
#include <stdint.h>

// Bytes before the deflate, and after it.
#define GZIP_BEFORE 10
#define GZIP_AFTER  8

struct gzip {
    uint32_t crc32, size; // of the plain data
};

// What such a file says of its plain data. Fails unless it is one, without a name in it.
struct gzip gzip_look(const uint8_t *file, size_t size);

// Writes such a file.
void gzip_write(const char *name, const uint8_t *deflate, size_t size, struct gzip plain);

#endif

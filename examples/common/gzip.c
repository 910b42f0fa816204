// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "gzip.h"

#include "fail.h"
#include "files.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t header[GZIP_BEFORE] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}; // no name, no time

struct gzip gzip_look(const uint8_t *file, size_t size)
{
    uint32_t trailer[2];

    if (size <= GZIP_BEFORE + GZIP_AFTER || memcmp(file, header, 4) != 0)
        fail("that is not a gzip file, or one with a name in it (gzip -n leaves it out)");
    memcpy(trailer, file + size - GZIP_AFTER, GZIP_AFTER);
    return (struct gzip){.crc32 = le32toh(trailer[0]), .size = le32toh(trailer[1])};
}

void gzip_write(const char *name, const uint8_t *deflate, size_t size, struct gzip plain)
{
    const uint32_t trailer[2] = {htole32(plain.crc32), htole32(plain.size)};
    struct bytes file = {.size = GZIP_BEFORE + size + GZIP_AFTER};
    uint8_t *data = malloc(file.size);

    if (!data)
        fail("no memory");
    memcpy(data, header, GZIP_BEFORE);
    memcpy(data + GZIP_BEFORE, deflate, size);
    memcpy(data + GZIP_BEFORE + size, trailer, GZIP_AFTER);
    file.data = data;
    write_file(name, "", &file);
    free(data);
}

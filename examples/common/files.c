// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "files.h"

#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static FILE *open_file(const char *name, const char *suffix, const char *mode)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof(path), "%s%s", name, suffix) >= sizeof(path))
        fail("the name of a file is too long");
    FILE *file = fopen(path, mode);
    if (!file)
        fail("%s: %s", path, strerror(errno));
    return file;
}

struct bytes read_file(const char *name, const char *suffix)
{
    FILE *file = open_file(name, suffix, "re");
    struct stat st;
    if (fstat(fileno(file), &st) < 0 || !S_ISREG(st.st_mode))
        fail("%s%s: not a file", name, suffix);
    struct bytes bytes = {.data = malloc((size_t)st.st_size + 1), .size = (size_t)st.st_size};
    if (!bytes.data)
        fail("no memory");
    if (fread(bytes.data, 1, bytes.size, file) != bytes.size)
        fail("%s%s: cannot read", name, suffix);
    fclose(file);
    return bytes;
}

void write_file(const char *name, const char *suffix, const struct bytes *bytes)
{
    FILE *file = open_file(name, suffix, "we");
    size_t written = fwrite(bytes->data, 1, bytes->size, file);
    if (fclose(file) != 0 || written != bytes->size)
        fail("%s%s: cannot write", name, suffix);
}

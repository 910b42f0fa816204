// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Loads a text as if it were a configuration file.

#ifndef UNIT_CONFIG_LOADED_H
#define UNIT_CONFIG_LOADED_H

#include "unit.h"

#include "cleanup.h"
#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// What is wrong with it ends in `errors`.
static inline bool load_text(struct config *config, const char *text, char *errors, size_t size)
{
    char path[32];
    cleanup_fd int fd = memfd_create("docad.conf", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    memset(errors, 0, size);
    FILE *out = fmemopen(errors, size - 1, "w");
    ck_assert_ptr_nonnull(out);
    config_init(config);
    bool ok = config_load(config, path, CONFIG_ALL_MISTAKES, out);
    fclose(out);
    return ok;
}

#endif

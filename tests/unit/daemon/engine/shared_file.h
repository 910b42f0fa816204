// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A file that grants share.

#ifndef TESTS_UNIT_SHARED_FILE_H
#define TESTS_UNIT_SHARED_FILE_H

#include "shared_fd.h"

#include <check.h>
#include <fcntl.h>

static inline struct shared_fd *shared_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return shared_fd_new(fd);
}

#endif

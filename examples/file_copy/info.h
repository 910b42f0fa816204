// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What file_export tells file_fetch about the file: a record of 40 bytes, exported
// beside the contents and published as NAME.info.

#ifndef EXAMPLES_FILE_COPY_INFO_H
#define EXAMPLES_FILE_COPY_INFO_H

#include <stdint.h>
#include <stdio.h>

#define SHA256_SIZE 32

struct file_info {
    uint64_t size;
    uint8_t sha256[SHA256_SIZE];
};

_Static_assert(sizeof(struct file_info) == 40, "both programs see the same record");

#define INFO_SUFFIX ".info"

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad has made of an export.

#ifndef CLIENT_MMAP_EXPORTED_H
#define CLIENT_MMAP_EXPORTED_H

#include "export_desc.h"

struct exported {
    uint64_t id;
    uint8_t desc[EXPORT_DESC_SIZE_MAX];
    size_t length;
};

#endif

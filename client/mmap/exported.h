// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad's answer to an export.

#ifndef CLIENT_MMAP_EXPORTED_H
#define CLIENT_MMAP_EXPORTED_H

#include "export_desc.h"

struct exported {
    uint64_t id;
    uint8_t desc[EXPORT_DESC_SIZE_MAX];
    size_t length;
    // For a sync event: the word of the state table that reports whether others have imported it.
    uint64_t holders_id; // 0: docad does not report it
    uint32_t holders_slot;
};

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory for protobuf-c to unpack into. It distinguishes a lack of memory from invalid bytes:
// protobuf-c returns NULL for both.

#ifndef COMMON_UNPACK_H
#define COMMON_UNPACK_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

struct unpack_memory {
    ProtobufCAllocator allocator; // its memory is freed with free()
    bool ran_out;
};

// Must not be moved.
void unpack_memory_init(struct unpack_memory *memory);

#endif

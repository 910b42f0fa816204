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
    ProtobufCAllocator allocator; // what it gives is freed as any other memory
    bool ran_out;
};

// It must stay where it is.
void unpack_memory_init(struct unpack_memory *memory);

#endif

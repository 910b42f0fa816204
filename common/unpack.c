// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "unpack.h"

#include <stdlib.h>

static void *allocate(void *ran_out, size_t size)
{
    void *block = malloc(size);
    if (!block)
        *(bool *)ran_out = true;
    return block;
}

static void release(void *ran_out, void *block)
{
    (void)ran_out;
    free(block);
}

void unpack_memory_init(struct unpack_memory *memory)
{
    memory->ran_out = false;
    memory->allocator = (ProtobufCAllocator){
        .alloc = allocate, .free = release, .allocator_data = &memory->ran_out};
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Unpredictable random bytes from the kernel. They need no memory; libcrypto's do, and its versions
// 3.0 crash if memory runs out at the first use.

#ifndef COMMON_RANDOM_BYTES_H
#define COMMON_RANDOM_BYTES_H

#include <stdbool.h>
#include <sys/random.h>

#define RANDOM_BYTES_MAX 256 // getrandom(2) returns up to this many completely or not at all

static inline bool random_bytes(void *out, size_t size)
{
    return size <= RANDOM_BYTES_MAX && getrandom(out, size, 0) == (ssize_t)size;
}

#endif

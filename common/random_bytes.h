// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Random bytes that nobody can guess, from the kernel: without memory, which libcrypto's need, and
// whose versions of 3.0 crash if it runs out at their first use.

#ifndef COMMON_RANDOM_BYTES_H
#define COMMON_RANDOM_BYTES_H

#include <stdbool.h>
#include <sys/random.h>

#define RANDOM_BYTES_MAX 256 // so many come at once, or none

static inline bool random_bytes(void *out, size_t size)
{
    return size <= RANDOM_BYTES_MAX && getrandom(out, size, 0) == (ssize_t)size;
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The amount of memory of started maps that a child of fork() gets as copies.

#ifndef CLIENT_CORE_FORK_COPY_H
#define CLIENT_CORE_FORK_COPY_H

#include <stdint.h>

// Returns the number of bytes: FORK_COPY_DEFAULT, unless $DOCAD_FORK_COPY sets another: bytes, or
// a number with K, M, G or T; "unlimited" means all.
uint64_t fork_copy_max(void);

#define FORK_COPY_DEFAULT (UINT64_C(64) << 20)

#endif

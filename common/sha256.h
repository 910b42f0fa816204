// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The SHA-256 of some bytes.

#ifndef COMMON_SHA256_H
#define COMMON_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32

// Cannot fail, and needs no memory.
void sha256(const void *data, size_t size, uint8_t out[SHA256_SIZE]);

#endif

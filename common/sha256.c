// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Uses the functions of libcrypto that need no library context. Their replacements look up an
// implementation by its name each time, leave errors in the program's queue, and crash in versions
// of 3.0 if memory runs out at their first use.

#define OPENSSL_SUPPRESS_DEPRECATED

#include "sha256.h"

#include <openssl/sha.h>

_Static_assert(SHA256_SIZE == SHA256_DIGEST_LENGTH, "libcrypto's name for it");

void sha256(const void *data, size_t size, uint8_t out[SHA256_SIZE])
{
    SHA256_CTX state;
    SHA256_Init(&state);
    SHA256_Update(&state, data, size);
    SHA256_Final(out, &state);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The state of a message, in one of the algorithms: plain memory, which assignment copies.
//
// EVP digests are built on libcrypto's SHA256_Init() and similar functions, with the same
// machine code. EVP itself cannot be used in the data path: a context is good for one
// message, and both ways to make it ready for the next, EVP_DigestInit_ex2() (even without
// naming the digest again) and EVP_MD_CTX_copy_ex(), free and allocate the provider's state
// each time (counted with OpenSSL 3.0, the version that distributions have). The state must
// also be plain memory because sessions of segments outlive any one job.

#ifndef CLIENT_SHA_SHA_DIGEST_H
#define CLIENT_SHA_SHA_DIGEST_H

// Deprecated in favour of EVP; but see above.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <stddef.h>
#include <stdint.h>

enum sha_algorithm { SHA_1, SHA_256, SHA_512, SHA_ALGORITHMS };

struct sha_digest {
    union {
        SHA_CTX sha1;
        SHA256_CTX sha256;
        SHA512_CTX sha512;
    };
    uint8_t value[SHA512_DIGEST_LENGTH]; // once it is final
};

// None of these can fail: libcrypto's return values exist for other algorithms.

static inline void sha_digest_begin(struct sha_digest *digest, enum sha_algorithm algorithm)
{
    if (algorithm == SHA_1)
        SHA1_Init(&digest->sha1);
    else if (algorithm == SHA_256)
        SHA256_Init(&digest->sha256);
    else
        SHA512_Init(&digest->sha512);
}

static inline void sha_digest_update(struct sha_digest *digest, enum sha_algorithm algorithm,
                                     const uint8_t *data, size_t size)
{
    if (algorithm == SHA_1)
        SHA1_Update(&digest->sha1, data, size);
    else if (algorithm == SHA_256)
        SHA256_Update(&digest->sha256, data, size);
    else
        SHA512_Update(&digest->sha512, data, size);
}

static inline void sha_digest_end(struct sha_digest *digest, enum sha_algorithm algorithm)
{
    if (algorithm == SHA_1)
        SHA1_Final(digest->value, &digest->sha1);
    else if (algorithm == SHA_256)
        SHA256_Final(digest->value, &digest->sha256);
    else
        SHA512_Final(digest->value, &digest->sha512);
}

#endif

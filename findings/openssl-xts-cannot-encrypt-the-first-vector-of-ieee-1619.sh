#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libssl-dev 3.0.20-1~deb12u2 (OpenSSL libcrypto), Debian 12.
#
# Behaviour: The first test vector of IEEE 1619 for XTS-AES-128 has two keys of zeros.
# EVP_EncryptInit_ex() refuses that key ("xts duplicated keys"), because both halves are the same.
# EVP_DecryptInit_ex() accepts the same key, and decrypts the ciphertext of the vector to its
# plaintext.
#
# Output:
#     EVP_EncryptInit_ex(): 0, xts duplicated keys
#     EVP_DecryptInit_ex(): 1
#     EVP_DecryptUpdate(): 1, 32 bytes, the plaintext of the vector: 1
#
# Why it matters: A self-test of an AES-XTS device that checks it against OpenSSL or against the
# published vectors fails in one direction only, and looks like a fault of the device. A volume
# that another implementation encrypted with equal halves can be read through OpenSSL but not
# written.
#
# What to do: Do not use the first vector of the standard for an encryption test with OpenSSL; the
# second one has two different keys. Check for equal halves when a key is loaded, so that both
# directions agree.

set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

skip() {
    echo "SKIPPED: $*"
    exit 77
}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

fetch() {
    apt-get download "$@" >apt.log 2>&1 || { apt-get update && apt-get download "$@"; } >>apt.log 2>&1 ||
        skip "no download of $*"
    for package in ./*.deb; do
        dpkg -x "$package" root
    done
}

[ "$(dpkg --print-architecture)" = amd64 ] || skip "packages of amd64 only"
command -v cc >/dev/null || skip "no C compiler"
fetch libssl-dev=3.0.20-1~deb12u2
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const unsigned char key[32], tweak[16], zeros[32];
    static const unsigned char vector[32] = {
        0x91, 0x7c, 0xf6, 0x9e, 0xbd, 0x68, 0xb2, 0xec, 0x9b, 0x9f, 0xe9, 0xa3, 0xea, 0xdd, 0xa6, 0x92,
        0xcd, 0x43, 0xd2, 0xf5, 0x95, 0x98, 0xed, 0x85, 0x8c, 0x02, 0xc2, 0x65, 0x2f, 0xbf, 0x92, 0x2e,
    };
    unsigned char out[64];
    int n = 0;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int ok = EVP_EncryptInit_ex(ctx, EVP_aes_128_xts(), NULL, key, tweak);
    printf("EVP_EncryptInit_ex(): %d, %s\n", ok, ERR_reason_error_string(ERR_get_error()));
    EVP_CIPHER_CTX_reset(ctx);
    printf("EVP_DecryptInit_ex(): %d\n", EVP_DecryptInit_ex(ctx, EVP_aes_128_xts(), NULL, key, tweak));
    ok = EVP_DecryptUpdate(ctx, out, &n, vector, 32);
    printf("EVP_DecryptUpdate(): %d, %d bytes, the plaintext of the vector: %d\n", ok, n, !memcmp(out, zeros, 32));
    EVP_CIPHER_CTX_free(ctx);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -Iroot/usr/include/x86_64-linux-gnu "$lib/libcrypto.a" -ldl -lpthread
./program >seen

cat >expected <<'EOF'
EVP_EncryptInit_ex(): 0, xts duplicated keys
EVP_DecryptInit_ex(): 1
EVP_DecryptUpdate(): 1, 32 bytes, the plaintext of the vector: 1
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

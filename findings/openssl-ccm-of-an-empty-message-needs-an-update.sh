#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libssl-dev 3.0.20-1~deb12u2 (OpenSSL libcrypto), Debian 12.
#
# Behaviour: For an empty message with associated data, an AES-GCM program sets the IV, passes the
# associated data, calls EVP_EncryptFinal_ex() and reads the tag. With AES-CCM the same sequence
# returns success for each step up to EVP_EncryptFinal_ex(), and then reading the tag fails ("tag
# not set"). The tag exists only after one more EVP_EncryptUpdate() of 0 bytes with an output and
# an input pointer that are not NULL; the pointers decide, not the length.
#
# Output:
#     AES-128-GCM, no update: steps succeed: 1, tag: 1
#     AES-128-CCM, no update: steps succeed: 1, tag: 0, tag not set
#     AES-128-CCM, update of 0 bytes: steps succeed: 1, tag: 1
#
# Why it matters: Code that handles all AEAD ciphers alike (records of TLS or IPsec, authenticated
# control messages without payload) works with GCM for empty messages and loses the tag with CCM,
# after a step "final" that succeeded.
#
# What to do: For CCM always make the update of the payload, with a pointer to any byte for an
# empty one, and check the result of EVP_CTRL_AEAD_GET_TAG.

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

static void report(const char *name, const EVP_CIPHER *cipher, int is_ccm, int with_update)
{
    static const unsigned char key[16] = { 1 }, iv[12] = { 2 }, aad[8] = { 3 };
    unsigned char out[32], tag[16] = { 0 };
    int n;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int ok = EVP_EncryptInit_ex(ctx, cipher, NULL, NULL, NULL);
    ok &= EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, sizeof(iv), NULL);
    if (is_ccm)
        ok &= EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, sizeof(tag), NULL);
    ok &= EVP_EncryptInit_ex(ctx, NULL, NULL, key, iv);
    if (is_ccm)
        ok &= EVP_EncryptUpdate(ctx, NULL, &n, NULL, 0); // declares the length of the message
    ok &= EVP_EncryptUpdate(ctx, NULL, &n, aad, sizeof(aad));
    if (with_update)
        ok &= EVP_EncryptUpdate(ctx, out, &n, aad, 0);
    ok &= EVP_EncryptFinal_ex(ctx, out, &n);
    int got = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, sizeof(tag), tag);
    unsigned long error = ERR_get_error();
    printf("%s, %s: steps succeed: %d, tag: %d%s%s\n", name, with_update ? "update of 0 bytes" : "no update", ok, got,
           error ? ", " : "", error ? ERR_reason_error_string(error) : "");
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx);
}

int main(void)
{
    report("AES-128-GCM", EVP_aes_128_gcm(), 0, 0);
    report("AES-128-CCM", EVP_aes_128_ccm(), 1, 0);
    report("AES-128-CCM", EVP_aes_128_ccm(), 1, 1);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -Iroot/usr/include/x86_64-linux-gnu "$lib/libcrypto.a" -ldl -lpthread
./program >seen

cat >expected <<'EOF'
AES-128-GCM, no update: steps succeed: 1, tag: 1
AES-128-CCM, no update: steps succeed: 1, tag: 0, tag not set
AES-128-CCM, update of 0 bytes: steps succeed: 1, tag: 1
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libssl-dev 3.0.20-1~deb12u2 (OpenSSL libcrypto), libgcrypt20-dev 1.10.1-3+deb12u1 with
# libgpg-error-dev 1.46-1, Debian 12.
#
# Behaviour: NIST SP 800-38D allows AES-GCM IVs of 1 to 2^61-1 bytes, and tags of 4, 8, 12, 13,
# 14, 15 and 16 bytes. OpenSSL refuses IVs of more than 128 bytes ("invalid iv length") and writes
# tags of every length from 1 to 16. libgcrypt takes the long IVs and writes tags of the allowed
# lengths only, and for a buffer of 17 bytes it succeeds with a tag of 16, where OpenSSL fails.
#
# Output:
#     IV of 1: OpenSSL 1, libgcrypt 1
#     IV of 12: OpenSSL 1, libgcrypt 1
#     IV of 128: OpenSSL 1, libgcrypt 1
#     IV of 129: OpenSSL 0, libgcrypt 1
#     IV of 300: OpenSSL 0, libgcrypt 1
#     tags of 1 to 17, OpenSSL:   1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0
#     tags of 1 to 17, libgcrypt: 0 0 0 1 0 0 0 1 0 0 0 1 1 1 1 1 1
#
# Why it matters: Each library accepts what the other refuses, so a fallback from a crypto device
# to a library, or a test of one against the other, cannot use "the library accepts it" as the
# rule. A long IV (a digest chain or a serialized nonce) works on one node and fails on the other.
#
# What to do: Check IV and tag lengths against one table of your own before the call: 12 bytes of
# IV and 12 or 16 of tag work everywhere.

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
fetch libssl-dev=3.0.20-1~deb12u2 libgcrypt20-dev=1.10.1-3+deb12u1 libgpg-error-dev=1.46-1
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <gcrypt.h>
#include <openssl/evp.h>
#include <stdio.h>

static const unsigned char key[16] = { 1 }, iv[400] = { 2 };

static int openssl(int iv_length, int tag_length)
{
    unsigned char data[16] = { 3 }, tag[32];
    int n;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int ok = EVP_EncryptInit_ex(ctx, EVP_aes_128_gcm(), NULL, NULL, NULL) == 1 &&
             EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, iv_length, NULL) == 1 &&
             EVP_EncryptInit_ex(ctx, NULL, NULL, key, iv) == 1 && EVP_EncryptUpdate(ctx, data, &n, data, 16) == 1 &&
             EVP_EncryptFinal_ex(ctx, tag, &n) == 1 &&
             EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, tag_length, tag) == 1;
    EVP_CIPHER_CTX_free(ctx);
    return ok;
}

static int libgcrypt(int iv_length, int tag_length)
{
    unsigned char data[16] = { 3 }, tag[32];
    gcry_cipher_hd_t h;
    gcry_cipher_open(&h, GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_GCM, 0);
    int ok = !gcry_cipher_setkey(h, key, 16) && !gcry_cipher_setiv(h, iv, iv_length) &&
             !gcry_cipher_encrypt(h, data, 16, NULL, 0) && !gcry_cipher_gettag(h, tag, tag_length);
    gcry_cipher_close(h);
    return ok;
}

int main(void)
{
    static const int lengths[] = { 1, 12, 128, 129, 300 };
    gcry_check_version(NULL);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    for (int i = 0; i < 5; i++)
        printf("IV of %d: OpenSSL %d, libgcrypt %d\n", lengths[i], openssl(lengths[i], 16), libgcrypt(lengths[i], 16));
    printf("tags of 1 to 17, OpenSSL:  ");
    for (int n = 1; n <= 17; n++)
        printf(" %d", openssl(12, n));
    printf("\ntags of 1 to 17, libgcrypt:");
    for (int n = 1; n <= 17; n++)
        printf(" %d", libgcrypt(12, n));
    printf("\n");
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -Iroot/usr/include/x86_64-linux-gnu \
    "$lib/libcrypto.a" "$lib/libgcrypt.a" "$lib/libgpg-error.a" -ldl -lpthread
./program >seen

cat >expected <<'EOF'
IV of 1: OpenSSL 1, libgcrypt 1
IV of 12: OpenSSL 1, libgcrypt 1
IV of 128: OpenSSL 1, libgcrypt 1
IV of 129: OpenSSL 0, libgcrypt 1
IV of 300: OpenSSL 0, libgcrypt 1
tags of 1 to 17, OpenSSL:   1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0
tags of 1 to 17, libgcrypt: 0 0 0 1 0 0 0 1 0 0 0 1 1 1 1 1 1
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

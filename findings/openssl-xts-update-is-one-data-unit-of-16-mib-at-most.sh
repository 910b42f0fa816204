#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libssl-dev 3.0.20-1~deb12u2 (OpenSSL libcrypto), Debian 12.
#
# Behaviour: With AES-XTS each call of EVP_EncryptUpdate() is one data unit. 0 bytes are an error
# for XTS, while AES-GCM and AES-CTR return success for 0 bytes; 16 MiB (2^20 blocks) are
# accepted, and one byte more fails ("xts data unit is too large"). A second call starts again
# with the same tweak: two calls with 16 bytes each of the same plaintext give the same 16 bytes
# twice, and no error.
#
# Output:
#     AES-128-GCM, 0 bytes: 1
#     AES-128-CTR, 0 bytes: 1
#     AES-128-XTS, 0 bytes: 0, cipher operation failed
#     AES-128-XTS, 16777216 bytes: 1
#     AES-128-XTS, 16777217 bytes: 0, xts data unit is too large
#     two updates of 16 bytes: 2 successes, the same ciphertext: 1
#
# Why it matters: A task of a storage program that goes to OpenSSL in pieces (a scatter list, or
# because the buffer is large) becomes a wrong ciphertext without an error, and an empty piece
# fails although it has nothing to do. 16 MiB is below what int, the type of the length, promises.
#
# What to do: Gather a data unit in one buffer and make one call. Skip empty buffers. Split larger
# requests at the data-unit size of the volume, with a tweak for each unit.

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
#include <stdlib.h>
#include <string.h>

static unsigned char key[64], iv[16], *in, *out;

static void report(const char *name, const EVP_CIPHER *cipher, int length)
{
    int n = -1;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(ctx, cipher, NULL, key, iv);
    int ok = EVP_EncryptUpdate(ctx, out, &n, in, length);
    unsigned long error = ERR_get_error();
    printf("%s, %d bytes: %d%s%s\n", name, length, ok, error ? ", " : "", error ? ERR_reason_error_string(error) : "");
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx);
}

int main(void)
{
    in = calloc(1, (1 << 24) + 64);
    out = malloc((1 << 24) + 64);
    for (int i = 0; i < 64; i++)
        key[i] = i;
    report("AES-128-GCM", EVP_aes_128_gcm(), 0);
    report("AES-128-CTR", EVP_aes_128_ctr(), 0);
    report("AES-128-XTS", EVP_aes_128_xts(), 0);
    report("AES-128-XTS", EVP_aes_128_xts(), 1 << 24);
    report("AES-128-XTS", EVP_aes_128_xts(), (1 << 24) + 1);
    int n;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(ctx, EVP_aes_128_xts(), NULL, key, iv);
    int ok = EVP_EncryptUpdate(ctx, out, &n, in, 16) + EVP_EncryptUpdate(ctx, out + 16, &n, in, 16);
    printf("two updates of 16 bytes: %d successes, the same ciphertext: %d\n", ok, !memcmp(out, out + 16, 16));
    EVP_CIPHER_CTX_free(ctx);
    free(in);
    free(out);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -Iroot/usr/include/x86_64-linux-gnu "$lib/libcrypto.a" -ldl -lpthread
./program >seen

cat >expected <<'EOF'
AES-128-GCM, 0 bytes: 1
AES-128-CTR, 0 bytes: 1
AES-128-XTS, 0 bytes: 0, cipher operation failed
AES-128-XTS, 16777216 bytes: 1
AES-128-XTS, 16777217 bytes: 0, xts data unit is too large
two updates of 16 bytes: 2 successes, the same ciphertext: 1
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

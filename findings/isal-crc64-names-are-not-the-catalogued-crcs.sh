#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libisal-dev and libisal2 2.30.0-5 (ISA-L), liblzma-dev 5.4.1-1+deb12u2, Debian 12.
#
# Behaviour: All CRC-64 functions of ISA-L invert the seed and the result, whatever their name.
# crc64_ecma_norm() is therefore not the CRC-64 of ECMA-182 (check value of "123456789":
# 6c40df5f0b497347) but the one that catalogues call CRC-64/WE, and crc64_jones_refl() is not the
# CRC-64 of Jones that Redis has (e9c6d914c4b8d9ca). crc64_ecma_refl() is the CRC-64 of xz. The
# other convention is the same function with inverted seed and result: ~crc64_ecma_norm(~0, ...).
#
# Output:
#     crc64_ecma_norm, seed 0: 62ec59e3f1a4f00a
#     crc64_ecma_norm, inverted: 6c40df5f0b497347
#     crc64_jones_refl, seed 0: 3558e8e979f60d7e
#     crc64_jones_refl, inverted: e9c6d914c4b8d9ca
#     crc64_ecma_refl, seed 0: 995dc9bbdf1939fa
#     lzma_crc64, seed 0: 995dc9bbdf1939fa
#
# Why it matters: Object stores and tape formats store a CRC-64 beside the data. A program that
# takes ISA-L's function by its name reads every block as corrupt, or writes values that other
# software rejects.
#
# What to do: Test with "123456789", and invert seed and result for the CRCs that begin with 0.

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
fetch libisal-dev=2.30.0-5 liblzma-dev=5.4.1-1+deb12u2 libisal2=2.30.0-5
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <isa-l.h>
#include <lzma.h>
#include <stdio.h>

int main(void)
{
    unsigned char text[] = "123456789";
    unsigned long long ones = ~0ULL;
    printf("crc64_ecma_norm, seed 0: %016llx\n", (unsigned long long)crc64_ecma_norm(0, text, 9));
    printf("crc64_ecma_norm, inverted: %016llx\n", ~(unsigned long long)crc64_ecma_norm(ones, text, 9));
    printf("crc64_jones_refl, seed 0: %016llx\n", (unsigned long long)crc64_jones_refl(0, text, 9));
    printf("crc64_jones_refl, inverted: %016llx\n", ~(unsigned long long)crc64_jones_refl(ones, text, 9));
    printf("crc64_ecma_refl, seed 0: %016llx\n", (unsigned long long)crc64_ecma_refl(0, text, 9));
    printf("lzma_crc64, seed 0: %016llx\n", (unsigned long long)lzma_crc64(text, 9, 0));
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -L"$lib" -lisal "$lib/liblzma.a" -lpthread
if LD_LIBRARY_PATH=$lib ldd program | grep 'not found'; then
    skip "libraries are missing"
fi
LD_LIBRARY_PATH=$lib ./program >seen

cat >expected <<'EOF'
crc64_ecma_norm, seed 0: 62ec59e3f1a4f00a
crc64_ecma_norm, inverted: 6c40df5f0b497347
crc64_jones_refl, seed 0: 3558e8e979f60d7e
crc64_jones_refl, inverted: e9c6d914c4b8d9ca
crc64_ecma_refl, seed 0: 995dc9bbdf1939fa
lzma_crc64, seed 0: 995dc9bbdf1939fa
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libisal-dev and libisal2 2.30.0-5 (ISA-L), Debian 12.
#
# Behaviour: The three CRC-32 functions of ISA-L differ in more than their polynomials.
# crc32_gzip_refl(seed, buffer, length) is zlib's crc32(). crc32_ieee() has the same arguments and
# is the CRC-32 of bzip2 (not reflected). crc32_iscsi(buffer, length, seed) has its arguments in
# another order, and inverts neither the seed nor the result: with seed 0, the check value of
# "123456789" is 58e3fa20; the CRC-32C of iSCSI and NVMe, e3069283, is ~crc32_iscsi(buffer,
# length, 0xffffffff).
#
# Output:
#     crc32_gzip_refl, seed 0: cbf43926
#     crc32_ieee, seed 0: fc891918
#     crc32_iscsi, seed 0: 58e3fa20
#     crc32_iscsi, seed ffffffff, inverted: e3069283
#     in two parts: cbf43926 e3069283
#
# Why it matters: All arguments but the buffer are integers and pointers that a compiler converts
# with a warning at most, and a program that tests only both ends of its own link finds no
# difference. It shows when a device or another implementation computes the digest.
#
# What to do: Wrap the three in functions with one convention, and test each with "123456789".

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
fetch libisal-dev=2.30.0-5 libisal2=2.30.0-5
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <isa-l.h>
#include <stdio.h>

int main(void)
{
    unsigned char text[] = "123456789";
    printf("crc32_gzip_refl, seed 0: %08x\n", crc32_gzip_refl(0, text, 9));
    printf("crc32_ieee, seed 0: %08x\n", crc32_ieee(0, text, 9));
    printf("crc32_iscsi, seed 0: %08x\n", crc32_iscsi(text, 9, 0));
    printf("crc32_iscsi, seed ffffffff, inverted: %08x\n", ~crc32_iscsi(text, 9, 0xffffffff));
    unsigned half = crc32_gzip_refl(0, text, 4), raw = crc32_iscsi(text, 4, 0xffffffff);
    printf("in two parts: %08x %08x\n", crc32_gzip_refl(half, text + 4, 5), ~crc32_iscsi(text + 4, 5, raw));
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -L"$lib" -lisal
if LD_LIBRARY_PATH=$lib ldd program | grep 'not found'; then
    skip "libraries are missing"
fi
LD_LIBRARY_PATH=$lib ./program >seen

cat >expected <<'EOF'
crc32_gzip_refl, seed 0: cbf43926
crc32_ieee, seed 0: fc891918
crc32_iscsi, seed 0: 58e3fa20
crc32_iscsi, seed ffffffff, inverted: e3069283
in two parts: cbf43926 e3069283
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libprotobuf-c-dev and protobuf-c-compiler 1.4.1-1+b1 with protobuf-compiler
# 3.21.12-3+deb12u1, Debian 12.
#
# Behaviour: A string field may contain the character U+0000, which other libraries write and
# read. protobuf-c has a char pointer and no length: unpacking "p0", NUL, "vf1" succeeds, the
# program sees "p0", and packing the message again writes two bytes instead of six, without an
# error. Bytes that are not UTF-8 in a string field are accepted, too, although the format
# requires UTF-8. A bytes field keeps its length.
#
# Output:
#     string with NUL: 8 bytes unpacked, 4 bytes packed
#     bytes with NUL: 8 bytes unpacked, 8 bytes packed
#     string that is not UTF-8: 4 bytes unpacked, 4 bytes packed
#
# Why it matters: A program in between, which receives a message, changes one field and passes it
# on, shortens names, and two different names of a peer become the same one.
#
# What to do: Declare names that come from others as bytes, and refuse a NUL in them; compare
# protobuf_c_message_get_packed_size() with the received length where a change must not go
# unnoticed.

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
fetch libprotobuf-c-dev=1.4.1-1+b1 \
    protobuf-c-compiler=1.4.1-1+b1 \
    protobuf-compiler=3.21.12-3+deb12u1 \
    libprotoc32=3.21.12-3+deb12u1 \
    libprotobuf32=3.21.12-3+deb12u1
lib=root/usr/lib/x86_64-linux-gnu

cat >m.proto <<'EOF'
syntax = "proto3";
message M { string text = 1; bytes raw = 2; }
EOF
LD_LIBRARY_PATH=$lib PATH=$PWD/root/usr/bin:$PATH
export LD_LIBRARY_PATH PATH
protoc --c_out=. m.proto
cat >program.c <<'EOF'
#include "m.pb-c.h"
#include <stdio.h>
#include <string.h>

static void report(const char *name, const uint8_t *wire, size_t length)
{
    uint8_t out[100];
    M *m = m__unpack(NULL, length, wire);
    if (!m) {
        printf("%s: refused\n", name);
        return;
    }
    printf("%s: %zu bytes unpacked, %zu bytes packed\n", name, length, m__pack(m, out));
    m__free_unpacked(m, NULL);
}

int main(void)
{
    static const uint8_t text[] = { 0x0a, 6, 'p', '0', 0, 'v', 'f', '1' };
    static const uint8_t raw[] = { 0x12, 6, 'p', '0', 0, 'v', 'f', '1' };
    static const uint8_t not_utf8[] = { 0x0a, 2, 0xff, 0xfe };
    report("string with NUL", text, sizeof(text));
    report("bytes with NUL", raw, sizeof(raw));
    report("string that is not UTF-8", not_utf8, sizeof(not_utf8));
}
EOF
cc -O1 -Iroot/usr/include -o program program.c m.pb-c.c "$lib/libprotobuf-c.a"
./program >seen

cat >expected <<'EOF'
string with NUL: 8 bytes unpacked, 4 bytes packed
bytes with NUL: 8 bytes unpacked, 8 bytes packed
string that is not UTF-8: 4 bytes unpacked, 4 bytes packed
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

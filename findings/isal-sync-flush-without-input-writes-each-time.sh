#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libisal-dev and libisal2 2.30.0-5 (ISA-L, igzip), zlib1g-dev 1.2.13, Debian 12.
#
# Behaviour: isal_deflate() with SYNC_FLUSH writes a block also if no input has come since the
# last flush: at level 0, each further call adds 117 bytes, and returns COMP_OK. zlib's deflate()
# with Z_SYNC_FLUSH adds nothing the second time and returns Z_BUF_ERROR.
#
# Output:
#     ISA-L, flush 1: result 0, bytes of the flush: input and 128
#     ISA-L, flush 2: result 0, bytes of the flush: 117
#     ISA-L, flush 3: result 0, bytes of the flush: 117
#     zlib, flush 1: result 0, bytes of the flush: input and 16
#     zlib, flush 2: result -5, bytes of the flush: 0
#     zlib, flush 3: result -5, bytes of the flush: 0
#
# Why it matters: A loop that calls until the compressor has no more output, which is right with
# zlib, never ends with ISA-L. A connection that flushes on a timer sends 117 bytes per tick while
# it is idle.
#
# What to do: Flush only after new input, and stop when avail_in is 0 and avail_out is not 0.

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
fetch libisal-dev=2.30.0-5 zlib1g-dev=1:1.2.13.dfsg-1 libisal2=2.30.0-5
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <isa-l.h>
#include <stdio.h>
#include <zlib.h>

int main(void)
{
    unsigned char in[10] = "0123456789", out[2000];
    struct isal_zstream s;
    isal_deflate_init(&s);
    s.flush = SYNC_FLUSH;
    s.next_in = in;
    s.avail_in = sizeof(in);
    s.next_out = out;
    s.avail_out = sizeof(out);
    for (int i = 0; i < 3; i++) {
        unsigned before = s.total_out;
        int result = isal_deflate(&s);
        printf("ISA-L, flush %d: result %d, bytes of the flush: %s%u\n", i + 1, result, i ? "" : "input and ",
               s.total_out - before);
    }
    z_stream z = { .next_in = in, .avail_in = sizeof(in), .next_out = out, .avail_out = sizeof(out) };
    deflateInit2(&z, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    for (int i = 0; i < 3; i++) {
        unsigned long before = z.total_out;
        int result = deflate(&z, Z_SYNC_FLUSH);
        printf("zlib, flush %d: result %d, bytes of the flush: %s%lu\n", i + 1, result, i ? "" : "input and ",
               z.total_out - before);
    }
    deflateEnd(&z);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -L"$lib" -lisal "$lib/libz.a"
if LD_LIBRARY_PATH=$lib ldd program | grep 'not found'; then
    skip "libraries are missing"
fi
LD_LIBRARY_PATH=$lib ./program >seen

cat >expected <<'EOF'
ISA-L, flush 1: result 0, bytes of the flush: input and 128
ISA-L, flush 2: result 0, bytes of the flush: 117
ISA-L, flush 3: result 0, bytes of the flush: 117
zlib, flush 1: result 0, bytes of the flush: input and 16
zlib, flush 2: result -5, bytes of the flush: 0
zlib, flush 3: result -5, bytes of the flush: 0
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

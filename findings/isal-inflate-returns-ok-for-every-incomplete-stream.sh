#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libisal-dev and libisal2 2.30.0-5 (ISA-L, igzip), zlib1g-dev 1.2.13, Debian 12.
#
# Behaviour: isal_inflate() returns ISAL_DECOMP_OK (0) in four cases: the stream is complete, it
# is cut off in the middle, the output buffer is too small, and there is no input.
# isal_inflate_stateless() returns different codes for them: 0, ISAL_END_INPUT (1) and
# ISAL_OUT_OVERFLOW (2). Only block_state of the state tells them apart after isal_inflate(): it
# is ISAL_BLOCK_FINISH when the stream is complete. The comment of the header says "ISAL_DECOMP_OK
# (if everything is ok)".
#
# Output:
#     complete: isal_inflate 0, finished 1; stateless 0, finished 1
#     complete, output of the exact size: isal_inflate 0, finished 1; stateless 0, finished 1
#     last 10 bytes missing: isal_inflate 0, finished 0; stateless 1, finished 0
#     output one byte too small: isal_inflate 0, finished 0; stateless 2, finished 0
#     no input: isal_inflate 0, finished 0; stateless 1, finished 0
#
# Why it matters: A program that checks the result alone takes a truncated object, or one whose
# output did not fit, for a whole one. Both functions have the same list of codes in the header,
# so changing from one to the other loses the errors.
#
# What to do: After the last input, check block_state == ISAL_BLOCK_FINISH; if not, avail_out == 0
# means that the output is full, otherwise the input is cut off.

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

static unsigned char in[500], out[1000], back[1000];

static void report(const char *name, unsigned length, unsigned room)
{
    struct inflate_state s;
    printf("%s:", name);
    for (int stateless = 0; stateless <= 1; stateless++) {
        isal_inflate_init(&s);
        s.next_in = out;
        s.avail_in = length;
        s.next_out = back;
        s.avail_out = room;
        int result = stateless ? isal_inflate_stateless(&s) : isal_inflate(&s);
        printf("%s %d, finished %d", stateless ? "; stateless" : " isal_inflate", result,
               s.block_state == ISAL_BLOCK_FINISH);
    }
    printf("\n");
}

int main(void)
{
    unsigned x = 1;
    for (unsigned i = 0; i < sizeof(in); i++)
        in[i] = (x = x * 1664525 + 1013904223) >> 24;
    z_stream z = { .next_in = in, .avail_in = sizeof(in), .next_out = out, .avail_out = sizeof(out) };
    deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    deflate(&z, Z_FINISH);
    unsigned length = z.total_out;
    deflateEnd(&z);
    report("complete", length, sizeof(back));
    report("complete, output of the exact size", length, sizeof(in));
    report("last 10 bytes missing", length - 10, sizeof(back));
    report("output one byte too small", length, sizeof(in) - 1);
    report("no input", 0, sizeof(back));
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -L"$lib" -lisal "$lib/libz.a"
if LD_LIBRARY_PATH=$lib ldd program | grep 'not found'; then
    skip "libraries are missing"
fi
LD_LIBRARY_PATH=$lib ./program >seen

cat >expected <<'EOF'
complete: isal_inflate 0, finished 1; stateless 0, finished 1
complete, output of the exact size: isal_inflate 0, finished 1; stateless 0, finished 1
last 10 bytes missing: isal_inflate 0, finished 0; stateless 1, finished 0
output one byte too small: isal_inflate 0, finished 0; stateless 2, finished 0
no input: isal_inflate 0, finished 0; stateless 1, finished 0
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

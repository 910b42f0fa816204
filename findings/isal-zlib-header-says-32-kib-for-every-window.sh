#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libisal-dev and libisal2 2.30.0-5 (ISA-L, igzip), zlib1g-dev 1.2.13, Debian 12.
#
# Behaviour: isal_deflate() with hist_bits 12 keeps its matches within 4 KiB: zlib inflates its
# raw deflate stream with a window of 4 KiB. With IGZIP_ZLIB the same data gets a zlib header that
# says 32 KiB (78), whatever hist_bits is, and zlib with a window of 4 KiB refuses it with
# "invalid window size". zlib's own deflateInit2() with windowBits 12 writes a header of 4 KiB
# (48).
#
# Output:
#     raw, hist_bits 12: window of 4 KiB: right
#     raw, hist_bits 15 is smaller: 1, window of 4 KiB: invalid distance too far back
#     IGZIP_ZLIB, hist_bits 9: header 78, window of 4 KiB: invalid window size
#     IGZIP_ZLIB, hist_bits 12: header 78, window of 4 KiB: invalid window size
#     IGZIP_ZLIB, hist_bits 15: header 78, window of 4 KiB: invalid window size
#     zlib, windowBits 12: header 48, window of 4 KiB: right
#
# Why it matters: Decompressors with a small window (firmware, offload engines with a limited
# history) choose or refuse by the header. hist_bits, which exists for them, has no effect that
# they could see.
#
# What to do: Write the two bytes of the header yourself: IGZIP_ZLIB_NO_HDR with a header made for
# the window.

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
#include <string.h>
#include <zlib.h>

enum { SIZE = 64 << 10 };
static unsigned char in[SIZE], out[2 * SIZE], back[SIZE], level_buffer[ISAL_DEF_LVL1_DEFAULT];

static unsigned deflate_isal(int flag, int hist_bits)
{
    struct isal_zstream s;
    isal_deflate_init(&s);
    s.level = 1;
    s.level_buf = level_buffer;
    s.level_buf_size = sizeof(level_buffer);
    s.gzip_flag = flag;
    s.hist_bits = hist_bits;
    s.end_of_stream = 1;
    s.next_in = in;
    s.avail_in = SIZE;
    s.next_out = out;
    s.avail_out = sizeof(out);
    return isal_deflate(&s) == COMP_OK ? s.total_out : 0;
}

static const char *inflate_zlib(unsigned length, int window_bits)
{
    static char text[100];
    z_stream s = { .next_in = out, .avail_in = length, .next_out = back };
    inflateInit2(&s, window_bits);
    int result = Z_OK; // in pieces: within one call, zlib finds what is farther back than its window
    while (result == Z_OK && s.total_out < SIZE) {
        s.avail_out = 256;
        result = inflate(&s, Z_NO_FLUSH);
    }
    snprintf(text, sizeof(text), "%s", result >= 0 && !memcmp(in, back, SIZE) ? "right" : s.msg);
    inflateEnd(&s);
    return text;
}

int main(void)
{
    unsigned x = 1; // random words of eight letters
    for (int i = 0; i < SIZE; i += 8) {
        unsigned word = (x = x * 1664525 + 1013904223) >> 21;
        for (int k = 0; k < 8; k++)
            in[i + k] = 'a' + (word * (k * k + 3) >> 5) % 26;
    }
    unsigned small = deflate_isal(IGZIP_DEFLATE, 12);
    printf("raw, hist_bits 12: window of 4 KiB: %s\n", inflate_zlib(small, -12));
    unsigned large = deflate_isal(IGZIP_DEFLATE, 15);
    printf("raw, hist_bits 15 is smaller: %d, window of 4 KiB: %s\n", large < small, inflate_zlib(large, -12));
    for (int hist_bits = 9; hist_bits <= 15; hist_bits += 3) {
        unsigned length = deflate_isal(IGZIP_ZLIB, hist_bits);
        printf("IGZIP_ZLIB, hist_bits %d: header %02x", hist_bits, out[0]);
        printf(", window of 4 KiB: %s\n", inflate_zlib(length, 12));
    }
    z_stream s = { .next_in = in, .avail_in = SIZE, .next_out = out, .avail_out = sizeof(out) };
    deflateInit2(&s, 1, Z_DEFLATED, 12, 8, Z_DEFAULT_STRATEGY);
    deflate(&s, Z_FINISH);
    printf("zlib, windowBits 12: header %02x, window of 4 KiB: %s\n", out[0], inflate_zlib(s.total_out, 12));
    deflateEnd(&s);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -L"$lib" -lisal "$lib/libz.a"
if LD_LIBRARY_PATH=$lib ldd program | grep 'not found'; then
    skip "libraries are missing"
fi
LD_LIBRARY_PATH=$lib ./program >seen

cat >expected <<'EOF'
raw, hist_bits 12: window of 4 KiB: right
raw, hist_bits 15 is smaller: 1, window of 4 KiB: invalid distance too far back
IGZIP_ZLIB, hist_bits 9: header 78, window of 4 KiB: invalid window size
IGZIP_ZLIB, hist_bits 12: header 78, window of 4 KiB: invalid window size
IGZIP_ZLIB, hist_bits 15: header 78, window of 4 KiB: invalid window size
zlib, windowBits 12: header 48, window of 4 KiB: right
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: liblz4-dev 1.9.4-1, Debian 12.
#
# Behaviour: LZ4F_decompress() returns 0 when "a frame is fully decoded", and that includes a
# skippable frame: of a stream with a skippable frame of metadata and then a frame of data, the
# first call returns 0 with no output and the data unread, though input and room were there for
# all of it. LZ4F_getFrameInfo() at that place succeeds and returns content size 0, the same as
# for a frame of unknown size. The lz4 tool prints the data of the same file.
#
# Output:
#     LZ4F_getFrameInfo(): error 0, skippable 1, content size 0
#     LZ4F_decompress(): 0, output 0 bytes, input left: yes
#     LZ4F_decompress(): 0, output 8 bytes, input left: no
#
# Why it matters: A loop that ends at 0, as for the end of a frame in many examples, delivers an
# empty result with success. Seekable formats, and tools that pad or sign files, put a skippable
# frame in front.
#
# What to do: Go on while there is input, whatever was returned, and take 0 only as the end of a
# frame; look at frameType.

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
fetch liblz4-dev=1.9.4-1
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <lz4frame.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char stream[200] = { 0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 'm', 'e', 't', 'a' }, out[100];
    size_t length = 12 + LZ4F_compressFrame(stream + 12, sizeof(stream) - 12, "the data", 8, NULL);
    LZ4F_dctx *ctx;
    LZ4F_frameInfo_t info;
    LZ4F_createDecompressionContext(&ctx, LZ4F_VERSION);
    size_t used = length, result = LZ4F_getFrameInfo(ctx, &info, stream, &used);
    printf("LZ4F_getFrameInfo(): error %d, skippable %d, content size %llu\n", LZ4F_isError(result),
           info.frameType == LZ4F_skippableFrame, info.contentSize);
    LZ4F_resetDecompressionContext(ctx);
    size_t position = 0;
    for (int i = 0; i < 2; i++) {
        size_t room = sizeof(out);
        used = length - position;
        result = LZ4F_decompress(ctx, out, &room, stream + position, &used, NULL);
        position += used;
        printf("LZ4F_decompress(): %zu, output %zu bytes, input left: %s\n", result, room,
               position < length ? "yes" : "no");
    }
    LZ4F_freeDecompressionContext(ctx);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    "$lib/liblz4.a"
./program >seen

cat >expected <<'EOF'
LZ4F_getFrameInfo(): error 0, skippable 1, content size 0
LZ4F_decompress(): 0, output 0 bytes, input left: yes
LZ4F_decompress(): 0, output 8 bytes, input left: no
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

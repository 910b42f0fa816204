#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: liblz4-dev 1.9.4-1, Debian 12.
#
# Behaviour: LZ4F_compressFrame() with preferences of linked blocks of 4 MiB writes another header
# for an input that fits in one block: independent blocks, and the smallest block size that holds
# it (64 KiB for 10 bytes). The content size is corrected, too, but not for an empty input: its
# frame has no content size, because 0 means "unknown" both in the preferences and in what
# LZ4F_getFrameInfo() returns.
#
# Output:
#     LZ4F_compressFrame of 0 bytes: block size 64 KiB, independent, content size 0, header of 7 bytes
#     LZ4F_compressFrame of 10 bytes: block size 64 KiB, independent, content size 10, header of 15 bytes
#     LZ4F_compressFrame of 65537 bytes: block size 256 KiB, independent, content size 65537, header of 15 bytes
#     LZ4F_compressFrame of 1048576 bytes: block size 1024 KiB, independent, content size 1048576, header of 15 bytes
#     LZ4F_compressBegin of 10 bytes: block size 4096 KiB, linked, content size 10, header of 15 bytes
#
# Why it matters: A receiver that reads the block size of the first header to reserve its buffers
# reserves too little for the next frame of the same sender. A device or protocol that requires
# one block size, or linked blocks, or a content size in each frame cannot get that from
# LZ4F_compressFrame() although the preferences say so.
#
# What to do: Use LZ4F_compressBegin(), LZ4F_compressUpdate() and LZ4F_compressEnd(), which keep
# block size and mode, and read each header of its own. Transfer the size of an empty content by
# other means.

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

static char in[1 << 20], out[2 << 20];

static void report(const char *name, size_t input, size_t length)
{
    LZ4F_dctx *ctx;
    LZ4F_frameInfo_t info;
    LZ4F_createDecompressionContext(&ctx, LZ4F_VERSION);
    LZ4F_getFrameInfo(ctx, &info, out, &length);
    printf("%s of %zu bytes: block size %d KiB, %s, content size %llu, header of %zu bytes\n", name, input,
           1 << (2 * info.blockSizeID - 2), info.blockMode == LZ4F_blockLinked ? "linked" : "independent",
           info.contentSize, length);
    LZ4F_freeDecompressionContext(ctx);
}

int main(void)
{
    static const size_t sizes[] = { 0, 10, 65537, 1 << 20 };
    LZ4F_preferences_t wanted = LZ4F_INIT_PREFERENCES;
    wanted.frameInfo.blockSizeID = LZ4F_max4MB;
    wanted.frameInfo.blockMode = LZ4F_blockLinked;
    wanted.frameInfo.contentSize = 1; // any but 0: it is corrected
    for (int i = 0; i < 4; i++)
        report("LZ4F_compressFrame", sizes[i], LZ4F_compressFrame(out, sizeof(out), in, sizes[i], &wanted));
    LZ4F_cctx *ctx;
    LZ4F_createCompressionContext(&ctx, LZ4F_VERSION);
    wanted.frameInfo.contentSize = 10;
    size_t length = LZ4F_compressBegin(ctx, out, sizeof(out), &wanted);
    length += LZ4F_compressUpdate(ctx, out + length, sizeof(out) - length, in, 10, NULL);
    length += LZ4F_compressEnd(ctx, out + length, sizeof(out) - length, NULL);
    report("LZ4F_compressBegin", 10, length);
    LZ4F_freeCompressionContext(ctx);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    "$lib/liblz4.a"
./program >seen

cat >expected <<'EOF'
LZ4F_compressFrame of 0 bytes: block size 64 KiB, independent, content size 0, header of 7 bytes
LZ4F_compressFrame of 10 bytes: block size 64 KiB, independent, content size 10, header of 15 bytes
LZ4F_compressFrame of 65537 bytes: block size 256 KiB, independent, content size 65537, header of 15 bytes
LZ4F_compressFrame of 1048576 bytes: block size 1024 KiB, independent, content size 1048576, header of 15 bytes
LZ4F_compressBegin of 10 bytes: block size 4096 KiB, linked, content size 10, header of 15 bytes
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen

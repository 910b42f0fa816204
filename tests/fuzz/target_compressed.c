// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Deflate and LZ4 from anywhere, in one piece and in stretches, which must come to the same; and
// anything compressed and decompressed again. The first bytes of an input say how. Memory is
// allocated to the byte, so that the sanitizer sees what is read or written beside it.

#include "compress/codec.h"
#include "input.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_MAX (1u << 17)

struct result {
    enum codec_status status;
    uint8_t *bytes;
    size_t n;
    uint32_t crc32, other32;
};

static struct codec *codec;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static struct result run(enum codec_kind kind, unsigned flags, const uint8_t *data, size_t size,
                         size_t room, size_t in_step, size_t out_step)
{
    struct result result = {.status = CODEC_MORE, .bytes = malloc(room ? room : 1)};
    size_t read = 0;

    codec_begin(codec, kind, flags);
    for (unsigned idle = 0; result.status == CODEC_MORE && idle < 8;) {
        size_t n_in = least(in_step, size - read), n_out = least(out_step, room - result.n);
        uint8_t *in = malloc(n_in ? n_in : 1);
        memcpy(in, data + read, n_in);
        struct codec_io io = {.in = in,
                              .in_left = n_in,
                              .out = result.bytes + result.n,
                              .out_left = n_out,
                              .last = read + n_in == size,
                              .steady = result.n + n_out == room};
        result.status = codec_step(codec, &io);
        if (io.in_left > n_in || io.out_left > n_out)
            abort();
        idle = io.in_left == n_in && io.out_left == n_out ? idle + 1 : 0;
        read += n_in - io.in_left;
        result.n += n_out - io.out_left;
        free(in);
    }
    result.crc32 = codec_crc32(codec);
    result.other32 = codec_other32(codec);
    return result;
}

static void decompress(enum codec_kind kind, unsigned flags, const uint8_t *data, size_t size,
                       size_t room, size_t in_step, size_t out_step)
{
    flags |= CODEC_SUMS;
    struct result whole = run(kind, flags, data, size, room, size, room);
    struct result parts = run(kind, flags, data, size, room, in_step, out_step);

    // liblz4 lets a match refer to itself (a distance of 0), which is not valid.
    bool refused = parts.status == CODEC_CORRUPT && kind != CODEC_INFLATE;
    if (whole.status == CODEC_END && !refused &&
        (parts.status != CODEC_END || parts.n != whole.n || parts.crc32 != whole.crc32 ||
         parts.other32 != whole.other32 || memcmp(parts.bytes, whole.bytes, whole.n) != 0))
        abort();
    free(whole.bytes);
    free(parts.bytes);
}

static void there_and_back(const uint8_t *data, size_t size, size_t in_step, size_t out_step)
{
    struct result packed = run(CODEC_DEFLATE, CODEC_SUMS, data, size, ROOM_MAX, in_step, out_step);
    uint32_t crc32 = codec_crc32(codec);

    if (packed.status != CODEC_END)
        abort();
    struct result back =
        run(CODEC_INFLATE, CODEC_SUMS, packed.bytes, packed.n, size, out_step, in_step);
    if (back.status != CODEC_END || back.n != size || memcmp(back.bytes, data, size) != 0 ||
        codec_crc32(codec) != crc32)
        abort();
    free(packed.bytes);
    free(back.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 5 || size > ROOM_MAX / 2)
        return 0;
    if (!codec && !(codec = codec_new()))
        abort();
    enum codec_kind kind = data[0] % CODEC_KINDS;
    unsigned flags = data[0] & (CODEC_BLOCK_CHECKSUM | CODEC_INDEPENDENT) << 2;
    size_t in_step = 1 + data[1], out_step = 1 + data[2] * 3u;
    size_t room = (size_t)data[3] * data[3];
    if (kind == CODEC_DEFLATE)
        there_and_back(data + 4, size - 4, in_step, out_step);
    else
        decompress(kind, flags >> 2, data + 4, size - 4, room, in_step, out_step);
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compression over libraries, step by step: input and output may be in any number of stretches.
//
// Deflate, both ways, CRC-32 and Adler-32 are ISA-L's. Measured on 1 MiB of C and of prose (one
// core, MB/s; size as a part of zlib's at level 1):
//
//                     zlib 1    libdeflate 1     ISA-L 1        ISA-L 2        ISA-L 3
//     deflate         55; 95    123; 235         451; 592       437; 582       223; 247
//     size            1         0.90; 0.91       0.99; 0.99     0.97; 0.97     0.91; 0.94
//     inflate         333; 439  1002; 1205       861; 1031
//
// Level 2 is as fast as 1 and smaller. libdeflate inflates faster, but only contiguous input as a
// whole, which ISA-L does not require. LZ4 blocks that are contiguous are decompressed by liblz4;
// it cannot do others, for which there is lz4_decoder.h.
//
// CRC-32 takes a twentieth, Adler-32 a sixth and xxHash-32 half of the time that LZ4 takes for the
// same bytes: they are computed only if wanted.
//
// A library that was missing when this was built is a kind that is not supported. ISA-L is packaged
// for every machine that Linux distributions are built for, and without it there are no erasure
// codes either; a second implementation of deflate, over zlib and five times as slow, would not be
// used.
//
// Other processes may change input and output at any time. Then the result is wrong, but nothing
// else is read or written.

#ifndef CLIENT_COMPRESS_CODEC_H
#define CLIENT_COMPRESS_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum codec_kind {
    CODEC_DEFLATE, // raw: no header or trailer of zlib or gzip
    CODEC_INFLATE,
    CODEC_LZ4_STREAM, // blocks with their sizes, without a frame's header
    CODEC_LZ4_BLOCK,
    CODEC_KINDS,
};

enum codec_flags {
    CODEC_CRC32 = 1,          // compute the CRC-32 of the plain bytes
    CODEC_BLOCK_CHECKSUM = 2, // LZ4 stream: a checksum follows each block
    CODEC_INDEPENDENT = 4,    // LZ4 stream: no block refers to those before it
    CODEC_OTHER32 = 8,        // and so is their Adler-32 (deflate and inflate), or xxHash-32 (LZ4)
};
#define CODEC_SUMS ((unsigned)(CODEC_CRC32 | CODEC_OTHER32))

enum codec_status {
    CODEC_MORE, // give it more input, or more room
    CODEC_END,  // everything is done; there may be unread input
    CODEC_CORRUPT,
};

// What one step may read and write. The step moves the pointers.
struct codec_io {
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t out_left;
    bool last;   // no input follows; if false, at least a byte does
    bool steady; // no output follows, and the written bytes stay readable where they are
};

struct codec;

bool codec_supported(enum codec_kind kind);

// A codec's memory: for one job at a time. Returns NULL if there is none.
struct codec *codec_new(void);
void codec_free(struct codec *codec); // takes NULL

void codec_begin(struct codec *codec, enum codec_kind kind, unsigned flags);

// Continues as far as input and room allow.
enum codec_status codec_step(struct codec *codec, struct codec_io *io);

// Checksums of the plain bytes, if requested.
uint32_t codec_crc32(const struct codec *codec);
uint32_t codec_other32(const struct codec *codec);

// Sums up plain bytes instead of a step.
void codec_sum(struct codec *codec, const uint8_t *data, size_t size);

#endif

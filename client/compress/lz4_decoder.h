// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// LZ4 blocks whose input or output is not contiguous. The decoder keeps the last 64 KiB of output,
// to which matches refer, and can stop at any byte. Contiguous blocks go to liblz4.

#ifndef CLIENT_COMPRESS_LZ4_DECODER_H
#define CLIENT_COMPRESS_LZ4_DECODER_H

#include "codec.h"
#include "xxh32.h"

#define LZ4_HISTORY (64u * 1024)

enum lz4_state {
    LZ4_SIZE, // stream: of the next block
    LZ4_TOKEN,
    LZ4_LITERAL_LENGTH,
    LZ4_LITERALS,
    LZ4_OFFSET,
    LZ4_MATCH_LENGTH,
    LZ4_MATCH,
    LZ4_RAW, // bytes of a block that is not compressed
    LZ4_SUM, // of a block
    LZ4_OVER,
};

struct lz4_decoder {
    enum lz4_state state;
    bool stream, sums, independent;
    bool began;          // some of the block kind's input was seen
    uint32_t block_left; // stream: bytes of the block's input
    uint64_t reach;      // bytes of output that a match may refer to
    uint32_t token, literals, match, offset;
    uint32_t n_number, number; // bytes of a little-endian number that have come
    struct xxh32 sum;
    uint8_t *straight; // the end of the output so far, if it and all bytes that matches can refer
                       // to are contiguous; else NULL
    uint32_t at, flushed; // in the window: the end of the output, and of what was passed on
    uint8_t window[2 * LZ4_HISTORY];
};

void lz4_begin(struct lz4_decoder *decoder, enum codec_kind kind, unsigned flags);
enum codec_status lz4_step(struct lz4_decoder *decoder, struct codec_io *io);

#endif

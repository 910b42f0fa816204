// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "codec.h"

#include "lz4_decoder.h"

#include <stdlib.h>

#ifdef DOCAD_HAVE_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#define LEVEL      2
#define LEVEL_SIZE ISAL_DEF_LVL2_DEFAULT

struct codec {
    enum codec_kind kind;
    uint8_t sums; // of CODEC_SUMS
    uint32_t crc32, adler32;
    struct xxh32 xxh32;
    union {
        struct {
            struct isal_zstream stream;
            uint8_t level[LEVEL_SIZE];
        } deflate;
        struct inflate_state inflate;
        struct lz4_decoder lz4;
    };
};

// The library for executables of other systems supports it, and loads ISA-L when it is used.
bool library_is_there(const char *soname) __attribute__((weak, visibility("hidden")));

bool codec_supported(enum codec_kind kind)
{
    if (library_is_there && !library_is_there("libisal.so.2"))
        return false;
#ifndef DOCAD_HAVE_LZ4
    if (kind == CODEC_LZ4_STREAM || kind == CODEC_LZ4_BLOCK)
        return false;
#endif
    return kind < CODEC_KINDS;
}

struct codec *codec_new(void)
{
    return malloc(sizeof(struct codec));
}

void codec_begin(struct codec *codec, enum codec_kind kind, unsigned flags)
{
    codec->kind = kind;
    codec->sums = (uint8_t)(flags & CODEC_SUMS);
    codec->crc32 = 0;
    codec->adler32 = 1;
    xxh32_begin(&codec->xxh32);
    if (kind == CODEC_DEFLATE) {
        struct isal_zstream *stream = &codec->deflate.stream;
        isal_deflate_init(stream);
        stream->level = LEVEL;
        stream->level_buf = codec->deflate.level;
        stream->level_buf_size = LEVEL_SIZE;
    } else if (kind == CODEC_INFLATE) {
        isal_inflate_init(&codec->inflate);
    } else {
        lz4_begin(&codec->lz4, kind, flags);
    }
}

// Updates the position in the input. `in` may be NULL if it is empty.
static void leave(struct codec_io *io, size_t left)
{
    if (left == io->in_left)
        return;
    io->in += io->in_left - left;
    io->in_left = left;
}

static enum codec_status deflate_step(struct isal_zstream *stream, struct codec_io *io)
{
    stream->next_in = (uint8_t *)(uintptr_t)io->in; // it is only read
    stream->avail_in = (uint32_t)io->in_left;
    stream->next_out = io->out;
    stream->avail_out = (uint32_t)io->out_left;
    stream->end_of_stream = io->last;
    if (isal_deflate(stream) != COMP_OK)
        return CODEC_CORRUPT;
    leave(io, stream->avail_in);
    io->out = stream->next_out;
    io->out_left = stream->avail_out;
    return stream->internal_state.state == ZSTATE_END ? CODEC_END : CODEC_MORE;
}

static enum codec_status inflate_step(struct inflate_state *state, struct codec_io *io)
{
    state->next_in = (uint8_t *)(uintptr_t)io->in; // it is only read
    state->avail_in = (uint32_t)io->in_left;
    state->next_out = io->out;
    state->avail_out = (uint32_t)io->out_left;
    int r = isal_inflate(state);
    // At the end of a stream it returns whole bytes that it had taken ahead, also those of steps
    // before this one. It does not read what follows the end.
    leave(io, state->avail_in < io->in_left ? state->avail_in : io->in_left);
    io->out = state->next_out;
    io->out_left = state->avail_out;
    if (r < 0)
        return CODEC_CORRUPT;
    return state->block_state == ISAL_BLOCK_FINISH ? CODEC_END : CODEC_MORE;
}

static bool deflates(const struct codec *codec)
{
    return codec->kind == CODEC_DEFLATE || codec->kind == CODEC_INFLATE;
}

// The second checksum reads the bytes from the cache, where the first one has brought them.
#define SUM_STEP ((size_t)16 << 10)

void codec_sum(struct codec *codec, const uint8_t *data, size_t size)
{
    for (size_t n; size > 0; data += n, size -= n) {
        n = size < SUM_STEP ? size : SUM_STEP;
        if (codec->sums & CODEC_CRC32)
            codec->crc32 = crc32_gzip_refl(codec->crc32, data, n);
        if (codec->sums & CODEC_OTHER32 && deflates(codec))
            codec->adler32 = isal_adler32(codec->adler32, data, n);
        else if (codec->sums & CODEC_OTHER32)
            xxh32_update(&codec->xxh32, data, n);
    }
}

// ISA-L counts in 32 bits.
static size_t cut(size_t n)
{
    return n < UINT32_MAX / 2 ? n : UINT32_MAX / 2;
}

static enum codec_status step(struct codec *codec, struct codec_io *io)
{
    switch (codec->kind) {
    case CODEC_DEFLATE:
        return deflate_step(&codec->deflate.stream, io);
    case CODEC_INFLATE:
        return inflate_step(&codec->inflate, io);
    default:
        return lz4_step(&codec->lz4, io);
    }
}

enum codec_status codec_step(struct codec *codec, struct codec_io *io)
{
    struct codec_io part = *io;

    part.in_left = cut(io->in_left);
    part.out_left = cut(io->out_left);
    part.last = io->last && part.in_left == io->in_left;
    enum codec_status status = step(codec, &part);
    if (codec->sums && codec->kind == CODEC_DEFLATE)
        codec_sum(codec, io->in, (size_t)(part.in - io->in));
    else if (codec->sums)
        codec_sum(codec, io->out, (size_t)(part.out - io->out));
    io->in_left -= (size_t)(part.in - io->in);
    io->out_left -= (size_t)(part.out - io->out);
    io->in = part.in;
    io->out = part.out;
    return status;
}

uint32_t codec_crc32(const struct codec *codec)
{
    return codec->crc32;
}

uint32_t codec_other32(const struct codec *codec)
{
    return deflates(codec) ? codec->adler32 : xxh32_value(&codec->xxh32);
}

#else // without ISA-L nothing is supported, because every kind needs its checksums

bool codec_supported(enum codec_kind kind)
{
    (void)kind;
    return false;
}

struct codec *codec_new(void)
{
    return calloc(1, 1);
}

void codec_begin(struct codec *codec, enum codec_kind kind, unsigned flags)
{
    (void)codec;
    (void)kind;
    (void)flags;
}

enum codec_status codec_step(struct codec *codec, struct codec_io *io)
{
    (void)codec;
    (void)io;
    return CODEC_CORRUPT;
}

uint32_t codec_crc32(const struct codec *codec)
{
    (void)codec;
    return 0;
}

uint32_t codec_other32(const struct codec *codec)
{
    (void)codec;
    return 0;
}

void codec_sum(struct codec *codec, const uint8_t *data, size_t size)
{
    (void)codec;
    (void)data;
    (void)size;
}
#endif

void codec_free(struct codec *codec)
{
    free(codec);
}

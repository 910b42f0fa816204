// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "lz4_decoder.h"

#include <limits.h>
#include <string.h>

#ifdef DOCAD_HAVE_LZ4
#include <lz4.h>
#endif

#define WINDOW      (2 * LZ4_HISTORY)
#define MATCH_LEAST 4
#define RAW_BLOCK   0x80000000u

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

void lz4_begin(struct lz4_decoder *d, enum codec_kind kind, unsigned flags)
{
    memset(d, 0, offsetof(struct lz4_decoder, window));
    d->stream = kind == CODEC_LZ4_STREAM;
    d->sums = flags & CODEC_BLOCK_CHECKSUM;
    d->independent = flags & CODEC_INDEPENDENT;
    d->state = d->stream ? LZ4_SIZE : LZ4_TOKEN;
    d->block_left = UINT32_MAX;
}

// ---- the window ----------------------------------------------------------------------------

// Passes output on; false if some is left for which there is no room.
static bool flush(struct lz4_decoder *d, struct codec_io *io)
{
    size_t n = min_size(d->at - d->flushed, io->out_left);

    memcpy(io->out, d->window + d->flushed, n);
    io->out += n;
    io->out_left -= n;
    d->flushed += (uint32_t)n;
    if (d->flushed < d->at)
        return false;
    if (d->at == WINDOW) {
        memmove(d->window, d->window + WINDOW - LZ4_HISTORY, LZ4_HISTORY);
        d->at = d->flushed = LZ4_HISTORY;
    }
    return true;
}

static void put(struct lz4_decoder *d, const uint8_t *data, uint32_t n)
{
    memcpy(d->window + d->at, data, n);
    d->at += n;
    d->reach += n;
}

static void put_match(struct lz4_decoder *d)
{
    uint32_t n = (uint32_t)min_size(d->match, WINDOW - d->at);

    d->match -= n;
    d->reach += n;
    while (n > 0) {
        uint32_t part = (uint32_t)min_size(n, d->offset); // later matches may refer to this one
        memcpy(d->window + d->at, d->window + d->at - d->offset, part);
        d->at += part;
        n -= part;
    }
}

// ---- input -----------------------------------------------------------------------------------

static size_t available(const struct lz4_decoder *d, const struct codec_io *io)
{
    return d->state == LZ4_SIZE || d->state == LZ4_SUM ? io->in_left
                                                       : min_size(io->in_left, d->block_left);
}

static void consume(struct lz4_decoder *d, struct codec_io *io, size_t n)
{
    if (d->stream && d->state != LZ4_SIZE && d->state != LZ4_SUM) {
        if (d->sums)
            xxh32_update(&d->sum, io->in, n);
        d->block_left -= (uint32_t)n;
    }
    io->in += n;
    io->in_left -= n;
}

static uint8_t next_byte(struct lz4_decoder *d, struct codec_io *io)
{
    uint8_t byte = *io->in;
    consume(d, io, 1);
    return byte;
}

// Reads a number of some bytes; false until all have come.
static bool number(struct lz4_decoder *d, struct codec_io *io, uint32_t size)
{
    while (d->n_number < size && available(d, io)) {
        d->number |= (uint32_t)next_byte(d, io) << (8 * d->n_number);
        d->n_number++;
    }
    if (d->n_number < size)
        return false;
    d->n_number = 0;
    return true;
}

// Adds the bytes of a length that does not fit the token; false until all have come.
static bool length(struct lz4_decoder *d, struct codec_io *io, uint32_t *sum)
{
    while (available(d, io)) {
        uint8_t byte = next_byte(d, io);
        *sum += byte;
        if (byte != 255)
            return true;
        if (*sum > UINT32_MAX / 2)
            return true; // never so much; it ends as corrupt, or for lack of room
    }
    return false;
}

static bool block_over(const struct lz4_decoder *d, const struct codec_io *io)
{
    return d->stream ? d->block_left == 0 : io->last && io->in_left == 0;
}

// ---- blocks ------------------------------------------------------------------------------------

static void end_block(struct lz4_decoder *d)
{
    d->number = 0;
    if (d->stream)
        d->state = d->sums ? LZ4_SUM : LZ4_SIZE;
    else
        d->state = LZ4_OVER;
}

static void begin_block(struct lz4_decoder *d, uint32_t size)
{
    d->block_left = size & ~RAW_BLOCK;
    d->state = size & RAW_BLOCK ? LZ4_RAW : LZ4_TOKEN;
    d->number = 0;
    if (d->sums)
        xxh32_begin(&d->sum);
    if (d->independent)
        d->reach = 0;
    if (size == 0) // a frame's end mark
        d->state = LZ4_OVER;
}

// Copies literal bytes; at most as many as the window has room for.
static uint32_t take(struct lz4_decoder *d, struct codec_io *io, size_t most)
{
    size_t n = min_size(min_size(most, available(d, io)), WINDOW - d->at);

    if (n == 0) // an empty stretch may have no address
        return 0;
    put(d, io->in, (uint32_t)n);
    consume(d, io, n);
    return (uint32_t)n;
}

static bool literals(struct lz4_decoder *d, struct codec_io *io)
{
    uint32_t n = take(d, io, d->literals);

    d->literals -= n;
    if (d->literals)
        return n > 0;
    d->state = LZ4_OFFSET;
    d->number = 0;
    if (block_over(d, io))
        end_block(d);
    return true;
}

static bool raw(struct lz4_decoder *d, struct codec_io *io)
{
    uint32_t n = take(d, io, WINDOW);

    if (d->block_left)
        return n > 0;
    end_block(d);
    return true;
}

// Advances by one state, or as far as input allows. Returns false if it could not advance, or the
// input is corrupt.
static bool advance(struct lz4_decoder *d, struct codec_io *io, bool *corrupt)
{
    switch (d->state) {
    case LZ4_SIZE:
        if (!number(d, io, 4))
            return false;
        begin_block(d, d->number);
        return true;
    case LZ4_TOKEN:
        if (!available(d, io)) {
            *corrupt = block_over(d, io);
            return false;
        }
        d->token = next_byte(d, io);
        d->literals = d->token >> 4;
        d->state = d->literals == 15 ? LZ4_LITERAL_LENGTH : LZ4_LITERALS;
        return true;
    case LZ4_LITERAL_LENGTH:
        if (!length(d, io, &d->literals))
            return false;
        d->state = LZ4_LITERALS;
        return true;
    case LZ4_LITERALS:
        return literals(d, io);
    case LZ4_OFFSET:
        if (!number(d, io, 2))
            return false;
        d->offset = d->number;
        *corrupt = d->offset == 0 || d->offset > d->reach;
        d->match = d->token & 15;
        d->state = d->match == 15 ? LZ4_MATCH_LENGTH : LZ4_MATCH;
        d->match += MATCH_LEAST;
        return !*corrupt;
    case LZ4_MATCH_LENGTH:
        if (!length(d, io, &d->match))
            return false;
        d->state = LZ4_MATCH;
        return true;
    case LZ4_MATCH:
        put_match(d);
        if (!d->match)
            d->state = LZ4_TOKEN;
        return true;
    case LZ4_RAW:
        return raw(d, io);
    case LZ4_SUM:
        if (!number(d, io, 4))
            return false;
        *corrupt = d->number != xxh32_value(&d->sum);
        d->number = 0;
        d->state = LZ4_SIZE;
        return !*corrupt;
    case LZ4_OVER:
        break;
    }
    return false;
}

// The end of the input is the end of the data only in these states.
static bool may_end(const struct lz4_decoder *d)
{
    return d->state == LZ4_OVER || (d->state == LZ4_SIZE && d->n_number == 0);
}

static enum codec_status step_by_bytes(struct lz4_decoder *d, struct codec_io *io)
{
    bool corrupt = false;

    for (;;) {
        if (!flush(d, io))
            return CODEC_MORE;
        if (advance(d, io, &corrupt))
            continue;
        if (corrupt)
            return CODEC_CORRUPT;
        if (!flush(d, io) || (!io->last && d->state != LZ4_OVER))
            return CODEC_MORE;
        if (io->in_left || !io->last || !may_end(d)) // bytes after the end, or too few
            return CODEC_CORRUPT;
        return CODEC_END;
    }
}

// ---- in one piece
// --------------------------------------------------------------------------------

#ifdef DOCAD_HAVE_LZ4
// Decompresses a block with liblz4 if it is contiguous, and nothing went through the window.
static bool whole_block(struct lz4_decoder *d, struct codec_io *io, size_t size)
{
    if (size > INT_MAX || io->out_left > INT_MAX || size > io->in_left)
        return false;
    int room = (int)io->out_left;
    size_t behind = min_size(d->reach, LZ4_HISTORY);
    int n = LZ4_decompress_safe_usingDict((const char *)io->in, (char *)io->out, (int)size, room,
                                          (const char *)io->out - behind, (int)behind);
    if (n < 0)
        return false;
    io->out += n;
    io->out_left -= (size_t)n;
    d->reach += (size_t)n;
    d->straight = io->out;
    return true;
}

// The rest goes through the window: it needs what matches may refer to.
static void leave_straight(struct lz4_decoder *d)
{
    size_t behind = min_size(d->reach, LZ4_HISTORY);

    if (d->straight)
        memcpy(d->window, d->straight - behind, behind);
    d->at = d->flushed = (uint32_t)behind;
    d->straight = NULL;
}

static bool straight_block(struct lz4_decoder *d, struct codec_io *io)
{
    if (d->reach || !io->last || !io->in_left || !whole_block(d, io, io->in_left))
        return false;
    io->in += io->in_left;
    io->in_left = 0;
    d->state = LZ4_OVER;
    return true;
}

static bool straight_of_stream(struct lz4_decoder *d, struct codec_io *io)
{
    struct codec_io block = *io;
    uint32_t around = 4 + (d->sums ? 4 : 0), size;
    uint64_t reach = d->reach;

    if (d->n_number || io->in_left < around)
        return false;
    size = io->in[0] | io->in[1] << 8 | io->in[2] << 16 | (uint32_t)io->in[3] << 24;
    if (!size || size & RAW_BLOCK || size > io->in_left - around)
        return false;
    block.in += 4;
    block.in_left = size;
    if (d->independent)
        d->reach = 0;
    if (!whole_block(d, &block, size)) {
        d->reach = reach;
        return false;
    }
    io->out = block.out;
    io->out_left = block.out_left;
    consume(d, io, 4);
    if (d->sums)
        xxh32_begin(&d->sum);
    d->state = LZ4_TOKEN; // so that the bytes count as the block's
    d->block_left = size;
    consume(d, io, size);
    end_block(d);
    return true;
}

static bool go_straight(struct lz4_decoder *d, struct codec_io *io)
{
    if (!io->steady || d->at || (d->straight && d->straight != io->out))
        return false;
    if (d->state == LZ4_SIZE)
        return straight_of_stream(d, io);
    return !d->stream && d->state == LZ4_TOKEN && straight_block(d, io);
}
#endif

enum codec_status lz4_step(struct lz4_decoder *d, struct codec_io *io)
{
#ifdef DOCAD_HAVE_LZ4
    bool corrupt = false;

    while (go_straight(d, io))
        if (d->state == LZ4_SUM && !advance(d, io, &corrupt))
            return CODEC_CORRUPT;
    if (!d->at && io->last && !io->in_left && may_end(d))
        return CODEC_END;
    if (!d->at && d->reach)
        leave_straight(d);
#endif
    return step_by_bytes(d, io);
}

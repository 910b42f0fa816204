// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The bytes of a list of buffers, one stretch after the other, wherever they are: a source is read,
// a sink is written. Mapped bytes are read and written in place. Brokered bytes are moved through
// chunks of the queue pair to their engine: those of a source are requested in advance; those of a
// sink are collected in a chunk, which is sent when it is full.
//
// A job determines how many bytes it reads and writes before it begins, and streams go no further.
// A program that changes buffers in flight only makes its job fail.
//
// Streams with brokered bytes belong to the thread of the link's executor. Others may be used on a
// worker, too.

#ifndef CLIENT_STREAM_STREAM_H
#define CLIENT_STREAM_STREAM_H

#include "work/bytes.h"
#include "work/touch.h"

struct broker_piece;

// Which part of each buffer of the list.
enum stream_part {
    STREAM_DATA,
    STREAM_ROOM, // from its data on, whatever the length of that
    STREAM_TAIL, // behind its data
};

struct stream_plan {
    const struct doca_buf *list;
    enum stream_part part;
    uint64_t start; // the bytes before it are skipped
    uint64_t total;
    // After each `run` bytes, `gap` bytes are skipped. 0: there are no gaps.
    uint64_t run, gap;
};

struct stream_place {
    const struct doca_buf *buf;
    uint64_t offset;   // in its part; if that is shorter, it lies in one of the next buffers
    uint64_t run_left; // until the next gap
    uint64_t left;     // until the end
};

struct stream {
    const struct work_link *link; // for brokered bytes; NULL: there must be none
    uint64_t run, gap;
    struct stream_place at;
    uint64_t mapped, brokered; // bytes that were read or written
    doca_error_t error;        // of the first failure
    uint8_t part;              // enum stream_part
};

struct source {
    struct stream stream;
    struct stream_place ahead;         // what was not requested from an engine yet
    struct broker_piece *first, *last; // at an engine, or returned, in order
    uint32_t n_pieces, taken;          // bytes of `first` that were read
};

struct sink {
    struct stream stream;
    struct broker_piece *filling;
    uint32_t n_writes; // chunks at an engine
};

// Bytes that are here. Between two spans of imported memory it may be revoked: touch.h.
struct span {
    uint8_t *bytes;
    size_t length;
    const struct memory *memory; // that of a chunk is never imported
};

// `link` is NULL if all bytes are known to be mapped.
void source_begin(struct source *source, const struct work_link *link,
                  const struct stream_plan *plan);
void sink_begin(struct sink *sink, const struct work_link *link, const struct stream_plan *plan);

// The next bytes, or room for some; a length of 0 is the end. Returns false: they have to wait for
// an engine, or the stream has failed.
bool source_next(struct source *source, struct span *span);
bool sink_next(struct sink *sink, struct span *span);

// Moves on by `n` bytes of that span.
void source_took(struct source *source, const struct span *span, size_t n);
void sink_put(struct sink *sink, const struct span *span, size_t n);

// Requests as many bytes from engines as is possible now. source_next() does so, too.
void source_ahead(struct source *source);

// For a job that waits for its source: if chunks are scarce, sends the one that is being filled, so
// that no job keeps a chunk from those that it waits for.
void sink_pause(struct sink *sink);

// In the end, also after a failure: releases what was not used, sends what was not sent, and
// returns whether all engines have answered; until then they refer to the stream.
bool source_settled(struct source *source);
bool sink_settled(struct sink *sink);

// The contents of a list, before it is streamed.
struct stream_sum {
    uint64_t bytes;
    bool mapped;   // all of it is mapped here
    bool imported; // some of it is
};

// Returns false: a buffer's data lies outside of it, or there are more than `most` buffers.
bool stream_sum(const struct doca_buf *list, enum stream_part part, unsigned most,
                struct stream_sum *sum);

// Adds to the data of a list what has been written to its STREAM_TAIL.
void stream_extend(struct doca_buf *list, uint64_t bytes);

// Returns how much was read or written.
static inline uint64_t stream_moved(const struct stream *stream)
{
    return stream->mapped + stream->brokered;
}

static inline void stream_fail(struct stream *stream, doca_error_t error)
{
    if (stream->error == DOCA_SUCCESS)
        stream->error = error;
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A compression or decompression, whichever interface it came through. A job whose bytes are all
// mapped, and which is long enough, is computed by a worker (workers/workers.h); a short one is
// computed when it is polled for. One with brokered bytes is advanced by the polls: its bytes are
// moved through the queue pairs of the thread.

#ifndef CLIENT_COMPRESS_COMPRESS_JOB_H
#define CLIENT_COMPRESS_COMPRESS_JOB_H

#include "buf/held.h"
#include "codec.h"
#include "core/device_card.h"
#include "stream/stream.h"
#include "workers/workers.h"

#define COMPRESS_LIST_MAX 128 // as on BlueField-3
#define COMPRESS_SIZE_MAX (UINT64_C(128) << 20)
// The most that is read or written between two checks that imported memory may still be touched.
#define COMPRESS_STEP ((size_t)256 << 10)

// What the card must have for a kind of codec, and its limits.
static inline enum card_key compress_card(enum codec_kind kind)
{
    return kind == CODEC_DEFLATE      ? CARD_DEFLATE
           : kind == CODEC_INFLATE    ? CARD_INFLATE
           : kind == CODEC_LZ4_STREAM ? CARD_LZ4_STREAM
                                      : CARD_LZ4_BLOCK;
}

static inline uint64_t compress_most_bytes(const struct card *card, enum codec_kind kind)
{
    return card_most(card,
                     (enum card_key)(compress_card(kind) + CARD_DEFLATE_BUF_SIZE - CARD_DEFLATE),
                     COMPRESS_SIZE_MAX);
}

static inline uint32_t compress_most_buffers(const struct card *card, enum codec_kind kind)
{
    return (uint32_t)card_most(
        card, (enum card_key)(compress_card(kind) + CARD_DEFLATE_LIST - CARD_DEFLATE),
        COMPRESS_LIST_MAX);
}

// Returns whether this library, and the card, have the codec.
static inline bool compress_able(const struct card *card, enum codec_kind kind)
{
    return codec_supported(kind) && card_has(card, compress_card(kind));
}

// A context's codecs on an executor: one for each worker to compute with, and two for the thread
// itself.
struct compress_link {
    struct worker_port port;
    struct work_link *link;
    struct buf_allocator copies; // of buffers, see buf/held.h
    uint32_t n_codecs;
    struct codec **codecs;
    bool moving; // a brokered job has the last codec
};

enum compress_phase {
    COMPRESS_NEW,
    COMPRESS_CHECKED,
    COMPRESS_MOVING, // on the context's thread, with brokered bytes
};

struct compress_op {
    struct worker_op worker;
    struct work_item *item;
    struct compress_link *on;
    // The request.
    const struct doca_buf *src;
    struct doca_buf *dst;
    uint8_t kind;  // enum codec_kind
    uint8_t flags; // enum codec_flags
    uint8_t later; // of CODEC_SUMS: computed when requested, if the result stays readable
    // While it is executed:
    struct doca_buf *from, *to; // copies of the buffers
    uint8_t phase;              // enum compress_phase
    bool brokered, imported;
    bool room_limited;  // by the card, not by the destination
    bool coded;         // the codec is done
    uint8_t idle_steps; // in a row
    struct codec *codec;
    uint64_t total, room; // bytes of the source, and for the destination
    struct source in;
    struct sink out;
    // Afterwards.
    doca_error_t error;
    const char *why;
    uint32_t crc32, other32; // the latter is Adler-32, or xxHash-32
};

// Opens, and closes, the context's codecs on a link. NO_MEMORY.
doca_error_t compress_link_open(struct compress_link *on, struct work_link *link,
                                struct errtext *err);
void compress_link_close(struct compress_link *on);

// Called while a job is prepared, when its item, place and request are set: stores the present
// state of its buffers. NO_MEMORY, with the item's refusal.
doca_error_t compress_take(struct compress_op *op);
// Releases them: for work_ops.drop().
void compress_drop(struct compress_op *op);

// Begins, and continues, a prepared job, whose phase is COMPRESS_NEW. Returns the result of
// work_ops.execute() and progress().
enum work_status compress_execute(struct compress_op *op);
enum work_status compress_continue(struct compress_op *op);

// Ends a job that waits for its turn, if it has not begun; see ctx_kind.cancel.
enum work_status compress_cancel(struct compress_op *op);

// Checks buffers and access, and computes the lengths. Returns the error that a job from the one to
// the other fails with.
// Returns DOCA_ERROR_NOT_SUPPORTED, and logs which of both lacks the codec, this library or the
// card, unless compress_able().
doca_error_t compress_check_able(const char *function, const struct card *card,
                                 enum codec_kind kind);

doca_error_t compress_check(struct compress_op *op, const struct doca_buf *from,
                            const struct doca_buf *to, struct errtext *err);

// Continues until the end, or until it has to wait for an engine: then it returns false. In the end
// the error and the checksums are set.
bool compress_move(struct compress_op *op, struct activity_slot *slot);

// What a prepared job requires of a card. There is a published rate only of inflate: of tasks,
// whatever their bytes. Profiles may have times for those of the source.
void compress_measure(const struct compress_op *op, struct card_work *work);

// Ends the job: sets the length of its destination, or logs one line with the reason of the
// failure.
void compress_ended(struct compress_op *op);

static inline void compress_fail(struct compress_op *op, doca_error_t error, const char *why)
{
    if (op->error == DOCA_SUCCESS) {
        op->error = error;
        op->why = why;
    }
}

#endif

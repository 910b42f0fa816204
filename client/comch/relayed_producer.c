// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "relayed.h"

#include "remote.h"

#include <endian.h>
#include <string.h>

#define BATCH 64 // frames

// ---- posted receives ------------------------------------------------------------------

// Returns false if that cannot be.
static bool take_posted(struct comch_relayed *relayed, const uint8_t *message, size_t size)
{
    struct comch_receives *receives = relayed->receives;
    uint32_t count = (uint32_t)atomic_load_explicit(&receives->count, memory_order_relaxed);
    struct comch_frame frame;
    uint32_t room;

    if (size < sizeof(frame))
        return false;
    memcpy(&frame, message, sizeof(frame));
    uint32_t n = le32toh(frame.length);
    if (le32toh(frame.kind) != COMCH_FRAME_POSTED || le32toh(frame.number) != count ||
        n > relayed->slots || size != sizeof(frame) + n * sizeof(room))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(&room, message + sizeof(frame) + i * sizeof(room), sizeof(room));
        atomic_store_explicit(&receives->at[(count + i) & (relayed->slots - 1)].room, le32toh(room),
                              memory_order_relaxed);
    }
    // Release: as the consumer itself does on one machine.
    atomic_store_explicit(&receives->count, count + n, memory_order_release);
    return true;
}

// Under the lock. Nothing can be sent any more, and the consumer ends.
static void close_channel(struct comch_relayed *relayed)
{
    atomic_store_explicit(&relayed->receives->closed, 1, memory_order_relaxed);
    cc_address_gone(relayed->to);
}

static bool take_frames(struct comch_relayed *relayed)
{
    uint8_t message[CHANNEL_MESSAGE_MAX];
    bool any = false;

    for (unsigned i = 0; i < BATCH && relayed->to && !relayed->to->gone; i++) {
        size_t size = sizeof(message);
        doca_error_t e = cc_take(relayed->to, message, &size);
        if (e == DOCA_ERROR_AGAIN)
            break;
        if (e != DOCA_SUCCESS || !take_posted(relayed, message, size)) {
            close_channel(relayed);
            break;
        }
        any = true;
    }
    return any;
}

bool comch_relayed_listen(struct comch_relayed *relayed)
{
    pthread_mutex_lock(&relayed->lock);
    bool any = take_frames(relayed);
    pthread_mutex_unlock(&relayed->lock);
    return any;
}

// ---- sending -----------------------------------------------------------------------------------

// Builds the next frame of the message. Returns the number of its bytes that are in it.
static uint32_t build(uint8_t frame[CHANNEL_MESSAGE_MAX], size_t *size, uint32_t number,
                      const struct comch_message *message, uint32_t moved)
{
    uint32_t imm_length = moved == 0 ? message->imm_length : 0;
    const struct comch_frame head = {
        .kind = htole32(COMCH_FRAME_BYTES),
        .number = htole32(number),
        .length = htole32(message->length),
        .offset = htole32(moved),
        .producer = htole32(message->producer),
        .imm_length = htole32(imm_length),
    };
    uint32_t before = (uint32_t)sizeof(head) + imm_length;
    uint32_t n = message->length - moved;

    n = n < CHANNEL_MESSAGE_MAX - before ? n : CHANNEL_MESSAGE_MAX - before;
    memcpy(frame, &head, sizeof(head));
    if (imm_length)
        memcpy(frame + sizeof(head), message->imm, imm_length);
    if (n)
        memcpy(frame + before, message->bytes + moved, n);
    *size = before + n;
    return n;
}

static doca_error_t send_frames(struct comch_relayed *relayed, uint32_t number,
                                const struct comch_message *message, uint32_t *moved)
{
    uint8_t frame[CHANNEL_MESSAGE_MAX];
    const char *why;
    size_t size;

    do {
        uint32_t n = build(frame, &size, number, message, *moved);
        doca_error_t e = cc_put(relayed->to, frame, size, &why);
        if (e == DOCA_ERROR_AGAIN)
            return e;
        if (e != DOCA_SUCCESS) {
            close_channel(relayed);
            return DOCA_ERROR_CONNECTION_RESET;
        }
        *moved += n;
    } while (*moved < message->length);
    return DOCA_SUCCESS;
}

doca_error_t comch_relayed_send(struct comch_relayed *relayed, uint32_t number,
                                const struct comch_message *message, uint32_t *moved)
{
    doca_error_t e = DOCA_ERROR_CONNECTION_RESET;

    pthread_mutex_lock(&relayed->lock);
    if (!atomic_load_explicit(&relayed->receives->closed, memory_order_relaxed))
        e = send_frames(relayed, number, message, moved);
    pthread_mutex_unlock(&relayed->lock);
    return e;
}

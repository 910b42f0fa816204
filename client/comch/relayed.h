// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The fast path between machines. The two sides share no memory there: each consumer has a channel
// of its own to the process of its producers, which the daemons relay. The consumer announces on it
// which receives it has posted; producers send the bytes for them, in pieces of a message of the
// channel.
//
// Each side has the rings of ring.h in its own memory. What comes over the channel is entered
// there, so that claiming, taking and closing are what they are on one machine. Only the consumer's
// own thread writes to its memory.
//
// The client connects the channel, to the service of its server, with a key that the consumer's
// side has made: only a process that got the key over the connection itself has it.
//
// A consumer that stops shuts its sending side down: the docads then let its producers send nothing
// more, and it reads what they have sent to the end.
//
// What the other side sends may be hostile. Everything in a frame is little-endian.

#ifndef CLIENT_COMCH_RELAYED_H
#define CLIENT_COMCH_RELAYED_H

#include "comm_channel/comm_channel.h"
#include "ring.h"

#include <pthread.h>

enum comch_frame_kind {
    COMCH_FRAME_POSTED = 1, // receives from `number` on: their room, a uint32_t for each
    COMCH_FRAME_BYTES,      // of the message `number`
};

// The header of each message of the channel.
struct comch_frame {
    uint32_t kind, number;
    // For bytes: the message's length, their offset in it, the producer's id, and the length of the
    // immediate data before them (in the first piece only).
    uint32_t length, offset, producer, imm_length;
};

_Static_assert(sizeof(struct comch_frame) == 24, "as it is sent");

// A message of which a consumer has got some bytes.
struct comch_arriving {
    uint32_t bytes, imm_length;
    const bool *buf_gone; // once the consumer closes: its receive's buffer was given back
};

struct comch_relayed {
    uint8_t key[CHANNEL_KEY_SIZE];
    uint32_t slots;
    struct doca_comm_channel_ep_t *ep; // NULL: not connected yet
    struct doca_comm_channel_addr_t *to;
    pthread_mutex_t lock; // of producers: for the two, and for writing `receives`
    struct comch_receives *receives;
    // For a consumer only:
    struct rdma_entry *messages;
    struct comch_arriving *arriving; // in each slot
    uint32_t announced;              // receives that the producers have got
    bool draining;                   // it closes, and reads what was sent before to the end
};

// Returns NULL if memory is short.
struct comch_relayed *comch_relayed_new(uint32_t slots, bool of_consumer);
// Ends the channel. Takes NULL, returns NULL.
struct comch_relayed *comch_relayed_free(struct comch_relayed *relayed);

// Makes an unpredictable key.
doca_error_t comch_relayed_make_key(struct comch_relayed *relayed, struct errtext *err);

// Connects the channel, for a client on this device to the server of this name. Waits for docad.
doca_error_t comch_relayed_connect(struct comch_relayed *relayed, struct doca_dev *device,
                                   const char *server, struct errtext *err);

// The same for a server: the client has connected it. Takes the address over.
doca_error_t comch_relayed_accept(struct comch_relayed *relayed,
                                  struct doca_comm_channel_addr_t *address, struct errtext *err);

// ---- relayed_consumer.c: for the consumer's thread
// ------------------------------------------------

struct doca_comch_consumer;

// The client's consumer connects its channel, and the server's has got it. DOCA_ERROR_AGAIN: it was
// not accepted yet.
doca_error_t comch_relayed_join(struct doca_comch_consumer *consumer, struct errtext *err);

// Announces what was posted, and enters what has arrived; *any is set if there was anything.
// Returns DOCA_SUCCESS, or the reason why the consumer ends.
doca_error_t comch_relayed_pump(struct doca_comch_consumer *consumer, bool *any);

// Closes the sending side. Returns false if nothing more can come: no receive waits, or a docad is
// older.
bool comch_relayed_done(struct doca_comch_consumer *consumer);

// Enters the messages that still come then. Returns true when it has reached their end.
bool comch_relayed_drain(struct doca_comch_consumer *consumer);

// Arms the channel to wake the engine. Returns true if it must not sleep.
bool comch_relayed_arm(struct doca_comch_consumer *consumer);

// ---- relayed_producer.c: for any thread
// -------------------------------------------------------------

// Hears which receives were posted. Returns true if there were any.
bool comch_relayed_listen(struct comch_relayed *relayed);

struct comch_message;

// Sends as much as fits now of a message whose receive was claimed; *moved counts its bytes, from
// 0. DOCA_ERROR_AGAIN: there is more.
doca_error_t comch_relayed_send(struct comch_relayed *relayed, uint32_t number,
                                const struct comch_message *message, uint32_t *moved);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The shared page of a channel: how many messages each side has sent and received, and which side
// is to be woken; behind it, rings for the messages to sides that poll. Each side writes its own
// half, and reads the other side's words once: wrong values harm only this channel. Numbers are in
// the machine's byte order: only processes of one machine map the page. tests/models/doorbell.pml
// models the sides that wait, and channel_ring.pml the order of rings and sockets.

#ifndef COMMON_CHANNEL_PAGE_H
#define COMMON_CHANNEL_PAGE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CHANNEL_PAGE_MAGIC   0x31504344u // "DCP1"
#define CHANNEL_PAGE_VERSION 1u
#define CHANNEL_PAGE_SIZE    4096u

#define CHANNEL_MESSAGE_MAX  4080u // bytes, as on the hardware
#define CHANNEL_QUEUE_MAX    8192u // messages, a power of two
#define CHANNEL_NAME_SIZE    128u  // with the terminating zero
#define CHANNELS_PER_SERVICE 1024u
#define CHANNEL_KEY_SIZE     16u
// Packets of these lengths are not messages: no message is as long. DOCA 3 uses them for its fast
// path.
#define CHANNEL_PACKET_SIZE 4096u
// There is a record in the ring, for a receiver that does not poll any more.
#define CHANNEL_WAKE_SIZE 4095u

enum channel_side_index {
    CHANNEL_CLIENT = 0,
    CHANNEL_SERVICE = 1,
};

enum channel_state {
    CHANNEL_PENDING = 0,
    CHANNEL_OPEN = 1,   // the service has taken the connection
    CHANNEL_CLOSED = 2, // this side has left in an orderly way
    CHANNEL_SENT = 3,   // this side sends nothing more, and reads to the end
};

struct channel_side {
    // A receiver stores its count, then loads wants_room of the other side; a sender stores
    // wants_room, then loads the count. At least one of them sees the other's store.
    _Alignas(64) _Atomic uint64_t received;
    // Set by a sender that is about to sleep, cleared by the receiver, which then writes a byte to
    // the wake-up socket.
    _Alignas(64) _Atomic uint32_t wants_room;
    _Atomic uint32_t state; // enum channel_state
    // Whether this side takes packets that are not messages, see
    // client/comm_channel/comm_channel.h.
    _Atomic uint32_t takes_packets;
    // Set by a docad that relays: this side may send CHANNEL_SENT.
    _Atomic uint32_t half_closes;
};

// Packets that this side has put into the socket, messages or not, plus one, so that a polling
// receiver can skip recvmsg(2). The packet that closes the channel counts, too. 0 if this side does
// not count.
struct channel_sent {
    _Alignas(64) _Atomic uint64_t packets;
};

// The messages to a receiver that polls. The bytes are behind the page, if docad and both sides
// support rings. A receiver that does not poll, or waits for its descriptor, gets packets.
struct channel_ring {
    // Written by the sender: bytes of records so far. A store-load handshake (Dekker): the sender
    // publishes a record and then loads `polled`; a receiver that is about to sleep clears `polled`
    // and then loads this. At least one of them sees the other's store, and the sender then wakes
    // the receiver.
    _Alignas(64) _Atomic uint64_t put;
    // Written by the receiver: bytes that it has taken, and whether each of its polls reads this
    // ring.
    _Alignas(64) _Atomic uint64_t taken;
    _Atomic uint32_t polled;
};

#define CHANNEL_RING_SIZE 65536u // bytes, a power of two
#define CHANNEL_FILE_SIZE (CHANNEL_PAGE_SIZE + 2 * CHANNEL_RING_SIZE)

// In front of a message in the ring. Records begin at multiples of their own size, and none goes
// over the end of the ring.
struct channel_record {
    uint32_t length; // of the message, or CHANNEL_RECORD_SKIP: the rest of the ring is not used
    uint32_t after;  // the sender's count of packets when it published the record: those come first
};
#define CHANNEL_RECORD_SKIP UINT32_MAX

struct channel_page {
    uint32_t magic, version;
    struct channel_side side[2];
    struct channel_sent sent[2];
    struct channel_ring ring[2]; // by sender
};

_Static_assert(sizeof(struct channel_side) == 128, "two cache lines, one for each direction");
_Static_assert(offsetof(struct channel_side, wants_room) == 64 &&
                   offsetof(struct channel_page, side) == 64 &&
                   offsetof(struct channel_page, sent) == 320 &&
                   sizeof(struct channel_sent) == 64 &&
                   offsetof(struct channel_page, ring) == 448 && sizeof(struct channel_ring) == 128,
               "what one side writes has cache lines of its own");
_Static_assert(sizeof(struct channel_page) <= CHANNEL_PAGE_SIZE, "one page");

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Control messages on a connection: a Docad__Message packed into one packet.

#ifndef COMMON_MESSAGE_H
#define COMMON_MESSAGE_H

#include "packet.h"

#include <docad.pb-c.h>
#include <stdbool.h>

// Protocol versions this build speaks. A connection uses the highest that both
// sides have; with none in common the connection is refused.
#define PROTOCOL_VERSION_MIN 1
#define PROTOCOL_VERSION_MAX 1

#define NODE_ID_SIZE 16

// A message with this body, which lives as long as the enclosing block: message_of(STATUS_REPLY,
// status_reply, &reply) has the case DOCAD__MESSAGE__BODY_STATUS_REPLY.
#define message_of(CASE, field, value)                                                             \
    (&(Docad__Message){.base = PROTOBUF_C_MESSAGE_INIT(&docad__message__descriptor),               \
                       .body_case = DOCAD__MESSAGE__BODY_##CASE,                                   \
                       .field = (value)})

#define cleanup_message cleanup(message_freep)

// Sends one message. The caller keeps the descriptors. Returns 0 or -errno; -EMSGSIZE if
// it packs to more than PACKET_SIZE_MAX.
int message_send(int sock, const Docad__Message *message, const int *fds, size_t n_fds, int flags);

// Receives one message. Returns 1, 0 at end of stream, or -errno as packet_recv(); -EPROTO if the
// bytes are not a Message, -ENOMEM if memory runs out. On success the caller owns *message and the
// descriptors in `fds`; otherwise nothing is returned.
int message_recv(int sock, Docad__Message **message, struct fd_list *fds, int flags);

// Memory for receiving a message, allocated before the request is sent: the caller must be able to
// receive the result of what it made the other side do. `reserve` is freed if the message finds no
// other memory.
struct message_room {
    uint8_t *packet; // PACKET_SIZE_MAX bytes
    void *reserve;
};
// Allocates what is missing. Returns false if memory runs out.
bool message_room_take(struct message_room *room);
void message_room_free(struct message_room *room);

// The same as message_recv() in such a room, which may be used again.
int message_recv_in(struct message_room *room, int sock, Docad__Message **message,
                    struct fd_list *fds, int flags);

// Unpacks a message that came from anywhere. 0, -ENOMEM, or -EPROTO if the bytes are not a Message
// or have many more fields than one needs.
int message_unpack(const uint8_t *data, size_t size, Docad__Message **message);

// The same for a message without descriptors. A message that brings some stays in the socket and is
// only shown: PACKET_BRINGS_FDS, and *message, which is NULL if the bytes are not a Message.
// -ENOMEM also if it brings some.
int message_recv_plain(int sock, Docad__Message **message, int flags);

void message_freep(Docad__Message **message);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "message.h"

#include "cleanup.h"
#include "unpack.h"
#include "varint.h"

#include <errno.h>

#define SMALL_SIZE       512  // of a message that is sent without taking memory
#define FIELDS_MAX       8    // of a message: its serial, its body, and what later versions add
#define INNER_FIELDS_MAX 2048 // of its body; a region has the most, its segments

int message_send(int sock, const Docad__Message *message, const int *fds, size_t n_fds, int flags)
{
    uint8_t small[SMALL_SIZE];
    size_t size = docad__message__get_packed_size(message);
    if (size > PACKET_SIZE_MAX)
        return -EMSGSIZE;
    cleanup_free uint8_t *large = size > sizeof(small) ? malloc(size) : NULL;
    if (size > sizeof(small) && !large)
        return -ENOMEM;
    uint8_t *buf = large ? large : small;
    docad__message__pack(message, buf);
    return packet_send(sock, buf, size, fds, n_fds, flags);
}

// ---- cost of a message ----------------------------------------------------------------

// Skips one field. Returns false at the end, or if this is not a field. If it may contain a
// message, that one is from *inner to *at.
static bool take_field(const uint8_t **at, const uint8_t *end, const uint8_t **inner)
{
    uint64_t tag, length;

    *inner = NULL;
    if (!varint_take(at, end, &tag))
        return false;
    switch (tag & 7) {
    case 0:
        return varint_take(at, end, &length);
    case 1:
        length = 8;
        break;
    case 2:
        if (!varint_take(at, end, &length))
            return false;
        *inner = *at;
        break;
    case 5:
        length = 4;
        break;
    default:
        return false;
    }
    if (length > (uint64_t)(end - *at))
        return false;
    *at += length;
    return true;
}

// protobuf-c allocates memory for each field, and merges a body that occurs again each time: a
// crafted message would cost hundreds of times the work of a normal one.
static bool is_bounded(const uint8_t *data, size_t size)
{
    const uint8_t *at = data, *body, *field;
    unsigned n = 0, n_inner = 0;

    while (take_field(&at, data + size, &body)) {
        if (++n > FIELDS_MAX)
            return false;
        while (body && take_field(&body, at, &field))
            if (++n_inner > INNER_FIELDS_MAX)
                return false;
    }
    return true; // docad__message__unpack() detects all other errors
}

int message_unpack(const uint8_t *data, size_t size, Docad__Message **message)
{
    struct unpack_memory memory;

    if (!is_bounded(data, size))
        return -EPROTO;
    unpack_memory_init(&memory);
    Docad__Message *m = docad__message__unpack(&memory.allocator, size, data);
    if (!m)
        return memory.ran_out ? -ENOMEM : -EPROTO;
    *message = m;
    return 0;
}

// More than an answer of docad takes when it is unpacked, apart from long lists.
#define RESERVE_SIZE PACKET_SIZE_MAX

bool message_room_take(struct message_room *room)
{
    if (!room->packet)
        room->packet = malloc(PACKET_SIZE_MAX);
    if (!room->reserve)
        room->reserve = malloc(RESERVE_SIZE);
    return room->packet && room->reserve;
}

void message_room_free(struct message_room *room)
{
    free(room->packet);
    free(room->reserve);
    *room = (struct message_room){NULL, NULL};
}

int message_recv_in(struct message_room *room, int sock, Docad__Message **message,
                    struct fd_list *fds, int flags)
{
    ssize_t n = packet_recv(sock, room->packet, PACKET_SIZE_MAX, fds, flags);
    if (n <= 0)
        return (int)n;
    int r = message_unpack(room->packet, (size_t)n, message);
    if (r == -ENOMEM && room->reserve) {
        free(room->reserve);
        room->reserve = NULL;
        r = message_unpack(room->packet, (size_t)n, message);
    }
    if (r < 0)
        fd_list_close(fds);
    return r < 0 ? r : 1;
}

int message_recv(int sock, Docad__Message **message, struct fd_list *fds, int flags)
{
    cleanup_free uint8_t *packet = malloc(PACKET_SIZE_MAX);
    if (!packet)
        return -ENOMEM;
    return message_recv_in(&(struct message_room){.packet = packet}, sock, message, fds, flags);
}

int message_recv_plain(int sock, Docad__Message **message, int flags)
{
    cleanup_free uint8_t *buf = malloc(PACKET_SIZE_MAX);
    if (!buf)
        return -ENOMEM;
    size_t size;
    ssize_t n = packet_recv_or_peek(sock, buf, PACKET_SIZE_MAX, flags, &size);
    if (n <= 0 && n != PACKET_BRINGS_FDS)
        return (int)n;
    Docad__Message *shown = NULL;
    int r = message_unpack(buf, size, &shown);
    if (r == -ENOMEM || (r < 0 && n != PACKET_BRINGS_FDS))
        return r;
    *message = shown;
    return n == PACKET_BRINGS_FDS ? PACKET_BRINGS_FDS : 1;
}

void message_freep(Docad__Message **message)
{
    if (*message)
        docad__message__free_unpacked(*message, NULL);
    *message = NULL;
}

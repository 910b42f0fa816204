// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "piece.h"

#include "varint.h"

#include <errno.h>
#include <string.h>

// The key of each field: its number, and whether it is a number or bytes.
#define BODY   (DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA << 3 | 2)
#define QUEUE  (1 << 3)
#define OFFSET (2 << 3)
#define DATA   (3 << 3 | 2)
#define HEADER (4 << 3 | 2)

// ---- packing --------------------------------------------------------------------------------

static size_t varint_size(uint64_t number)
{
    uint8_t bytes[10];
    return (size_t)(varint_put(bytes, number) - bytes);
}

static uint8_t *put_number(uint8_t *at, unsigned field, uint64_t number)
{
    return number ? varint_put(varint_put(at, field), number) : at;
}

static size_t number_size(uint64_t number)
{
    return number ? 1 + varint_size(number) : 0;
}

static size_t bytes_size(size_t length)
{
    return number_size(length) + length;
}

static size_t body_size(const Docad__PeerQueuePairData *m)
{
    return number_size(m->queue) + number_size(m->offset) + bytes_size(m->data.len) +
           bytes_size(m->header.len);
}

size_t piece_size(const Docad__PeerQueuePairData *m)
{
    size_t body = body_size(m);
    return varint_size(BODY) + varint_size(body) + body;
}

uint8_t *piece_pack(const Docad__PeerQueuePairData *m, uint8_t *out)
{
    uint8_t *at = varint_put(varint_put(out, BODY), body_size(m));
    at = put_number(put_number(at, QUEUE, m->queue), OFFSET, m->offset);
    uint8_t *data = put_number(at, DATA, m->data.len);
    at = put_number(data + m->data.len, HEADER, m->header.len);
    if (m->header.len)
        memcpy(at, m->header.data, m->header.len);
    return data;
}

// ---- unpacking --------------------------------------------------------------------------------

static bool take_field(const uint8_t **at, const uint8_t *end, unsigned field, uint64_t *out)
{
    const uint8_t *from = *at;
    uint64_t tag;

    if (varint_take(at, end, &tag) && tag == field)
        return varint_take(at, end, out);
    *at = from; // a field that is 0 is absent
    *out = 0;
    return true;
}

size_t piece_begins(const uint8_t *packet, size_t have, size_t size, struct piece *piece)
{
    const uint8_t *at = packet, *end = packet + (have < size ? have : size);
    uint64_t tag, body, queue, offset, length;

    if (!varint_take(&at, end, &tag) || tag != BODY || !varint_take(&at, end, &body) ||
        body != size - (size_t)(at - packet) || !take_field(&at, end, QUEUE, &queue) ||
        !take_field(&at, end, OFFSET, &offset) || !take_field(&at, end, DATA, &length))
        return 0;
    size_t head = (size_t)(at - packet);
    if (length == 0 || offset > UINT32_MAX || length > size - head ||
        size - head - length > PIECE_TAIL_MAX)
        return 0;
    *piece = (struct piece){.queue = queue, .offset = (uint32_t)offset, .length = (uint32_t)length};
    return head;
}

int piece_end(const struct piece *piece, const uint8_t *tail, size_t size, Docad__Message **message)
{
    uint8_t numbers[12], whole[PIECE_TAIL_MAX + 32];
    size_t n = (size_t)(put_number(numbers, QUEUE, piece->queue) - numbers);

    uint8_t *at = varint_put(varint_put(whole, BODY), n + size);
    memcpy(at, numbers, n);
    memcpy(at + n, tail, size);
    return message_unpack(whole, (size_t)(at - whole) + n + size, message);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Pieces as bytes: what is packed is what protobuf packs, and what is recognized is what it packs,
// as soon as it can be told.

#include "piece.h"

#include "cleanup.h"
#include "unit.h"
#include "varint.h"

#include <errno.h>
#include <string.h>

static uint8_t data[40000], header[64], packed[50000], expected[50000];

struct shape {
    uint64_t queue;
    uint32_t offset;
    size_t data, header;
};

static const struct shape shapes[] = {
    {1, 0, 1, 0},           {77, 127, 5, 32},       {128, 128, 127, 0},       {300, 65536, 128, 8},
    {UINT64_MAX, 0, 1, 64}, {5, 2097151, 32768, 8}, {1u << 31, 9, 40000, 64},
};

static Docad__PeerQueuePairData message_of_shape(const struct shape *shape)
{
    Docad__PeerQueuePairData m = DOCAD__PEER_QUEUE_PAIR_DATA__INIT;
    m.queue = shape->queue;
    m.offset = shape->offset;
    m.data = (ProtobufCBinaryData){shape->data, data};
    m.header = (ProtobufCBinaryData){shape->header, header};
    return m;
}

static void fill(void)
{
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)(i * 7 + i / 251);
    for (size_t i = 0; i < sizeof(header); i++)
        header[i] = (uint8_t)(200 - i);
}

static size_t pack_expected(Docad__PeerQueuePairData *m)
{
    return docad__message__pack(message_of(PEER_QUEUE_PAIR_DATA, peer_queue_pair_data, m),
                                expected);
}

START_TEST(packs_what_protobuf_packs)
{
    fill();
    for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
        Docad__PeerQueuePairData m = message_of_shape(&shapes[i]);
        size_t size = pack_expected(&m);
        ck_assert_uint_eq(piece_size(&m), size);
        memset(packed, 0xee, sizeof(packed));
        memcpy(piece_pack(&m, packed), data, m.data.len);
        ck_assert_mem_eq(packed, expected, size);
        ck_assert_uint_eq(packed[size], 0xee);
    }
    Docad__PeerQueuePairData m = message_of_shape(&(struct shape){9, 0, 0, 8});
    size_t size = pack_expected(&m);
    piece_pack(&m, packed);
    ck_assert_mem_eq(packed, expected, size);
}
END_TEST

// With fewer bytes it says nothing rather than something wrong.
START_TEST(recognizes_its_beginning)
{
    struct piece piece;
    fill();
    for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
        Docad__PeerQueuePairData m = message_of_shape(&shapes[i]);
        size_t size = pack_expected(&m), head;
        for (size_t have = 0; !(head = piece_begins(expected, have, size, &piece)); have++)
            ck_assert_uint_lt(have, PIECE_HEAD_MAX);
        ck_assert_uint_eq(piece.queue, m.queue);
        ck_assert_uint_eq(piece.offset, m.offset);
        ck_assert_uint_eq(piece.length, m.data.len);
        ck_assert_mem_eq(expected + head, data, m.data.len);
        ck_assert_uint_eq(piece_begins(expected, size, size, &piece), head);
    }
}
END_TEST

START_TEST(its_end_makes_the_message)
{
    struct piece piece;
    fill();
    for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
        Docad__PeerQueuePairData m = message_of_shape(&shapes[i]);
        size_t size = pack_expected(&m), head = piece_begins(expected, size, size, &piece);
        size_t before = head + m.data.len;
        cleanup_message Docad__Message *message = NULL;
        ck_assert_int_eq(piece_end(&piece, expected + before, size - before, &message), 0);
        ck_assert_int_eq(message->body_case, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA);
        const Docad__PeerQueuePairData *end = message->peer_queue_pair_data;
        ck_assert_uint_eq(end->queue, m.queue);
        ck_assert_uint_eq(end->data.len, 0);
        ck_assert_uint_eq(end->header.len, m.header.len);
        if (m.header.len)
            ck_assert_mem_eq(end->header.data, header, m.header.len);
    }
    Docad__Message *none = NULL;
    ck_assert_int_eq(piece_end(&piece, (const uint8_t *)"\xff\xff\xff", 3, &none), -EPROTO);
    ck_assert_ptr_null(none);
}
END_TEST

// Whatever it takes for a piece has its data inside the packet, and little behind it.
START_TEST(other_bytes_are_not_pieces)
{
    struct shape shape = {77, 65536, 1000, 8};
    struct piece piece;
    fill();
    Docad__PeerQueuePairData m = message_of_shape(&shape);
    size_t size = pack_expected(&m);
    ck_assert_uint_eq(piece_begins(expected, size, size + 1, &piece), 0);
    ck_assert_uint_eq(piece_begins(expected, size - 1, size - 1, &piece), 0);
    for (size_t at = 0; at < 16; at++)
        for (unsigned byte = 0; byte < 256; byte++) {
            memcpy(packed, expected, size);
            packed[at] = (uint8_t)byte;
            size_t head = piece_begins(packed, size, size, &piece);
            if (head == 0)
                continue;
            ck_assert_uint_le(head + piece.length, size);
            ck_assert_uint_le(size - head - piece.length, PIECE_TAIL_MAX);
        }
    Docad__Hello hello = DOCAD__HELLO__INIT;
    size = docad__message__pack(message_of(HELLO, hello, &hello), packed);
    ck_assert_uint_eq(piece_begins(packed, size, size, &piece), 0);
}
END_TEST

// The bytes of the next packet are there already, and look like the rest of this one.
START_TEST(a_piece_ends_with_its_packet)
{
    struct shape shape = {77, 65536, 100, 8};
    struct piece piece;
    fill();
    Docad__PeerQueuePairData m = message_of_shape(&shape);
    size_t size = pack_expected(&m), tag = 0;
    while (expected[tag++] & 0x80)
        ;
    memcpy(packed, expected, size);
    packed[tag] = 1; // byte of a body
    uint8_t *at = packed + tag + 1;
    *at++ = 3 << 3 | 2; // the length of its data is in the next packet
    for (unsigned behind = 0; behind < 300; behind++) {
        uint8_t *end = varint_put(at, UINT64_MAX - behind);
        ck_assert_uint_eq(piece_begins(packed, (size_t)(end - packed), tag + 2, &piece), 0);
    }
}
END_TEST

UNIT_MAIN("piece", packs_what_protobuf_packs, recognizes_its_beginning, its_end_makes_the_message,
          other_bytes_are_not_pieces, a_piece_ends_with_its_packet)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Pieces of queue pairs over TLS: their data goes straight where it belongs, whoever packed them,
// in whatever parts it comes; and they are packed where the link sends them from.

#include "connection_rig.h"

#include "piece.h"
#include "tls_nodes.h"

#include <stdlib.h>
#include <string.h>

#define PIECE 32768u
#define PARTS 32u

static uint8_t area[PARTS * PIECE], source[PARTS * PIECE], nothing[PARTS * PIECE / 2];
static unsigned asked, ask_max; // places are given so often
static unsigned pieces, texts, with_data, room_again;
static uint32_t next; // part to be sent

static void on_message(void *owner, const Docad__Message *message, struct fd_list *fds)
{
    (void)owner;
    (void)fds;
    if (message->body_case != DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA) {
        texts++;
        return;
    }
    const Docad__PeerQueuePairData *m = message->peer_queue_pair_data;
    uint32_t number;
    ck_assert_uint_eq(m->header.len, sizeof(number));
    memcpy(&number, m->header.data, sizeof(number));
    ck_assert_uint_eq(number, pieces);
    ck_assert_uint_eq(m->queue, 77);
    with_data += m->data.len > 0;
    pieces++;
}

static void on_closed(void *owner, const char *why)
{
    (void)owner;
    ck_abort_msg("closed: %s", why);
}

static void *place(void *owner, const struct piece *rest)
{
    (void)owner;
    ck_assert_uint_eq(rest->queue, 77);
    ck_assert_uint_le(rest->offset + (size_t)rest->length, sizeof(area));
    return asked++ < ask_max ? area + rest->offset : NULL;
}

static Docad__PeerQueuePairData piece_of(uint32_t *number, uint32_t length)
{
    Docad__PeerQueuePairData m = DOCAD__PEER_QUEUE_PAIR_DATA__INIT;
    m.queue = 77;
    m.offset = *number * PIECE;
    m.data = (ProtobufCBinaryData){length, source + m.offset};
    m.header = (ProtobufCBinaryData){sizeof(*number), (uint8_t *)number};
    return m;
}

static bool pack_one(uint32_t number)
{
    Docad__PeerQueuePairData m = piece_of(&number, PIECE);
    size_t size = piece_size(&m);
    uint8_t *packet = connection_room(a.connection, size);
    if (packet) {
        memcpy(piece_pack(&m, packet), source + m.offset, PIECE);
        connection_filled(a.connection, size);
    }
    return packet;
}

static void pack_more(void *owner)
{
    (void)owner;
    room_again++;
    while (next < PARTS && pack_one(next))
        next++;
}

static void setup(void)
{
    static const struct connection_owner sender = {
        .message = on_message, .closed = on_closed, .drained = pack_more};
    static const struct connection_owner receiver = {
        .message = on_message, .closed = on_closed, .place = place};
    setup_tls();
    connection_set_owner(a.connection, &sender, NULL);
    connection_set_owner(b.connection, &receiver, NULL);
    for (size_t i = 0; i < sizeof(source); i++)
        source[i] = (uint8_t)(i * 13 + i / 509);
    memset(area, 0, sizeof(area));
    asked = pieces = texts = with_data = room_again = 0;
    next = PARTS;
    ask_max = UINT32_MAX;
}

static void send_one(uint32_t number, uint32_t length)
{
    Docad__PeerQueuePairData m = piece_of(&number, length);
    ck_assert_int_eq(connection_send(a.connection,
                                     message_of(PEER_QUEUE_PAIR_DATA, peer_queue_pair_data, &m),
                                     NULL, 0),
                     0);
}

// Between them come others.
START_TEST(data_goes_where_it_belongs)
{
    for (uint32_t i = 0; i < PARTS; i++) {
        send_one(i, PIECE);
        if (i % 3 == 0)
            send_text(&a, i, 10);
    }
    run_until(pieces == PARTS);
    ck_assert_mem_eq(area, source, sizeof(area));
    ck_assert_uint_eq(with_data, 0);
    ck_assert_uint_eq(texts, (PARTS + 2) / 3);
}
END_TEST

START_TEST(what_is_packed_in_place_is_the_same)
{
    next = 0;
    pack_more(NULL);
    ck_assert_uint_gt(next, 0);
    ck_assert_uint_lt(next, PARTS); // there is room again later
    run_until(pieces == PARTS);
    ck_assert_mem_eq(area, source, sizeof(area));
    ck_assert_uint_eq(with_data, 0);
    ck_assert_uint_ge(room_again, 2);
    ck_assert_uint_eq(connection_gone(a.connection), 0); // none was queued
}
END_TEST

// Who asks for room, and does not use it, has sent nothing.
START_TEST(unused_room_is_nothing)
{
    ck_assert_ptr_nonnull(connection_room(a.connection, PACKET_SIZE_MAX));
    send_text(&a, 1, 10);
    run_until(texts == 1);
    ck_assert_ptr_null(connection_room(a.connection, PACKET_SIZE_MAX + 1));
}
END_TEST

// Small ones that come as a whole are messages like others.
START_TEST(small_ones_bring_their_data)
{
    for (uint32_t i = 0; i < PARTS; i++)
        send_one(i, 64);
    run_until(pieces == PARTS);
    ck_assert_uint_gt(with_data, PARTS / 2);
}
END_TEST

// Its queue ends while the data comes. Everything else comes as before.
START_TEST(a_place_may_go)
{
    for (ask_max = 1; ask_max <= 5; ask_max++) {
        asked = pieces = 0;
        memset(area, 0, sizeof(area));
        for (uint32_t i = 0; i < PARTS; i++)
            send_one(i, PIECE);
        send_text(&a, 1, 10);
        run_until(pieces == PARTS && texts == ask_max);
        ck_assert_mem_eq(area, source, 1000);
        ck_assert_mem_eq(area + sizeof(area) / 2, nothing, sizeof(nothing));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("connection_pieces");
    TCase *tls = tcase_create("tls");
    tcase_add_unchecked_fixture(tls, certificates_prepare, NULL);
    tcase_add_checked_fixture(tls, setup, teardown_tls);
    tcase_add_test(tls, data_goes_where_it_belongs);
    tcase_add_test(tls, what_is_packed_in_place_is_the_same);
    tcase_add_test(tls, unused_room_is_nothing);
    tcase_add_test(tls, small_ones_bring_their_data);
    tcase_add_test(tls, a_place_may_go);
    suite_add_tcase(suite, tls);
    return run_suite(suite);
}

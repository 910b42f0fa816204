// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Messages by the rings of a channel: without the kernel while both sides poll, in one order with
// the packets, and none lost when a side ends.

#include "ring_talk.h"
#include "unit.h"

#include <doca_comm_channel.h>
#include <poll.h>
#include <string.h>

// ---- who polls -----------------------------------------------------------------------------

START_TEST(who_polls_gets_records_without_the_kernel)
{
    struct stream s = begin(1, 64);
    says(&s, 1); // in this tick the kernel is asked for the peer
    hears(&s, 1);
    for (int i = 0; i < 1000; i++) {
        calls = 0;
        says(&s, 3);
        ck_assert_uint_eq(calls, 0);
        for (int k = 0; k < 3; k++)
            ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_SUCCESS);
        ck_assert_uint_eq(calls, 0);
        // A poll that finds nothing looks at the others; it ends the turn of this peer, too.
        ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_ERROR_AGAIN);
    }
    ck_assert_uint_gt(in_ring(), 0);
    pairs_close(&pairs);
}
END_TEST

START_TEST(a_client_that_polls_gets_records)
{
    struct doca_comm_channel_addr_t *from;
    struct stream s = begin(1, 64);
    for (uint64_t i = 0; i < 3000; i++) {
        calls = 0;
        ck_assert_int_eq(doca_comm_channel_ep_sendto(service, &i, sizeof(i), 0, first->client),
                         DOCA_SUCCESS);
        uint64_t number;
        size_t length = sizeof(message);
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&first->ep, message, &length, 0, &from),
                         DOCA_SUCCESS);
        memcpy(&number, message, sizeof(number));
        ck_assert_uint_eq(number, i);
        ck_assert(calls == 0 || i < 2);
    }
    (void)s;
    pairs_close(&pairs);
}
END_TEST

// ---- order ---------------------------------------------------------------------------------

// More than the ring holds: the rest are packets, until there is room in the ring again.
START_TEST(records_and_packets_keep_their_order)
{
    struct stream s = begin(1, CHANNEL_QUEUE_MAX);
    bool both = false;
    for (uint64_t n = 1; s.sent < 8000; n = n * 5 % 997 + 1) {
        uint64_t packets = first->there->put, records = in_ring();
        for (uint64_t i = 0;
             i < n && say(first, &s, i % 7 ? 200 : CHANNEL_MESSAGE_MAX) == DOCA_SUCCESS; i++)
            ;
        both = both || (first->there->put > packets && in_ring() > records);
        // hear() wants to know which lengths were possible, so it is not used.
        for (uint64_t i = 0; i < n * 3 / 4 + 1 && s.taken < s.sent; i++) {
            struct doca_comm_channel_addr_t *from;
            size_t length = sizeof(message);
            ck_assert_int_eq(doca_comm_channel_ep_recvfrom(service, message, &length, 0, &from),
                             DOCA_SUCCESS);
            check(s.taken++, length);
        }
    }
    ck_assert(both);
    pairs_close(&pairs);
}
END_TEST

START_TEST(each_length_goes_through_the_ring)
{
    struct stream s = begin(1, 64);
    while (in_ring() < 20ull * CHANNEL_RING_SIZE) {
        uint64_t records = in_ring();
        for (int i = 0; i < 5; i++)
            ck_assert_int_eq(say(first, &s, CHANNEL_MESSAGE_MAX), DOCA_SUCCESS);
        ck_assert_uint_gt(in_ring(), records);
        for (int i = 0; i < 5; i++)
            ck_assert_int_eq(hear(&s, CHANNEL_MESSAGE_MAX), DOCA_SUCCESS);
    }
    pairs_close(&pairs);
}
END_TEST

// What DOCA 3 says of its fast path is heard between the messages before and after it.
START_TEST(what_is_not_a_message_keeps_its_place)
{
    uint8_t packet[CC_PACKET_SIZE] = {0};
    struct stream s = begin(1, 64);
    service->takes_packets = true;
    for (unsigned round = 0; round < 100; round++) {
        unsigned before = round % 4;
        says(&s, (int)before);
        ck_assert(cc_put_packet(first->there, packet));
        says(&s, 2);
        for (unsigned i = 0; i < before + 3; i++) {
            size_t length = sizeof(message);
            ck_assert_int_eq(cc_take(first->client, message, &length), DOCA_SUCCESS);
            ck_assert_uint_eq(length, i == before ? CC_PACKET_SIZE : sizeof(uint64_t));
            if (i != before)
                check(s.taken++, length);
        }
    }
    pairs_close(&pairs);
}
END_TEST

// The record is put between the receiver's look into its ring and the one into its socket.
static struct stream late;

static void says_and_sends_a_packet(void)
{
    uint8_t packet[CC_PACKET_SIZE] = {0};
    says(&late, 1);
    ck_assert(cc_put_packet(first->there, packet));
}

START_TEST(a_record_before_a_packet_that_is_found_first)
{
    size_t length = sizeof(message);
    late = begin(1, 64);
    service->takes_packets = true;
    at_a_peek = says_and_sends_a_packet;
    ck_assert_int_eq(cc_take(first->client, message, &length), DOCA_SUCCESS);
    check(late.taken++, length);
    length = sizeof(message);
    ck_assert_int_eq(cc_take(first->client, message, &length), DOCA_SUCCESS);
    ck_assert_uint_eq(length, CC_PACKET_SIZE);
    pairs_close(&pairs);
}
END_TEST

// ---- ends ----------------------------------------------------------------------------------

// The library has a thread of its own close what it is done with.
static void await_end(const struct doca_comm_channel_addr_t *address)
{
    struct pollfd p = {.fd = address->sock, .events = POLLRDHUP};
    ck_assert_int_eq(poll(&p, 1, -1), 1);
}

START_TEST(what_a_killed_peer_has_said_is_heard)
{
    struct stream s = begin(1, 64);
    says(&s, 3);
    pair_kill(first->there);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_SUCCESS);
    now_ms++;
    ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_ERROR_CONNECTION_RESET);
    pairs_close(&pairs);
}
END_TEST

START_TEST(what_a_peer_said_before_it_left_is_heard)
{
    struct stream s = begin(1, 64);
    says(&s, 3);
    first->there = cc_address_free(first->there);
    await_end(first->client);
    hears(&s, 3); // it has disconnected: no error
    ck_assert(first->client->gone);
    pairs_close(&pairs);
}
END_TEST

START_TEST(a_sender_learns_that_its_peer_has_gone)
{
    struct stream s = begin(1, 64);
    says(&s, 1);
    pair_kill(first->client);
    now_ms++;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(say(first, &s, 8), DOCA_ERROR_CONNECTION_RESET);
    pairs_close(&pairs);

    s = begin(1, 64);
    says(&s, 1);
    first->client = cc_address_free(first->client);
    await_end(first->there); // in the same tick: it has said so
    ck_assert_int_eq(say(first, &s, 8), DOCA_ERROR_CONNECTION_RESET);
    pairs_close(&pairs);
}
END_TEST

START_TEST(a_buffer_that_is_too_small_loses_nothing)
{
    struct doca_comm_channel_addr_t *from;
    struct stream s = begin(1, 64);
    says(&s, 2);
    for (size_t n = 1; n < sizeof(uint64_t); n++) {
        size_t length = n;
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(service, message, &length, 0, &from),
                         DOCA_ERROR_INVALID_VALUE);
    }
    hears(&s, 2);
    pairs_close(&pairs);
}
END_TEST

UNIT_MAIN("channel_ring", who_polls_gets_records_without_the_kernel,
          a_client_that_polls_gets_records, records_and_packets_keep_their_order,
          each_length_goes_through_the_ring, what_is_not_a_message_keeps_its_place,
          a_record_before_a_packet_that_is_found_first, what_a_killed_peer_has_said_is_heard,
          what_a_peer_said_before_it_left_is_heard, a_sender_learns_that_its_peer_has_gone,
          a_buffer_that_is_too_small_loses_nothing)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A record is put although its receiver does not poll any more: a wake_up tells it, or if that is
// not possible, the next packet or the last one.

#include "ring_talk.h"
#include "unit.h"

#include <doca_comm_channel.h>
#include <string.h>
#include <sys/socket.h>

static struct stream late, streams[PAIR_CLIENTS];

static void service_begins_to_wait(void)
{
    begins_to_wait();
}

// The sender has seen that the receiver polls, and puts its record after the receiver's last look.
START_TEST(a_record_that_comes_too_late_is_woken_for)
{
    for (int after = 0; after < 3; after++) {
        struct stream s = begin(1, 64);
        uint64_t records = in_ring();
        now_ms++;
        at_the_clock = service_begins_to_wait;
        says(&s, 1);
        ck_assert_ptr_null(at_the_clock);
        ck_assert_uint_gt(in_ring(), records);
        ck_assert(readable(service->recv_epoll));
        says(&s, after);
        hears(&s, after + 1);
        ck_assert(!readable(service->recv_epoll));
        pairs_close(&pairs);
    }
}
END_TEST

static void client_begins_to_wait(void)
{
    doca_event_channel_t fd;
    ck_assert_int_eq(doca_comm_channel_ep_get_event_channel(&first->ep, NULL, &fd), DOCA_SUCCESS);
}

// A program that waits for edges takes messages until it is told that there are none.
START_TEST(a_wake_up_hides_no_message_behind_it)
{
    struct doca_comm_channel_addr_t *from;
    size_t length = sizeof(message);
    pairs_open(&pairs, 1, 64);
    ck_assert_int_eq(doca_comm_channel_ep_sendto(service, "", 1, 0, first->client), DOCA_SUCCESS);
    ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&first->ep, message, &length, 0, &from),
                     DOCA_SUCCESS);
    now_ms++;
    at_the_clock = client_begins_to_wait;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(doca_comm_channel_ep_sendto(service, "", 1, 0, first->client),
                         DOCA_SUCCESS);
    for (int i = 0; i < 3; i++) {
        length = sizeof(message);
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&first->ep, message, &length, 0, &from),
                         i < 2 ? DOCA_SUCCESS : DOCA_ERROR_AGAIN);
    }
    pairs_close(&pairs);
}
END_TEST

static void last_takes_the_place_of_all(void)
{
    int last = PAIR_CLIENTS - 1;
    for (unsigned i = 0; i < 4 * CC_PACKETS_FOR_A_PLACE; i++) {
        size_t length = sizeof(message);
        ck_assert_int_eq(say(&pairs.of[last], &streams[last], 8), DOCA_SUCCESS);
        ck_assert_int_eq(cc_take(pairs.of[last].client, message, &length), DOCA_SUCCESS);
        streams[last].taken++;
    }
    ck_assert(pairs.of[last].client->ring.polled);
}

static void service_begins_to_wait_without_memory(void)
{
    begins_to_wait();
    no_memory = true;
}

START_TEST(without_memory_for_a_wake_up_the_next_packet_wakes)
{
    struct stream s = begin(1, 64);
    now_ms++;
    at_the_clock = service_begins_to_wait_without_memory;
    says(&s, 1);
    ck_assert(!readable(service->recv_epoll));
    no_memory = false;
    says(&s, 1);
    ck_assert(readable(service->recv_epoll));
    hears(&s, 2);
    pairs_close(&pairs);
}
END_TEST

// Fills the ring, so that packets follow, and has the service take the records.
static struct stream begin_with_packets(int clients, unsigned n)
{
    struct stream s = begin(clients, CHANNEL_QUEUE_MAX);
    uint64_t packets = first->there->put;
    while (first->there->put < packets + n)
        says(&s, 1);
    while (s.taken < s.sent - n)
        ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_SUCCESS);
    ck_assert_uint_eq(in_ring(), atomic_load(&first->there->ring.out->taken));
    return s;
}

// A socket is full of packets that the receiver has not taken yet.
START_TEST(without_room_for_a_wake_up_the_packets_before_it_wake)
{
    struct stream s = begin_with_packets(1, 30);
    uint64_t records = in_ring();
    now_ms++;
    wakes_fail = true;
    at_the_clock = service_begins_to_wait;
    says(&s, 1);
    wakes_fail = false;
    ck_assert_uint_gt(in_ring(), records);
    while (readable(service->recv_epoll))
        (void)hear(&s, sizeof(uint64_t)); // one for each time that it is woken
    ck_assert_uint_eq(s.taken, s.sent);
    pairs_close(&pairs);
}
END_TEST

START_TEST(without_room_for_a_wake_up_the_place_is_kept)
{
    struct stream s = begin_with_packets(PAIR_CLIENTS, 5);
    memset(streams, 0, sizeof(streams));
    streams[0] = s;
    for (unsigned i = 1; i < CC_POLLED_MAX; i++) {
        ck_assert_int_eq(say(&pairs.of[i], &streams[i], 8), DOCA_SUCCESS);
        size_t length = sizeof(message);
        ck_assert_int_eq(cc_take(pairs.of[i].client, message, &length), DOCA_SUCCESS);
        streams[i].taken++;
    }
    now_ms++;
    wakes_fail = true;
    at_the_clock = last_takes_the_place_of_all;
    ck_assert_int_eq(say(first, &streams[0], 8), DOCA_SUCCESS);
    wakes_fail = false;
    first->client->asked_ms = now_ms; // in this tick it is not asked once more
    while (hear(streams, 8) == DOCA_SUCCESS)
        ;
    ck_assert_uint_eq(streams[0].taken, streams[0].sent);
    pairs_close(&pairs);
}
END_TEST

START_TEST(wake_ups_for_nothing_are_ignored)
{
    struct stream s = begin(1, 64);
    for (int i = 0; i < 50; i++) {
        static const uint8_t wake_up[CHANNEL_WAKE_SIZE];
        ck_assert_int_eq(send(first->there->sock, wake_up, sizeof(wake_up), 0), sizeof(wake_up));
        atomic_store(first->there->put_count, ++first->there->put);
        hears(&s, 0);
        says(&s, 1);
        hears(&s, 1);
    }
    pairs_close(&pairs);
}
END_TEST

static void stops_polling(void)
{
    atomic_store(&first->there->ring.out->polled, 0);
}

// As one that has seen that the service polled.
static void says_late(void)
{
    atomic_store(&first->there->ring.out->polled, 1);
    now_ms++;
    at_the_clock = stops_polling;
    says(&late, 1);
}

START_TEST(a_buffer_that_is_too_small_leaves_the_wake_up)
{
    size_t length = 1;
    late = begin(1, 64);
    int fd = begins_to_wait();
    at_a_peek = says_late;
    ck_assert_int_eq(cc_take(first->client, message, &length), DOCA_ERROR_INVALID_VALUE);
    ck_assert(readable(fd));
    hears(&late, 1);
    ck_assert(!readable(fd));
    pairs_close(&pairs);
}
END_TEST

UNIT_MAIN("channel_ring_wakes", a_record_that_comes_too_late_is_woken_for,
          a_wake_up_hides_no_message_behind_it, without_memory_for_a_wake_up_the_next_packet_wakes,
          without_room_for_a_wake_up_the_packets_before_it_wake,
          without_room_for_a_wake_up_the_place_is_kept, wake_ups_for_nothing_are_ignored,
          a_buffer_that_is_too_small_leaves_the_wake_up)

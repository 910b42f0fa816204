// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A receiver that has polled begins to wait: it is woken by packets, and by records that are left
// as long as there are any.

#include "ring_talk.h"
#include "unit.h"

#include <doca_comm_channel.h>

START_TEST(who_waits_is_woken_by_packets)
{
    struct stream s = begin(1, 64);
    says(&s, 2);
    hears(&s, 2);
    int fd = begins_to_wait();
    for (int i = 0; i < 10; i++) {
        uint64_t records = in_ring();
        ck_assert(!readable(fd));
        says(&s, 1);
        ck_assert(readable(fd));
        ck_assert_uint_eq(in_ring(), records);
        hears(&s, 1);
    }
    pairs_close(&pairs);
}
END_TEST

START_TEST(records_that_are_left_keep_it_readable)
{
    struct stream s = begin(2, 512);
    says(&s, 1000);
    int fd = begins_to_wait();
    calls = 0;
    for (int i = 0; i < 1000; i++) {
        ck_assert(readable(fd));
        ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_SUCCESS);
    }
    ck_assert_uint_lt(calls, 100);
    hears(&s, 0);
    ck_assert(!readable(fd));
    pairs_close(&pairs);
}
END_TEST

START_TEST(records_that_are_left_go_with_their_peer)
{
    struct stream s = begin(2, 64);
    says(&s, 3);
    int fd = begins_to_wait();
    ck_assert(readable(fd));
    first->client = cc_address_free(first->client);
    ck_assert(!readable(fd));
    pairs_close(&pairs);
}
END_TEST

// Whoever's turn it is when they have been taken.
START_TEST(records_that_were_left_and_are_taken_keep_nothing_readable)
{
    struct stream s[PAIR_CLIENTS] = {{0}};
    for (int left = 1; left < 3 * (int)CC_STREAK_MAX; left++) {
        s[1] = (struct stream){0};
        s[0] = begin(2, 512);
        says(&s[0], left);
        int fd = begins_to_wait();
        for (int i = 0; i < left; i++)
            ck_assert_int_eq(hear(s, sizeof(uint64_t)), DOCA_SUCCESS);
        ck_assert_int_eq(say(&pairs.of[1], &s[1], 8), DOCA_SUCCESS);
        hears(s, 1);
        ck_assert(!readable(fd));
        pairs_close(&pairs);
    }
}
END_TEST

// A snapshot has taken the connection from docad's socket: only arming says that it is there.
START_TEST(records_that_are_left_take_no_pending_connection_with_them)
{
    struct stream s = begin(2, 64);
    struct doca_comm_channel_addr_t *second = pairs.of[1].client;
    says(&s, 3);
    int fd = begins_to_wait();
    list_remove(&second->link);
    list_append(&service->pending, &second->link);
    ck_assert_int_eq(doca_comm_channel_ep_event_handle_arm_recv(service), DOCA_SUCCESS);
    first->client = cc_address_free(first->client);
    ck_assert(readable(fd));
    hears(&s, 0);
    ck_assert(!readable(fd));
    pairs_close(&pairs);
}
END_TEST

START_TEST(records_that_are_left_come_before_packets)
{
    struct stream s = begin(2, 64);
    says(&s, 3);
    int fd = begins_to_wait();
    says(&s, 2); // packets
    for (int i = 0; i < 5; i++) {
        ck_assert(readable(fd));
        ck_assert_int_eq(hear(&s, sizeof(uint64_t)), DOCA_SUCCESS);
    }
    hears(&s, 0);
    ck_assert(!readable(fd));
    ck_assert_uint_eq(service->polled.n, 0);
    pairs_close(&pairs);
}
END_TEST

START_TEST(records_that_are_left_to_a_client_keep_it_readable)
{
    struct doca_comm_channel_addr_t *from;
    doca_event_channel_t fd;
    pairs_open(&pairs, 1, 64);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(doca_comm_channel_ep_sendto(service, "", 1, 0, first->client),
                             DOCA_SUCCESS);
        if (round)
            ck_assert_int_eq(doca_comm_channel_ep_get_event_channel(&first->ep, NULL, &fd),
                             DOCA_SUCCESS);
        for (int i = 0; i < 3; i++) {
            size_t length = sizeof(message);
            ck_assert(!round || readable(fd));
            ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&first->ep, message, &length, 0, &from),
                             DOCA_SUCCESS);
        }
        size_t length = sizeof(message);
        ck_assert_int_eq(doca_comm_channel_ep_recvfrom(&first->ep, message, &length, 0, &from),
                         DOCA_ERROR_AGAIN);
    }
    ck_assert(!readable(fd));
    pairs_close(&pairs);
}
END_TEST

UNIT_MAIN("channel_ring_waits", who_waits_is_woken_by_packets,
          records_that_are_left_keep_it_readable, records_that_are_left_go_with_their_peer,
          records_that_were_left_and_are_taken_keep_nothing_readable,
          records_that_are_left_take_no_pending_connection_with_them,
          records_that_are_left_come_before_packets,
          records_that_are_left_to_a_client_keep_it_readable)

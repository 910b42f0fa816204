// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A service polls the rings of some clients at a time: of those that send, and nobody waits for
// the others.

#include "ring_talk.h"
#include "unit.h"

#include <doca_comm_channel.h>
#include <string.h>

START_TEST(only_so_many_are_polled_and_all_are_heard)
{
    struct stream s[PAIR_CLIENTS] = {{0}};
    pairs_open(&pairs, PAIR_CLIENTS, 64);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < PAIR_CLIENTS; i++)
            for (int k = 0; k < i % 3 + 1; k++)
                ck_assert_int_eq(say(&pairs.of[i], &s[i], 100), DOCA_SUCCESS);
        while (hear(s, 100) == DOCA_SUCCESS)
            ;
        for (int i = 0; i < PAIR_CLIENTS; i++)
            ck_assert_uint_eq(s[i].taken, s[i].sent);
    }
    ck_assert_uint_eq(service->polled.n, CC_POLLED_MAX);
    // A place is free when its peer ends.
    for (int i = 0; i < PAIR_CLIENTS; i++)
        if (pairs.of[i].client == service->polled.of[0]) {
            pairs.of[i].client = cc_address_free(pairs.of[i].client);
            break;
        }
    ck_assert_uint_eq(service->polled.n, CC_POLLED_MAX - 1);
    pairs_close(&pairs);
}
END_TEST

static void the_first_ones_speak(struct stream *s)
{
    for (unsigned i = 0; i < CC_POLLED_MAX; i++) {
        ck_assert_int_eq(say(&pairs.of[i], &s[i], 100), DOCA_SUCCESS);
        ck_assert_int_eq(hear(s, 100), DOCA_SUCCESS);
    }
}

static void begin_with_all_places_taken(struct stream *s)
{
    pairs_open(&pairs, PAIR_CLIENTS, 64);
    the_first_ones_speak(s);
}

// All places are taken, and the last client sends alone.
START_TEST(who_sends_much_takes_the_place_of_who_does_not)
{
    struct channel_pair *last = &pairs.of[PAIR_CLIENTS - 1];
    struct stream s[PAIR_CLIENTS] = {{0}};
    begin_with_all_places_taken(s);
    the_first_ones_speak(s);
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(say(last, &s[PAIR_CLIENTS - 1], 100), DOCA_SUCCESS);
        while (hear(s, 100) == DOCA_SUCCESS)
            ;
        // Once for those that were heard since they had their place.
        bool placed = last->client->ring.polled;
        ck_assert_uint_eq(placed, i + 1 >= 2 * (int)CC_PACKETS_FOR_A_PLACE);
    }
    ck_assert_uint_eq(service->polled.n, CC_POLLED_MAX);
    ck_assert_uint_gt(atomic_load(&last->there->ring.out->put), 0);
    // Who has lost its place is heard, and gets one again.
    for (int i = 0; i < 50; i++)
        the_first_ones_speak(s);
    for (unsigned k = 0; k < CC_POLLED_MAX; k++)
        ck_assert(pairs.of[k].client->ring.polled);
    pairs_close(&pairs);
}
END_TEST

START_TEST(who_has_records_left_keeps_its_place)
{
    struct channel_pair *last = &pairs.of[PAIR_CLIENTS - 1];
    struct stream s[PAIR_CLIENTS] = {{0}};
    begin_with_all_places_taken(s);
    for (unsigned i = 0; i < CC_POLLED_MAX; i++)
        ck_assert_int_eq(say(&pairs.of[i], &s[i], 100), DOCA_SUCCESS);
    for (unsigned n = 0; n < 4 * CC_PACKETS_FOR_A_PLACE; n++) {
        size_t length = sizeof(message);
        ck_assert_int_eq(say(last, &s[PAIR_CLIENTS - 1], 100), DOCA_SUCCESS);
        ck_assert_int_eq(cc_take(last->client, message, &length), DOCA_SUCCESS);
    }
    for (unsigned i = 0; i < CC_POLLED_MAX; i++) {
        ck_assert(atomic_load(&pairs.of[i].there->ring.out->polled));
        ck_assert_int_eq(hear(s, 100), DOCA_SUCCESS);
    }
    pairs_close(&pairs);
}
END_TEST

static struct stream streams[PAIR_CLIENTS];

static void last_takes_the_place(void)
{
    int last = PAIR_CLIENTS - 1;
    for (unsigned i = 0; i < 2 * CC_PACKETS_FOR_A_PLACE; i++) {
        ck_assert_int_eq(say(&pairs.of[last], &streams[last], 100), DOCA_SUCCESS);
        ck_assert_int_eq(hear(streams, 100), DOCA_SUCCESS);
    }
}

START_TEST(who_loses_its_place_while_it_sends_is_heard)
{
    memset(streams, 0, sizeof(streams));
    begin_with_all_places_taken(streams);
    now_ms++;
    at_the_clock = last_takes_the_place;
    ck_assert_int_eq(say(first, &streams[0], 100), DOCA_SUCCESS);
    ck_assert(!first->client->ring.polled);
    ck_assert_uint_gt(in_ring(), 0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(say(first, &streams[0], 100), DOCA_SUCCESS);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(hear(streams, 100), DOCA_SUCCESS);
    ck_assert_uint_eq(streams[0].taken, streams[0].sent);
    pairs_close(&pairs);
}
END_TEST

// Two clients flood their rings; the others' packets and records are heard all the same.
START_TEST(no_ring_keeps_others_waiting)
{
    struct stream s[PAIR_CLIENTS] = {{0}};
    pairs_open(&pairs, PAIR_CLIENTS, 64);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(say(&pairs.of[i], &s[i], 100), DOCA_SUCCESS);
        ck_assert_int_eq(hear(s, 100), DOCA_SUCCESS);
    }
    for (int round = 0; round < 3; round++) {
        for (int i = 2; i < PAIR_CLIENTS; i++)
            ck_assert_int_eq(say(&pairs.of[i], &s[i], 100), DOCA_SUCCESS);
        for (int heard = 0; heard < 6000; heard++) {
            for (int i = 0; i < 2; i++)
                while (say(&pairs.of[i], &s[i], 100) == DOCA_SUCCESS)
                    ;
            ck_assert_int_eq(hear(s, 100), DOCA_SUCCESS);
        }
        for (int i = 2; i < PAIR_CLIENTS; i++)
            ck_assert_uint_eq(s[i].taken, s[i].sent);
    }
    pairs_close(&pairs);
}
END_TEST

UNIT_MAIN("channel_ring_places", only_so_many_are_polled_and_all_are_heard,
          who_sends_much_takes_the_place_of_who_does_not, who_has_records_left_keeps_its_place,
          who_loses_its_place_while_it_sends_is_heard, no_ring_keeps_others_waiting)

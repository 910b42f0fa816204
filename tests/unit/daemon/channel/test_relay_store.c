// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The state of a relay when docad dies between any two steps.

#include "relay_store.h"

#include "cleanup.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 64u

static struct relay_store *store;
static int file, sock, process; // the process's end of the socket

static void setup(void)
{
    int pair[2];
    ck_assert_int_eq(relay_store_new(&store, &file, LONGEST), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair),
                     0);
    sock = pair[0];
    process = pair[1];
}

static void teardown(void)
{
    relay_store_close(store);
    close_fdp(&file);
    close_fdp(&sock);
    close_fdp(&process);
}

// docad dies, and another one follows.
static int reopen(void)
{
    relay_store_close(store);
    store = NULL;
    return relay_store_open(&store, file);
}

static void say(unsigned i)
{
    char text[LONGEST];
    snprintf(text, sizeof(text), "message %u", i);
    ck_assert_int_gt(send(process, text, strlen(text), 0), 0);
}

static ssize_t take(void)
{
    return relay_store_take(store, sock);
}

static void expect_sent(unsigned i)
{
    char text[LONGEST];
    snprintf(text, sizeof(text), "message %u", i);
    const struct relay_slot *slot = relay_store_sent(store, i);
    ck_assert_uint_eq(slot->size, strlen(text));
    ck_assert_mem_eq(slot->data, text, slot->size);
}

static void expect_heard(unsigned i)
{
    char text[LONGEST], heard[LONGEST];
    snprintf(text, sizeof(text), "message %u", i);
    ck_assert_int_eq(recv(process, heard, sizeof(heard), 0), (ssize_t)strlen(text));
    ck_assert_mem_eq(heard, text, strlen(text));
}

// Taken and counted, taken and not counted, not taken: each message once. Without end.
START_TEST(every_message_is_taken_once)
{
    setup();
    for (unsigned i = 0; i < 4 * RELAY_WINDOW; i++) {
        say(i);
        if (i % 3) {
            ck_assert_int_gt(take(), 0);
            if (i % 3 == 2)
                store->sent--; // not counted
        }
        ck_assert_int_eq(reopen(), 0);
        ck_assert_int_eq(take() > 0, i % 3 == 0);
        ck_assert_uint_eq(store->sent, i + 1);
        expect_sent(i);
        store->sent_delivered = i;
        ck_assert_int_eq(take(), -EAGAIN);
    }
    teardown();
}
END_TEST

START_TEST(nothing_is_made_up_when_the_window_is_full)
{
    setup();
    for (unsigned i = 0; i < 2 * RELAY_WINDOW; i++) {
        say(i);
        ck_assert_int_gt(take(), 0);
        store->sent_delivered = i < RELAY_WINDOW ? 0 : i - RELAY_WINDOW + 1;
        ck_assert_int_eq(reopen(), 0);
        ck_assert_uint_eq(store->sent, i + 1);
        for (uint64_t j = store->sent_delivered; j <= i; j++)
            expect_sent((unsigned)j);
    }
    ck_assert(relay_store_is_full(store));
    teardown();
}
END_TEST

START_TEST(every_message_is_delivered_once)
{
    setup();
    for (unsigned i = 0; i < 4 * RELAY_WINDOW; i++) {
        char text[LONGEST];
        snprintf(text, sizeof(text), "message %u", i);
        ck_assert(relay_store_arrive(store, text, strlen(text)));
        if (i % 3) {
            ck_assert(relay_store_deliver(store, sock));
            if (i % 3 == 2)
                store->delivered--; // not counted
        }
        ck_assert_int_eq(reopen(), 0);
        ck_assert(relay_store_deliver(store, sock));
        ck_assert_uint_eq(store->delivered, i + 1);
        expect_heard(i);
        ck_assert_int_eq(recv(process, text, sizeof(text), 0), -1);
        ck_assert_int_eq(errno, EAGAIN);
    }
    teardown();
}
END_TEST

START_TEST(limits)
{
    char longer[LONGEST + 1] = "";
    setup();
    ck_assert(!relay_store_arrive(store, longer, 0));
    ck_assert(!relay_store_arrive(store, longer, sizeof(longer)));
    for (unsigned i = 0; i < RELAY_WINDOW; i++)
        ck_assert(relay_store_arrive(store, longer, 1));
    ck_assert(!relay_store_arrive(store, longer, 1));
    close_fdp(&process);
    ck_assert(relay_store_deliver(store, sock)); // nobody hears it
    ck_assert(store->deaf);
    ck_assert_int_eq(take(), 0); // the end, each time
    ck_assert_int_eq(reopen(), 0);
    ck_assert_int_eq(take(), 0);
    ck_assert_uint_eq(store->sent, 0);
    teardown();
}
END_TEST

// A message that a process must not send ends the channel, even if docad died meanwhile.
START_TEST(what_is_no_message)
{
    char longer[LONGEST + 1] = "";
    setup();
    ck_assert_int_eq(send(process, longer, sizeof(longer), 0), sizeof(longer));
    ck_assert_int_eq(take(), -EMSGSIZE);
    ck_assert_int_eq(reopen(), -EPROTO);
    teardown();
    setup();
    ck_assert_int_eq(packet_send(process, "x", 1, &sock, 1, 0), 0);
    ck_assert_int_eq(take(), PACKET_BRINGS_FDS);
    ck_assert_int_eq(reopen(), 0);
    ck_assert_int_eq(take(), PACKET_BRINGS_FDS); // it was not taken
    teardown();
}
END_TEST

UNIT_MAIN("relay store", every_message_is_taken_once, nothing_is_made_up_when_the_window_is_full,
          every_message_is_delivered_once, limits, what_is_no_message)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Clients in threads of their own, which send as fast as they can, and a service that polls for
// them and at some time begins to wait. It gets each message once and in order, is woken for each,
// and sleeps in the end.

#include "channel_pair.h"
#include "unit.h"

#include <doca_comm_channel.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

#define MESSAGES 2000u // of each client
#define CLIENTS  3
#define ROUNDS   12

static struct channel_pairs pairs;
static uint8_t message[CHANNEL_PACKET_SIZE];

// Of some clients so long that the ring is often full.
static size_t length_of(int client, uint64_t number)
{
    return sizeof(number) + number * 2654435761u % (client == 0 ? 4000 : 50);
}

static void *send_all(void *arg)
{
    struct channel_pair *pair = arg;
    uint8_t bytes[CHANNEL_MESSAGE_MAX] = {0};
    int client = (int)(pair - pairs.of);
    doca_error_t e = DOCA_SUCCESS;

    for (uint64_t n = 0; n < MESSAGES && (e == DOCA_SUCCESS || e == DOCA_ERROR_AGAIN);
         n += e == DOCA_SUCCESS) {
        memcpy(bytes, &n, sizeof(n));
        e = doca_comm_channel_ep_sendto(&pair->ep, bytes, length_of(client, n), 0, pair->there);
    }
    return e == DOCA_SUCCESS ? pair : NULL;
}

static bool receive(uint64_t heard[CLIENTS])
{
    struct doca_comm_channel_addr_t *from;
    size_t length = sizeof(message);
    uint64_t number;

    doca_error_t e = doca_comm_channel_ep_recvfrom(&pairs.service, message, &length, 0, &from);
    if (e == DOCA_ERROR_AGAIN)
        return false;
    ck_assert_int_eq(e, DOCA_SUCCESS);
    for (int i = 0; i < CLIENTS; i++) {
        if (pairs.of[i].client != from)
            continue;
        memcpy(&number, message, sizeof(number));
        ck_assert_uint_eq(number, heard[i]);
        ck_assert_uint_eq(length, length_of(i, heard[i]));
        heard[i]++;
    }
    return true;
}

static bool readable(int fd, int timeout)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, timeout) == 1;
}

// Waits from the message of this number on; takes one for each time that it is woken, or all.
static void receive_all(uint64_t waits_from, bool one)
{
    uint64_t heard[CLIENTS] = {0};
    doca_event_channel_t fd = -1;

    for (uint64_t total = 0; total < CLIENTS * MESSAGES;) {
        if (fd < 0 && total >= waits_from)
            ck_assert_int_eq(doca_comm_channel_ep_get_event_channel(&pairs.service, NULL, &fd),
                             DOCA_SUCCESS);
        if (fd >= 0)
            ck_assert(readable(fd, -1));
        while (receive(heard)) {
            total++;
            if (one || fd < 0)
                break;
        }
    }
    // What has been taken may wake it once more.
    for (int i = 0; i < CLIENTS && readable(fd, 0); i++)
        ck_assert(!receive(heard));
    ck_assert(!readable(fd, 0));
}

START_TEST(messages_of_clients_that_run)
{
    pthread_t threads[CLIENTS];
    void *done;

    for (unsigned round = 0; round < ROUNDS; round++) {
        pairs_open(&pairs, CLIENTS, _i ? 1024 : 16);
        for (int i = 0; i < CLIENTS; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, send_all, &pairs.of[i]), 0);
        receive_all(round * CLIENTS * MESSAGES / ROUNDS, round & 1);
        for (int i = 0; i < CLIENTS; i++) {
            ck_assert_int_eq(pthread_join(threads[i], &done), 0);
            ck_assert_ptr_eq(done, &pairs.of[i]);
        }
        pairs_close(&pairs);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("channel_race");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, messages_of_clients_that_run, 0, 2);
    return unit_run_case("channel_race", tcase);
}

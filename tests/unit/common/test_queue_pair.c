// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The ring between a client and the engine, both sides in one process: order, limits,
// wake-ups, and a client that writes what it likes.

#include "cleanup.h"
#include "queue_pair.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>

static struct qp_client client;
static struct qp_server server;

static void open_pair(void)
{
    int fds[3];
    ck_assert_int_eq(qp_server_init(&server, fds), 0);
    ck_assert_int_eq(qp_client_init(&client, fds[0], fds[1], fds[2]), 0);
}

static void close_pair(void)
{
    qp_client_fini(&client);
    qp_server_fini(&server);
}

static bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

START_TEST(requests_and_completions_in_order)
{
    struct qp_request r;
    struct qp_completion c;
    open_pair();
    ck_assert_int_eq(qp_server_next(&server, &r), 0);
    ck_assert(!qp_poll(&client, &c));
    for (uint32_t round = 0; round < 5; round++) {
        uint32_t posted = 0;
        while (qp_post(&client, &(struct qp_request){.tag = posted, .length = 6, .key = 9}))
            posted++;
        ck_assert_uint_eq(posted, QP_ENTRIES);
        ck_assert_int_eq(qp_server_next(&server, &r), 0); // not rung yet
        qp_ring(&client);
        for (uint32_t i = 0; i < QP_ENTRIES; i++) {
            ck_assert_int_eq(qp_server_next(&server, &r), 1);
            ck_assert_uint_eq(r.tag, i);
            ck_assert_uint_eq(r.length, 6);
            ck_assert_uint_eq(r.key, 9);
            ck_assert_int_eq(qp_server_complete(&server, r.tag, i % 2), 0);
        }
        ck_assert_int_eq(qp_server_next(&server, &r), 0);
        ck_assert(!qp_post(&client, &r)); // completions not taken are in flight
        for (uint32_t i = 0; i < QP_ENTRIES; i++) {
            ck_assert(qp_poll(&client, &c));
            ck_assert_uint_eq(c.tag, i);
            ck_assert_uint_eq(c.status, i % 2);
        }
        ck_assert(!qp_poll(&client, &c));
        ck_assert_uint_eq(qp_in_flight(&client), 0);
    }
    close_pair();
}
END_TEST

START_TEST(doorbell_rings_only_for_a_sleeper)
{
    struct qp_request r = {.length = 1};
    open_pair();
    qp_post(&client, &r);
    qp_ring(&client);
    ck_assert(!readable(server.doorbell));
    ck_assert(qp_server_sleep(&server)); // there is something: do not sleep
    qp_server_awake(&server);
    ck_assert_int_eq(qp_server_next(&server, &r), 1);
    ck_assert(!qp_server_sleep(&server));
    qp_post(&client, &r);
    ck_assert(!readable(server.doorbell));
    qp_ring(&client);
    ck_assert(readable(server.doorbell));
    close_pair();
}
END_TEST

// Who is about to wake an engine may wait until somebody else has.
START_TEST(nobody_wakes_an_engine_that_has_come)
{
    struct qp_request r = {.length = 1};
    open_pair();
    ck_assert(!qp_server_sleep(&server));
    qp_post(&client, &r);
    ck_assert(qp_publish(&client));
    ck_assert(!readable(server.doorbell));
    ck_assert(!qp_all_taken(&client));
    qp_server_awake(&server);
    qp_wake(&client);
    ck_assert(!readable(server.doorbell));
    ck_assert_int_eq(qp_server_next(&server, &r), 1);
    ck_assert(qp_all_taken(&client));
    qp_post(&client, &r);
    ck_assert(!qp_publish(&client)); // it is awake
    ck_assert(qp_server_sleep(&server));
    qp_wake(&client); // it has fallen asleep again, as it says
    ck_assert(readable(server.doorbell));
    close_pair();
}
END_TEST

START_TEST(who_disarms_is_not_told)
{
    open_pair();
    ck_assert(!qp_arm(&client));
    qp_disarm(&client);
    ck_assert_int_eq(qp_server_complete(&server, 0, 0), 0);
    ck_assert(!readable(client.channel));
    close_pair();
}
END_TEST

START_TEST(armed_client_is_told_once)
{
    open_pair();
    ck_assert(!qp_arm(&client));
    ck_assert_int_eq(qp_server_complete(&server, 0, 0), 0);
    ck_assert(readable(client.channel));
    qp_clear(&client);
    ck_assert(!readable(client.channel));
    ck_assert_int_eq(qp_server_complete(&server, 1, 0), 0);
    ck_assert(!readable(client.channel)); // not armed any more
    ck_assert(qp_arm(&client));           // and both are there: poll
    close_pair();
}
END_TEST

START_TEST(impossible_heads_fail_the_queue_pair)
{
    static const uint32_t heads[] = {QP_ENTRIES + 1, 1000, 0x80000000, UINT32_MAX};
    struct qp_request r;
    for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
        open_pair();
        atomic_store(&client.shared->request_head, heads[i]);
        ck_assert_int_eq(qp_server_next(&server, &r), -EPROTO);
        close_pair();
    }
    open_pair(); // moved backwards
    qp_post(&client, &r);
    qp_post(&client, &r);
    qp_ring(&client);
    ck_assert_int_eq(qp_server_next(&server, &r), 1);
    ck_assert_int_eq(qp_server_next(&server, &r), 1);
    atomic_store(&client.shared->request_head, 1);
    ck_assert_int_eq(qp_server_next(&server, &r), -EPROTO);
    close_pair();
}
END_TEST

START_TEST(completions_never_taken_fail_the_queue_pair)
{
    open_pair();
    for (uint32_t i = 0; i < QP_ENTRIES; i++)
        ck_assert_int_eq(qp_server_complete(&server, i, 0), 0);
    ck_assert_int_eq(qp_server_complete(&server, 0, 0), -EPROTO);
    close_pair();
    open_pair();
    atomic_store(&client.shared->completion_tail, 12345); // ahead of what was posted
    ck_assert_int_eq(qp_server_complete(&server, 0, 0), -EPROTO);
    close_pair();
}
END_TEST

START_TEST(rewriting_a_taken_request_changes_nothing)
{
    struct qp_request r = {.length = 6, .offset = 0, .key = 1}, out;
    open_pair();
    qp_post(&client, &r);
    qp_ring(&client);
    ck_assert_int_eq(qp_server_next(&server, &out), 1);
    for (size_t i = 0; i < QP_ENTRIES; i++)
        client.shared->requests[i] =
            (struct qp_request){.length = UINT32_MAX, .offset = UINT32_MAX};
    ck_assert_uint_eq(out.length, 6);
    ck_assert_uint_eq(out.offset, 0);
    close_pair();
}
END_TEST

START_TEST(server_indices_are_not_believed_from_shared_memory)
{
    struct qp_request r = {.tag = 5};
    open_pair();
    qp_post(&client, &r);
    qp_ring(&client);
    atomic_store(&client.shared->request_tail, 77);
    atomic_store(&client.shared->completion_head, 77);
    ck_assert_int_eq(qp_server_next(&server, &r), 1);
    ck_assert_uint_eq(r.tag, 5);
    ck_assert_int_eq(qp_server_complete(&server, 5, 0), 0);
    struct qp_completion c;
    ck_assert(qp_poll(&client, &c));
    ck_assert_uint_eq(c.tag, 5);
    close_pair();
}
END_TEST

START_TEST(a_blocking_full_channel_does_not_block_the_server)
{
    open_pair();
    ck_assert_int_eq(fcntl(client.channel, F_SETFL, 0), 0);
    struct qp_completion c;
    for (int i = 0; i < 20000; i++) { // more than a socket buffer takes, never cleared
        qp_arm(&client);
        ck_assert_int_eq(qp_server_complete(&server, 0, 0), 0);
        ck_assert(qp_poll(&client, &c));
    }
    close_pair();
}
END_TEST

START_TEST(wrong_descriptors_are_refused_and_closed)
{
    int before = dup(0);
    close(before);
    int pipe_fds[2];
    ck_assert_int_eq(pipe(pipe_fds), 0);
    struct qp_client qp = {0};
    ck_assert_int_lt(qp_client_init(&qp, dup(0), pipe_fds[0], pipe_fds[1]), 0);
    ck_assert_int_eq(qp_client_init(&qp, -1, -1, -1), -EBADF);
    ck_assert_ptr_null(qp.shared);
    int after = dup(0);
    close(after);
    ck_assert_int_eq(before, after);
}
END_TEST

#define STRESS 200000

static void *serve(void *arg)
{
    struct qp_request r;
    (void)arg;
    for (int n = 0; n < STRESS;) {
        int taken = qp_server_next(&server, &r);
        if (taken < 0)
            return (void *)1;
        if (taken) {
            if (qp_server_complete(&server, r.tag, r.length) < 0)
                return (void *)2;
            n++;
        } else if (!qp_server_sleep(&server)) {
            struct pollfd p = {.fd = server.doorbell, .events = POLLIN};
            uint64_t count;
            poll(&p, 1, -1);
            if (read(server.doorbell, &count, sizeof(count)) < 0 && errno != EAGAIN)
                return (void *)3;
        } else {
            qp_server_awake(&server);
        }
    }
    return NULL;
}

// Sleeps on both sides whenever it can: a lost wake-up hangs the test.
START_TEST(no_wake_up_is_lost)
{
    pthread_t thread;
    struct qp_completion c;
    uint32_t posted = 0, taken = 0;
    open_pair();
    ck_assert_int_eq(pthread_create(&thread, NULL, serve, NULL), 0);
    while (taken < STRESS) {
        while (posted < STRESS && posted - taken < 1 + taken % QP_ENTRIES &&
               qp_post(&client, &(struct qp_request){.tag = posted, .length = ~posted}))
            posted++;
        qp_ring(&client);
        while (qp_poll(&client, &c)) {
            ck_assert_uint_eq(c.tag, taken);
            ck_assert_uint_eq(c.status, ~taken);
            taken++;
        }
        if (qp_in_flight(&client) && !qp_arm(&client)) {
            struct pollfd p = {.fd = client.channel, .events = POLLIN};
            poll(&p, 1, -1);
            qp_clear(&client);
        }
    }
    void *result;
    pthread_join(thread, &result);
    ck_assert_ptr_null(result);
    close_pair();
}
END_TEST

UNIT_MAIN("queue_pair", requests_and_completions_in_order, doorbell_rings_only_for_a_sleeper,
          nobody_wakes_an_engine_that_has_come, who_disarms_is_not_told, armed_client_is_told_once,
          impossible_heads_fail_the_queue_pair, completions_never_taken_fail_the_queue_pair,
          rewriting_a_taken_request_changes_nothing,
          server_indices_are_not_believed_from_shared_memory,
          a_blocking_full_channel_does_not_block_the_server,
          wrong_descriptors_are_refused_and_closed, no_wake_up_is_lost)

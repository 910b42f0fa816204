// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What connections of one RDMA context of DOCA 3 share, looped back on one engine: receives, turns,
// the send queue. On software functions, or on the ibverbs device that DOCAD_TEST_FUNCTION names.

#include "child.h"
#include "env.h"
#include "nodes.h"
#include "rdma_3.h"

#include <string.h>

#define BIG ((size_t)1 << 20)

#define MANY 4

static int has_many(struct child *self, void *arg)
{
    struct side server, client;
    struct doca_rdma_connection *at_server[MANY], *at_client[MANY], *more = NULL;
    struct doca_rdma_task_receive *none_left = NULL;
    const void *bytes = &server;
    size_t size = 1;
    uint32_t id;

    (void)self, (void)arg;
    side_open(&server, NULL, MANY);
    side_open(&client, server.pe, MANY);
    side_start(&server);
    side_start(&client);
    for (unsigned i = 0; i < MANY; i++)
        side_join(&server, &at_server[i], &client, &at_client[i]);
    REFUSED(DOCA_ERROR_FULL, doca_rdma_export(server.rdma, &bytes, &size, &more));
    ck_assert(!more && size == 1 && bytes == &server);
    for (unsigned i = 0; i < MANY; i++)
        post_receive(&server, NULL);
    REFUSED(DOCA_ERROR_NO_MEMORY, doca_rdma_task_receive_allocate_init(
                                      server.rdma, NULL, (union doca_data){0}, &none_left));
    for (unsigned i = 0; i < MANY; i++) {
        submit_send_imm(&client, at_client[MANY - 1 - i], NULL, htonl(MANY - 1 - i));
        progress_until(&server, 0, i + 1);
    }
    progress_until(&client, MANY, 0);
    ck_assert_uint_eq(client.failed + server.receives_failed, 0);
    for (unsigned i = 0; i < MANY; i++) {
        unsigned which = ntohl(server.messages[i].immediate);
        ck_assert_uint_eq(which, MANY - 1 - i);
        ck_assert_ptr_eq(server.messages[i].connection, at_server[which]);
        OK(doca_rdma_connection_get_id(server.messages[i].connection, &id));
        ck_assert_uint_eq(id, which);
    }
    side_close(&client);
    side_close(&server);
    return 0;
}

START_TEST(many_connections_share_receives)
{
    child_join(child_start(nodes.host, "program", has_many, NULL));
}
END_TEST

// Messages wait in every connection, and receives come one by one: each connection gets its turn.
// Then one connection sends, and its neighbours are silent: the sender learns that its message was
// taken.
#define TURNS 5u

static int takes_turns(struct child *self, void *arg)
{
    struct side server, client;
    struct doca_rdma_connection *at_server[TURNS], *at_client[TURNS];

    (void)self, (void)arg;
    side_open(&server, NULL, TURNS);
    side_open(&client, NULL, TURNS);
    side_start(&server);
    side_start(&client);
    for (unsigned i = 0; i < TURNS; i++)
        side_join(&server, &at_server[i], &client, &at_client[i]);
    for (unsigned i = 0; i < 8; i++)
        submit_send(&client, at_client[i % TURNS], NULL);
    for (unsigned i = 0; i < TURNS; i++) {
        post_receive(&server, NULL);
        progress_until(&server, 0, i + 1);
        for (unsigned k = 0; k < i && !on_verbs(); k++) // whose turn it is there, a device decides
            ck_assert_ptr_ne(server.messages[k].connection, server.messages[i].connection);
    }
    for (unsigned i = TURNS; i < 8; i++) {
        post_receive(&server, NULL);
        progress_until(&server, 0, i + 1);
    }
    progress_until(&client, 8, 0);
    for (unsigned i = 0; i < TURNS; i++) {
        submit_send(&client, at_client[i], NULL);
        post_receive(&server, NULL);
        progress_until(&server, 0, 9 + i);
        ck_assert_ptr_eq(server.messages[8 + i].connection, at_server[i]);
        progress_until(&client, 9 + i, 0);
    }
    side_close(&client);
    side_close(&server);
    return 0;
}

START_TEST(connections_take_turns)
{
    child_join(child_start(nodes.host, "program", takes_turns, NULL));
}
END_TEST

#define CROWD 13

// One connection has messages all the time, and another one of many has one.
static int is_not_kept(struct child *self, void *arg)
{
    struct side server, client;
    struct doca_rdma_connection *at_server[CROWD], *at_client[CROWD];
    unsigned found = 0;

    (void)self, (void)arg;
    side_open(&server, NULL, CROWD);
    side_open(&client, server.pe, CROWD);
    side_start(&server);
    side_start(&client);
    for (unsigned i = 0; i < CROWD; i++)
        side_join(&server, &at_server[i], &client, &at_client[i]);
    for (unsigned i = 0; i < TASKS - 1; i++)
        submit_send(&client, at_client[3], NULL);
    submit_send(&client, at_client[12], NULL);
    while (server.received < TASKS) {
        post_receive(&server, NULL);
        progress_until(&server, 0, server.received + 1);
        if (server.messages[server.received - 1].connection == at_server[12])
            found = server.received;
    }
    progress_until(&client, TASKS, 0);
    ck_assert_uint_ge(found, 1);
    if (!on_verbs()) // whose turn it is there, a device decides
        ck_assert_uint_le(found, 4);
    side_close(&client);
    side_close(&server);
    return 0;
}

START_TEST(a_busy_connection_does_not_keep_others)
{
    child_join(child_start(nodes.host, "program", is_not_kept, NULL));
}
END_TEST

// More tasks are submitted than the send queue holds, before the other side has connected: they
// wait, and take effect in their order.
static int overfills(struct child *self, void *arg)
{
    struct side a, b;
    struct details da, db;

    (void)self, (void)arg;
    side_open(&a, NULL, 1);
    side_open(&b, a.pe, 1);
    OK(doca_rdma_set_send_queue_size(a.rdma, 2));
    side_start(&a);
    side_start(&b);
    struct doca_rdma_connection *ca = side_export(&a, &da), *cb = side_export(&b, &db);
    side_connect(&a, ca, &db);
    for (unsigned i = 0; i < TASKS; i++)
        submit_send_imm(&a, ca, NULL, htonl(i));
    side_connect(&b, cb, &da);
    for (unsigned n = 0; n < TASKS; n += RECEIVES) {
        for (unsigned i = 0; i < RECEIVES; i++)
            post_receive(&b, NULL);
        progress_until(&b, 0, n + RECEIVES);
    }
    progress_until(&a, TASKS, 0);
    ck_assert_uint_eq(a.failed + b.receives_failed, 0);
    for (unsigned i = 0; i < TASKS; i++)
        ck_assert_uint_eq(ntohl(b.messages[i].immediate), i);
    side_close(&b);
    side_close(&a);
    return 0;
}

START_TEST(tasks_wait_for_the_send_queue)
{
    child_join(child_start(nodes.host, "program", overfills, NULL));
}
END_TEST

// Messages that are too long for a lane arrive in pieces, from both connections in turn: each has a
// receive of its own meanwhile.
static int mixes(struct child *self, void *arg)
{
    struct side server, client;
    struct doca_rdma_connection *at_server[2], *at_client[2];
    struct doca_buf *from[2], *to[2];

    (void)self, (void)arg;
    side_open(&server, NULL, 2);
    side_open(&client, server.pe, 2);
    OK(doca_rdma_set_max_send_buf_list_len(client.rdma, 2));
    side_start(&server);
    side_start(&client);
    for (unsigned i = 0; i < 2; i++) {
        side_join(&server, &at_server[i], &client, &at_client[i]);
        memset(client.memory + i * 2 * BIG, (int)(1 + i), 2 * BIG);
        from[i] = data_at(&client, i * 2 * BIG, BIG); // a list goes through the lane
        OK(doca_buf_chain_list(from[i], data_at(&client, i * 2 * BIG + BIG, BIG)));
        to[i] = room_at(&server, i * 2 * BIG, 2 * BIG);
        post_receive(&server, to[i]);
        submit_send(&client, at_client[i], from[i]);
    }
    progress_until(&server, 0, 2);
    progress_until(&client, 2, 0);
    ck_assert_uint_eq(client.failed + server.receives_failed, 0);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(server.messages[i].length, 2 * BIG);
        const uint8_t *got = server.memory + i * 2 * BIG;
        ck_assert(got[0] == 1 || got[0] == 2);
        ck_assert_mem_eq(got, client.memory + (got[0] - 1) * 2 * BIG, 2 * BIG);
    }
    ck_assert_uint_ne(server.memory[0], server.memory[2 * BIG]);
    for (unsigned i = 0; i < 2; i++)
        drop_buf(from[i]), drop_buf(to[i]);
    side_close(&client);
    side_close(&server);
    return 0;
}

START_TEST(long_messages_do_not_mix)
{
    child_join(child_start(nodes.host, "program", mixes, NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_many");
    TCase *tcase = tcase_create("doca3_rdma_many");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, many_connections_share_receives);
    tcase_add_test(tcase, connections_take_turns);
    tcase_add_test(tcase, a_busy_connection_does_not_keep_others);
    tcase_add_test(tcase, tasks_wait_for_the_send_queue);
    tcase_add_test(tcase, long_messages_do_not_mix);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

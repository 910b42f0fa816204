// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What connections of one RDMA context of DOCA 3 share, looped back on one engine: receives, turns,
// the send queue. On software functions, or on the ibverbs device that DOCAD_TEST_FUNCTION names.
// Side a is the server, whose receives they share.

#include "nodes.h"
#include "rdma_3.h"

#include <string.h>

#define BIG ((size_t)1 << 20)

#define MANY 4

static void has_many(struct sides *s)
{
    struct doca_rdma_connection *more = NULL;
    struct doca_rdma_task_receive *none_left = NULL;
    const void *bytes = &s->a;
    size_t size = 1;
    uint32_t id;

    REFUSED(DOCA_ERROR_FULL, doca_rdma_export(s->a.rdma, &bytes, &size, &more));
    ck_assert(!more && size == 1 && bytes == &s->a);
    for (unsigned i = 0; i < MANY; i++)
        post_receive(&s->a, NULL);
    REFUSED(DOCA_ERROR_NO_MEMORY, doca_rdma_task_receive_allocate_init(
                                      s->a.rdma, NULL, (union doca_data){0}, &none_left));
    for (unsigned i = 0; i < MANY; i++) {
        submit_send_imm(&s->b, s->at_b[MANY - 1 - i], NULL, htonl(MANY - 1 - i));
        progress_until(&s->a, 0, i + 1);
    }
    progress_until(&s->b, MANY, 0);
    ck_assert_uint_eq(s->b.failed + s->a.receives_failed, 0);
    for (unsigned i = 0; i < MANY; i++) {
        unsigned which = ntohl(s->a.messages[i].immediate);
        ck_assert_uint_eq(which, MANY - 1 - i);
        ck_assert_ptr_eq(s->a.messages[i].connection, s->at_a[which]);
        OK(doca_rdma_connection_get_id(s->a.messages[i].connection, &id));
        ck_assert_uint_eq(id, which);
    }
}

START_TEST(many_connections_share_receives)
{
    run_sides(&(struct sides_plan){.connections = MANY}, has_many);
}
END_TEST

// Messages wait in every connection, and receives come one by one: each connection gets its turn.
// Then one connection sends, and its neighbours are silent: the sender learns that its message was
// taken.
#define TURNS 5u

static void takes_turns(struct sides *s)
{
    for (unsigned i = 0; i < 8; i++)
        submit_send(&s->b, s->at_b[i % TURNS], NULL);
    for (unsigned i = 0; i < TURNS; i++) {
        post_receive(&s->a, NULL);
        progress_until(&s->a, 0, i + 1);
        for (unsigned k = 0; k < i && !on_verbs(); k++) // whose turn it is there, a device decides
            ck_assert_ptr_ne(s->a.messages[k].connection, s->a.messages[i].connection);
    }
    for (unsigned i = TURNS; i < 8; i++) {
        post_receive(&s->a, NULL);
        progress_until(&s->a, 0, i + 1);
    }
    progress_until(&s->b, 8, 0);
    for (unsigned i = 0; i < TURNS; i++) {
        submit_send(&s->b, s->at_b[i], NULL);
        post_receive(&s->a, NULL);
        progress_until(&s->a, 0, 9 + i);
        ck_assert_ptr_eq(s->a.messages[8 + i].connection, s->at_a[i]);
        progress_until(&s->b, 9 + i, 0);
    }
}

START_TEST(connections_take_turns)
{
    run_sides(&(struct sides_plan){.connections = TURNS, .two_engines = true}, takes_turns);
}
END_TEST

#define CROWD 13

// One connection has messages all the time, and another one of many has one.
static void is_not_kept(struct sides *s)
{
    unsigned found = 0;

    for (unsigned i = 0; i < TASKS - 1; i++)
        submit_send(&s->b, s->at_b[3], NULL);
    submit_send(&s->b, s->at_b[12], NULL);
    while (s->a.received < TASKS) {
        post_receive(&s->a, NULL);
        progress_until(&s->a, 0, s->a.received + 1);
        if (s->a.messages[s->a.received - 1].connection == s->at_a[12])
            found = s->a.received;
    }
    progress_until(&s->b, TASKS, 0);
    ck_assert_uint_ge(found, 1);
    if (!on_verbs()) // whose turn it is there, a device decides
        ck_assert_uint_le(found, 4);
}

START_TEST(a_busy_connection_does_not_keep_others)
{
    run_sides(&(struct sides_plan){.connections = CROWD}, is_not_kept);
}
END_TEST

// More tasks are submitted than the send queue holds, before the other side has connected: they
// wait, and take effect in their order.
static void has_short_queue(struct sides *s)
{
    OK(doca_rdma_set_send_queue_size(s->a.rdma, 2));
}

static void overfills(struct sides *s)
{
    struct details da, db;

    struct doca_rdma_connection *ca = side_export(&s->a, &da), *cb = side_export(&s->b, &db);
    side_connect(&s->a, ca, &db);
    for (unsigned i = 0; i < TASKS; i++)
        submit_send_imm(&s->a, ca, NULL, htonl(i));
    side_connect(&s->b, cb, &da);
    for (unsigned n = 0; n < TASKS; n += RECEIVES) {
        for (unsigned i = 0; i < RECEIVES; i++)
            post_receive(&s->b, NULL);
        progress_until(&s->b, 0, n + RECEIVES);
    }
    progress_until(&s->a, TASKS, 0);
    ck_assert_uint_eq(s->a.failed + s->b.receives_failed, 0);
    for (unsigned i = 0; i < TASKS; i++)
        ck_assert_uint_eq(ntohl(s->b.messages[i].immediate), i);
}

START_TEST(tasks_wait_for_the_send_queue)
{
    run_sides(&(struct sides_plan){.separate = true, .set = has_short_queue}, overfills);
}
END_TEST

// Messages that are too long for a lane arrive in pieces, from both connections in turn: each has a
// receive of its own meanwhile.
static void sends_lists(struct sides *s)
{
    OK(doca_rdma_set_max_send_buf_list_len(s->b.rdma, 2));
}

static void mixes(struct sides *s)
{
    struct doca_buf *from[2], *to[2];

    for (unsigned i = 0; i < 2; i++) {
        memset(s->b.memory + i * 2 * BIG, (int)(1 + i), 2 * BIG);
        from[i] = data_at(&s->b, i * 2 * BIG, BIG); // a list goes through the lane
        OK(doca_buf_chain_list(from[i], data_at(&s->b, i * 2 * BIG + BIG, BIG)));
        to[i] = room_at(&s->a, i * 2 * BIG, 2 * BIG);
        post_receive(&s->a, to[i]);
        submit_send(&s->b, s->at_b[i], from[i]);
    }
    progress_until(&s->a, 0, 2);
    progress_until(&s->b, 2, 0);
    ck_assert_uint_eq(s->b.failed + s->a.receives_failed, 0);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(s->a.messages[i].length, 2 * BIG);
        const uint8_t *got = s->a.memory + i * 2 * BIG;
        ck_assert(got[0] == 1 || got[0] == 2);
        ck_assert_mem_eq(got, s->b.memory + (got[0] - 1) * 2 * BIG, 2 * BIG);
    }
    ck_assert_uint_ne(s->a.memory[0], s->a.memory[2 * BIG]);
    for (unsigned i = 0; i < 2; i++)
        drop_buf(from[i]), drop_buf(to[i]);
}

START_TEST(long_messages_do_not_mix)
{
    run_sides(&(struct sides_plan){.connections = 2, .set = sends_lists}, mixes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_many");
    TCase *tcase = case_near_shared(suite);
    tcase_add_test(tcase, many_connections_share_receives);
    tcase_add_test(tcase, connections_take_turns);
    tcase_add_test(tcase, a_busy_connection_does_not_keep_others);
    tcase_add_test(tcase, tasks_wait_for_the_send_queue);
    tcase_add_test(tcase, long_messages_do_not_mix);
    return run_suite(suite);
}

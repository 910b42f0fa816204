// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections that docad-run --faults breaks, as libdocad-workbench has it done: the program and
// its peer see that the other one has gone. Here the test stands in for that library.

#include "child.h"
#include "comch_end.h"
#include "injection/lost_peers.h"
#include "nodes.h"
#include "rdma_3.h"

static const struct lost_peers *lost;

void docad_offer_lost_peers(const struct lost_peers *functions)
{
    lost = functions;
}

// ---- Comch

#define SENT 3u

static void serves(struct end *e)
{
    UNTIL(e, e->left == 1);
    ck_assert_uint_eq(e->got, SENT);
    ck_assert_uint_eq(e->came, 1);
}

// The connection breaks in the completion of the third message.
static void over(struct doca_comch_task_send *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    const struct end *e = ctx_data.ptr;
    if (e->client && e->sent == SENT - 1)
        ck_assert(lost->task(doca_comch_task_send_as_task(task)));
    end_over(task, task_data, ctx_data);
}

static void client_breaks_it(struct end *e)
{
    for (unsigned i = 0; i < SENT; i++)
        end_say(e, e->connection, "text", 4);
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(e->sent, SENT);
    ck_assert_uint_eq(e->failed, 0);
    ck_assert(!lost->comch(e->connection));
}

static const struct end_plan server_plan = {.name = "lost", .serves = true};
static const struct end_plan client_plan = {.name = "lost", .tasks = 4, .over = over};

START_TEST(comch_client_breaks_it)
{
    struct child *server = end_start_in(&server_plan, "server", serves);
    struct child *client = end_start_in(&client_plan, "client", client_breaks_it);
    child_join(client);
    child_join(server);
}
END_TEST

static void hear(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                 struct doca_comch_connection *from)
{
    (void)event, (void)bytes, (void)len;
    if (++end_of(from)->got == SENT)
        ck_assert(lost->comch(from));
}

static void sees_the_end(struct end *e)
{
    for (unsigned i = 0; i < SENT; i++)
        end_say(e, e->connection, "text", 4);
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(e->sent, SENT);
}

START_TEST(comch_server_breaks_it)
{
    static const struct end_plan plan = {.name = "lost", .serves = true, .hear = hear};
    struct child *server = end_start_in(&plan, "server", serves);
    struct child *client = end_start_in(&client_plan, "client", sees_the_end);
    child_join(client);
    child_join(server);
}
END_TEST

// ---- RDMA

static struct doca_rdma_task_send *send_task(struct side *side, struct doca_rdma_connection *by,
                                             struct doca_buf *buf)
{
    struct doca_rdma_task_send *task;
    OK(doca_rdma_task_send_allocate_init(side->rdma, by, buf, (union doca_data){0}, &task));
    return task;
}

// The other connection of the two contexts stands.
static void one_of_two_breaks(struct sides *sides)
{
    struct side *a = &sides->a, *b = &sides->b;
    struct doca_buf *bytes = data_at(a, 0, 16), *room = room_at(b, 0, 64), *more = data_at(b, 0, 8);
    struct doca_rdma_task_send *task = send_task(a, sides->at_a[0], bytes);
    post_receive(b, room);
    submit(doca_rdma_task_send_as_task(task));
    PROGRESS_UNTIL(a->pe, a->done == 1 && b->received == 1);
    // It is in its pool again, and has its connection.
    ck_assert(lost->task(doca_rdma_task_send_as_task(task)));
    ck_assert(!lost->task(doca_rdma_task_send_as_task(task)));
    submit_send(a, sides->at_a[0], bytes);
    PROGRESS_UNTIL(a->pe, a->failed == 1);
    ck_assert_int_eq(a->last, DOCA_ERROR_CONNECTION_RESET);
    submit_send(b, sides->at_b[0], more);
    PROGRESS_UNTIL(b->pe, b->failed == 1);
    ck_assert_int_eq(b->last, DOCA_ERROR_CONNECTION_RESET);
    post_receive(b, room);
    submit_send(a, sides->at_a[1], bytes);
    PROGRESS_UNTIL(a->pe, a->done == 2 && b->received == 2);
    ck_assert_ptr_eq(b->messages[1].connection, sides->at_b[1]);
    drop_buf(bytes), drop_buf(room), drop_buf(more);
}

START_TEST(rdma_connection_breaks)
{
    run_sides(&(struct sides_plan){.connections = 2}, one_of_two_breaks);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lost_peers");
    TCase *cases[] = {case_near_shared(suite), case_apart_shared(suite)};
    for (int i = 0; i < 2; i++) {
        tcase_add_test(cases[i], comch_client_breaks_it);
        tcase_add_test(cases[i], comch_server_breaks_it);
        tcase_add_test(cases[i], rdma_connection_breaks);
    }
    return run_suite(suite);
}

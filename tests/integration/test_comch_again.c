// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comch: servers and clients that stop, and start again: whom clients find meanwhile, and what
// becomes of tasks in flight.

#include "comch_end.h"
#include "nodes.h"

#include <string.h>

#define NAME  "again"
#define TASKS 600u // of LARGE bytes: more than a connection holds
#define LARGE 4000u

// ---- what all have in common

static uint32_t order[TASKS];     // of tasks that are over
static doca_error_t fates[TASKS]; // of each
static unsigned over_already;

static void over(struct doca_comch_task_send *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    ck_assert_uint_lt(over_already, TASKS);
    order[over_already] = (uint32_t)task_data.u64;
    fates[task_data.u64] = doca_task_get_status(doca_comch_task_send_as_task(task));
    over_already++;
    end_over(task, task_data, ctx_data);
}

static void say(struct end *e, struct doca_comch_connection *to, uint32_t number)
{
    uint8_t text[LARGE] = {0};

    memcpy(text, &number, sizeof(number));
    struct doca_task *task = end_task(e, to, text, LARGE);
    doca_task_set_user_data(task, (union doca_data){.u64 = number});
    OK(doca_task_submit(task));
}

// Numbers come in their order, without a gap.
static void hear(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                 struct doca_comch_connection *from)
{
    struct end *e = end_of(from);
    uint32_t number;

    (void)event;
    ck_assert_uint_eq(len, LARGE);
    memcpy(&number, bytes, sizeof(number));
    ck_assert_uint_eq(number, e->got);
    e->got++;
}

static struct doca_comch_connection *latest;

static void come(struct doca_comch_event_connection_status_changed *event,
                 struct doca_comch_connection *c, uint8_t successful)
{
    OK(doca_comch_connection_set_user_data(c, (union doca_data){.u64 = 100 + end_of(c)->came}));
    end_come(event, c, successful);
    latest = c;
}

// The connection still says whose it was.
static void leave(struct doca_comch_event_connection_status_changed *event,
                  struct doca_comch_connection *c, uint8_t successful)
{
    uint64_t n;

    ck_assert_uint_ge(doca_comch_connection_get_user_data(c).u64, 100);
    REFUSED(DOCA_ERROR_CONNECTION_ABORTED, doca_comch_connection_update_info(c));
    OK(doca_comch_connection_get_counter(c, DOCA_COMCH_COUNTER_RECV_MESSAGES, &n));
    ck_assert_uint_eq(n, end_of(c)->got);
    end_leave(event, c, successful);
}

static const struct end_plan server_plan = {.name = NAME,
                                            .serves = true,
                                            .tasks = TASKS,
                                            .over = over,
                                            .hear = hear,
                                            .come = come,
                                            .leave = leave};
static const struct end_plan client_plan = {
    .name = NAME, .tasks = TASKS, .over = over, .hear = hear};

// ---- the same name again

static void serves_twice(struct end *e)
{
    UNTIL(e, e->came == 1);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e->ctx));
    child_tell(e->self, "stopping");
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(e->came, 1); // nobody else was let in
    child_tell(e->self, "idle");
    child_wait(e->self, "serve");
    OK(doca_ctx_start(e->ctx));
    UNTIL(e, e->came == 3);
    UNTIL(e, e->left == 3);
}

static void leaves_and_comes_back(struct end *e)
{
    child_wait(e->self, "leave");
    end_stop(e);
    end_start_client(e);
}

static void comes_while_it_stops(struct end *e)
{
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(e->ctx));
    child_tell(e->self, "tries");
    UNTIL(e, e->state == DOCA_CTX_STATE_RUNNING);
}

// Clients that come while it stops are let in when it starts again.
START_TEST(a_server_that_starts_again)
{
    struct child *server = end_start_in(&server_plan, "server", serves_twice);
    struct child *first = end_start_in(&client_plan, "first", leaves_and_comes_back);
    child_wait(server, "stopping");
    struct child *second = end_make_in(&client_plan, "second", comes_while_it_stops);
    child_wait(second, "tries");
    child_tell(first, "leave");
    child_wait(server, "idle");
    child_tell(server, "serve");
    child_join(first);
    child_join(second);
    child_join(server);
}
END_TEST

static void serves_once(struct end *e)
{
    UNTIL(e, e->came == 1);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e->ctx));
    REFUSED(DOCA_ERROR_IN_USE, doca_comch_server_destroy(e->server));
    child_tell(e->self, "stopping");
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
}

static void meets_both(struct end *e)
{
    for (int i = 0; i < 2; i++) {
        end_start_client(e);
        child_tell(e->self, "connected");
        child_wait(e->self, "leave");
        end_stop(e);
    }
}

// The next server, of another process, takes the name over, also while the first one still has a
// client.
START_TEST(another_server_of_the_name)
{
    struct child *client = end_make_in(&client_plan, "client", meets_both);
    for (int i = 0; i < 2; i++) {
        struct child *server = end_start_in(&server_plan, i ? "second" : "first", serves_once);
        child_wait(client, "connected");
        child_wait(server, "stopping");
        child_tell(client, "leave");
        child_join(server);
    }
    child_join(client);
}
END_TEST

// ---- tasks in flight

// All are called back, in their order, and what was sent is a beginning.
static void assert_flushed(const struct end *e)
{
    ck_assert_uint_eq(over_already, TASKS);
    ck_assert_uint_eq(e->sent + e->failed, TASKS);
    ck_assert_uint_gt(e->failed, 0);
    for (uint32_t i = 0; i < TASKS; i++) {
        ck_assert_uint_eq(order[i], i);
        if (i < e->sent)
            ck_assert_int_eq(fates[i], DOCA_SUCCESS);
        else
            ck_assert_int_ne(fates[i], DOCA_SUCCESS);
    }
}

static void sends_and_stops(struct end *e)
{
    for (uint32_t i = 0; i < TASKS; i++)
        say(e, e->connection, i);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e->ctx));
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
    assert_flushed(e);
    child_send(e->self, &e->sent, sizeof(e->sent));
}

static void hears_late(struct end *e)
{
    UNTIL(e, e->came == 1);
    child_wait(e->self, "hear");
    UNTIL(e, e->left == 1);
    child_send(e->self, &e->got, sizeof(e->got));
}

// What it was told is sent arrives.
START_TEST(a_client_stops_with_tasks_in_flight)
{
    unsigned sent, got;
    struct child *server = end_start_in(&server_plan, "server", hears_late);
    struct child *client = end_start_in(&client_plan, "client", sends_and_stops);
    child_receive(client, &sent, sizeof(sent));
    child_tell(server, "hear");
    child_receive(server, &got, sizeof(got));
    ck_assert_uint_eq(got, sent);
    child_join(client);
    child_join(server);
}
END_TEST

static void server_sends_and_stops(struct end *e)
{
    UNTIL(e, e->came == 1);
    for (uint32_t i = 0; i < TASKS; i++)
        say(e, latest, i);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e->ctx));
    UNTIL(e, over_already == TASKS);
    assert_flushed(e);
    ck_assert_int_eq(e->state, DOCA_CTX_STATE_STOPPING); // it has a client
    child_send(e->self, &e->sent, sizeof(e->sent));
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(e->left, 1);
}

static void client_hears_late(struct end *e)
{
    unsigned sent;

    child_receive(e->self, &sent, sizeof(sent));
    UNTIL(e, e->got == sent);
    end_stop(e);
    ck_assert_uint_eq(e->got, sent);
}

START_TEST(a_server_stops_with_tasks_in_flight)
{
    unsigned sent;
    struct child *server = end_start_in(&server_plan, "server", server_sends_and_stops);
    struct child *client = end_start_in(&client_plan, "client", client_hears_late);
    child_receive(server, &sent, sizeof(sent));
    child_send(client, &sent, sizeof(sent));
    child_join(client);
    child_join(server);
}
END_TEST

// ---- queues

static bool longest; // the longest queue there may be, or the shortest

static void set_queue(struct end *e)
{
    const struct doca_devinfo *info = doca_dev_as_devinfo(e->dev);
    uint32_t n;

    OK(doca_comch_cap_get_max_recv_queue_size(info, &n));
    OK(e->server ? doca_comch_server_set_recv_queue_size(e->server, longest ? n : 1)
                 : doca_comch_client_set_recv_queue_size(e->client, longest ? n : 1));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            e->server ? doca_comch_server_set_recv_queue_size(e->server, n + 1)
                      : doca_comch_client_set_recv_queue_size(e->client, n + 1));
}

static void sends_all(struct end *e)
{
    set_queue(e);
    struct doca_comch_connection *c = end_start_client(e);
    for (uint32_t i = 0; i < TASKS; i++)
        say(e, c, i);
    child_tell(e->self, "submitted");
    UNTIL(e, e->sent == TASKS);
    for (uint32_t i = 0; i < TASKS; i++)
        ck_assert_uint_eq(order[i], i);
}

static void hears_all_late(struct end *e)
{
    set_queue(e);
    OK(doca_ctx_start(e->ctx));
    child_tell(e->self, "serving");
    UNTIL(e, e->came == 1);
    child_wait(e->self, "hear");
    UNTIL(e, e->left == 1);
    ck_assert_uint_eq(e->got, TASKS);
}

// One message, or as many as there may be.
START_TEST(queues_at_their_limits)
{
    longest = _i;
    struct child *server = end_make_in(&server_plan, "server", hears_all_late);
    child_wait(server, "serving");
    struct child *client = end_make_in(&client_plan, "client", sends_all);
    child_wait(client, "submitted");
    child_tell(server, "hear");
    child_join(client);
    child_join(server);
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, a_server_that_starts_again);
    tcase_add_test(tcase, another_server_of_the_name);
    tcase_add_test(tcase, a_client_stops_with_tasks_in_flight);
    tcase_add_test(tcase, a_server_stops_with_tasks_in_flight);
    tcase_add_loop_test(tcase, queues_at_their_limits, 0, 2);
}

int main(void)
{
    Suite *suite = suite_create("comch_again");
    add_tests(case_near_shared(suite));
    add_tests(case_apart_shared(suite));
    return run_suite(suite);
}

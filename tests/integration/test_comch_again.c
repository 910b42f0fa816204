// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comch: servers and clients that stop, and start again: whom clients find meanwhile, and what
// becomes of tasks in flight.

#include "child.h"
#include "comch_end.h"
#include "env.h"
#include "nodes.h"

#include <string.h>

#define NAME  "again"
#define TASKS 600u // of LARGE bytes: more than a connection holds
#define LARGE 4000u

// ---- what all have in common -------------------------------------------------------------------

static uint32_t order[TASKS];     // of tasks that are over
static doca_error_t fates[TASKS]; // of each
static unsigned over_already;

static void over(struct doca_comch_task_send *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    struct end *e = ctx_data.ptr;
    struct doca_task *t = doca_comch_task_send_as_task(task);
    const doca_error_t status = doca_task_get_status(t);

    ck_assert_uint_lt(over_already, TASKS);
    order[over_already] = (uint32_t)task_data.u64;
    fates[task_data.u64] = status;
    over_already++;
    e->sent += status == DOCA_SUCCESS;
    e->failed += status != DOCA_SUCCESS;
    doca_task_free(t);
}

static void say(struct end *e, struct doca_comch_connection *to, uint32_t number)
{
    uint8_t text[LARGE] = {0};
    struct doca_comch_task_send *task;

    memcpy(text, &number, sizeof(number));
    if (e->server)
        OK(doca_comch_server_task_send_alloc_init(e->server, to, text, LARGE, &task));
    else
        OK(doca_comch_client_task_send_alloc_init(e->client, to, text, LARGE, &task));
    doca_task_set_user_data(doca_comch_task_send_as_task(task), (union doca_data){.u64 = number});
    OK(doca_task_submit(doca_comch_task_send_as_task(task)));
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
    struct end *e = end_of(c);

    ck_assert(event && successful);
    OK(doca_comch_connection_set_user_data(c, (union doca_data){.u64 = 100 + e->came}));
    e->came++;
    latest = c;
}

// The connection still says whose it was.
static void leave(struct doca_comch_event_connection_status_changed *event,
                  struct doca_comch_connection *c, uint8_t successful)
{
    struct end *e = end_of(c);
    uint64_t n;

    ck_assert(event && successful);
    ck_assert_uint_ge(doca_comch_connection_get_user_data(c).u64, 100);
    REFUSED(DOCA_ERROR_CONNECTION_ABORTED, doca_comch_connection_update_info(c));
    OK(doca_comch_connection_get_counter(c, DOCA_COMCH_COUNTER_RECV_MESSAGES, &n));
    ck_assert_uint_eq(n, e->got);
    e->left++;
}

static void make_server(struct end *e)
{
    end_make_server(e, NAME);
    OK(doca_comch_server_task_send_set_conf(e->server, over, over, TASKS));
    OK(doca_comch_server_event_msg_recv_register(e->server, hear));
    OK(doca_comch_server_event_connection_status_changed_register(e->server, come, leave));
}

static void make_client(struct end *e)
{
    end_make_client(e, NAME);
    OK(doca_comch_client_task_send_set_conf(e->client, over, over, TASKS));
    OK(doca_comch_client_event_msg_recv_register(e->client, hear));
}

static void stop_client(struct end *e)
{
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e->ctx));
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
}

// ---- the same name again -----------------------------------------------------------------------

static int serves_twice(struct child *self, void *arg)
{
    struct end e;

    (void)arg;
    make_server(&e);
    OK(doca_ctx_start(e.ctx));
    child_tell(self, "serving");
    UNTIL(&e, e.came == 1);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e.ctx));
    child_tell(self, "stopping");
    UNTIL(&e, e.state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(e.came, 1); // nobody else was let in
    child_tell(self, "idle");
    child_wait(self, "serve");
    OK(doca_ctx_start(e.ctx));
    UNTIL(&e, e.came == 3);
    UNTIL(&e, e.left == 3);
    OK(doca_ctx_stop(e.ctx));
    end_destroy(&e);
    return 0;
}

static int leaves_and_comes_back(struct child *self, void *arg)
{
    struct end e;

    (void)arg;
    make_client(&e);
    end_start_client(&e);
    child_tell(self, "connected");
    child_wait(self, "leave");
    stop_client(&e);
    end_start_client(&e);
    stop_client(&e);
    end_destroy(&e);
    return 0;
}

static int comes_while_it_stops(struct child *self, void *arg)
{
    struct end e;

    (void)arg;
    make_client(&e);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(e.ctx));
    child_tell(self, "tries");
    UNTIL(&e, e.state == DOCA_CTX_STATE_RUNNING);
    stop_client(&e);
    end_destroy(&e);
    return 0;
}

// Clients that come while it stops are let in when it starts again.
START_TEST(a_server_that_starts_again)
{
    struct child *server = child_start(nodes.dpu, "server", serves_twice, NULL);
    child_wait(server, "serving");
    struct child *first = child_start(nodes.host, "first", leaves_and_comes_back, NULL);
    child_wait(first, "connected");
    child_wait(server, "stopping");
    struct child *second = child_start(nodes.host, "second", comes_while_it_stops, NULL);
    child_wait(second, "tries");
    child_tell(first, "leave");
    child_wait(server, "idle");
    child_tell(server, "serve");
    child_join(first);
    child_join(second);
    child_join(server);
}
END_TEST

static int serves_once(struct child *self, void *arg)
{
    struct end e;

    (void)arg;
    make_server(&e);
    OK(doca_ctx_start(e.ctx));
    child_tell(self, "serving");
    UNTIL(&e, e.came == 1);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e.ctx));
    REFUSED(DOCA_ERROR_IN_USE, doca_comch_server_destroy(e.server));
    child_tell(self, "stopping");
    UNTIL(&e, e.state == DOCA_CTX_STATE_IDLE);
    end_destroy(&e);
    return 0;
}

static int meets_both(struct child *self, void *arg)
{
    struct end e;

    (void)arg;
    make_client(&e);
    for (int i = 0; i < 2; i++) {
        end_start_client(&e);
        child_tell(self, "connected");
        child_wait(self, "leave");
        stop_client(&e);
    }
    end_destroy(&e);
    return 0;
}

// The next server, of another process, takes the name over, also while the first one still has a
// client.
START_TEST(another_server_of_the_name)
{
    struct child *client = child_start(nodes.host, "client", meets_both, NULL);
    struct child *first = child_start(nodes.dpu, "first", serves_once, NULL);
    child_wait(first, "serving");
    child_wait(client, "connected");
    child_wait(first, "stopping");
    child_tell(client, "leave");
    child_join(first);
    struct child *second = child_start(nodes.dpu, "second", serves_once, NULL);
    child_wait(second, "serving");
    child_wait(client, "connected");
    child_wait(second, "stopping");
    child_tell(client, "leave");
    child_join(client);
    child_join(second);
}
END_TEST

// ---- tasks in flight ---------------------------------------------------------------------------

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

static int sends_and_stops(struct child *self, void *arg)
{
    struct end e;

    (void)arg;
    make_client(&e);
    struct doca_comch_connection *c = end_start_client(&e);
    for (uint32_t i = 0; i < TASKS; i++)
        say(&e, c, i);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e.ctx));
    UNTIL(&e, e.state == DOCA_CTX_STATE_IDLE);
    assert_flushed(&e);
    child_send(self, &e.sent, sizeof(e.sent));
    end_destroy(&e);
    return 0;
}

static int hears_late(struct child *self, void *arg)
{
    struct end e;

    (void)arg;
    make_server(&e);
    OK(doca_ctx_start(e.ctx));
    child_tell(self, "serving");
    UNTIL(&e, e.came == 1);
    child_wait(self, "hear");
    UNTIL(&e, e.left == 1);
    child_send(self, &e.got, sizeof(e.got));
    OK(doca_ctx_stop(e.ctx));
    end_destroy(&e);
    return 0;
}

// What it was told is sent arrives.
START_TEST(a_client_stops_with_tasks_in_flight)
{
    unsigned sent, got;
    struct child *server = child_start(nodes.dpu, "server", hears_late, NULL);
    child_wait(server, "serving");
    struct child *client = child_start(nodes.host, "client", sends_and_stops, NULL);
    child_receive(client, &sent, sizeof(sent));
    child_tell(server, "hear");
    child_receive(server, &got, sizeof(got));
    ck_assert_uint_eq(got, sent);
    child_join(client);
    child_join(server);
}
END_TEST

static int server_sends_and_stops(struct child *self, void *arg)
{
    struct end e;

    (void)arg;
    make_server(&e);
    OK(doca_ctx_start(e.ctx));
    child_tell(self, "serving");
    UNTIL(&e, e.came == 1);
    for (uint32_t i = 0; i < TASKS; i++)
        say(&e, latest, i);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e.ctx));
    UNTIL(&e, over_already == TASKS);
    assert_flushed(&e);
    ck_assert_int_eq(e.state, DOCA_CTX_STATE_STOPPING); // it has a client
    child_send(self, &e.sent, sizeof(e.sent));
    UNTIL(&e, e.state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_eq(e.left, 1);
    end_destroy(&e);
    return 0;
}

static int client_hears_late(struct child *self, void *arg)
{
    struct end e;
    unsigned sent;

    (void)arg;
    make_client(&e);
    end_start_client(&e);
    child_tell(self, "connected");
    child_receive(self, &sent, sizeof(sent));
    UNTIL(&e, e.got == sent);
    stop_client(&e);
    ck_assert_uint_eq(e.got, sent);
    end_destroy(&e);
    return 0;
}

START_TEST(a_server_stops_with_tasks_in_flight)
{
    unsigned sent;
    struct child *server = child_start(nodes.dpu, "server", server_sends_and_stops, NULL);
    child_wait(server, "serving");
    struct child *client = child_start(nodes.host, "client", client_hears_late, NULL);
    child_wait(client, "connected");
    child_receive(server, &sent, sizeof(sent));
    child_send(client, &sent, sizeof(sent));
    child_join(client);
    child_join(server);
}
END_TEST

// ---- queues ------------------------------------------------------------------------------------

static void set_queue(struct end *e, uint32_t most)
{
    const struct doca_devinfo *info = doca_dev_as_devinfo(e->dev);
    uint32_t n;

    OK(doca_comch_cap_get_max_recv_queue_size(info, &n));
    OK(e->server ? doca_comch_server_set_recv_queue_size(e->server, most ? n : 1)
                 : doca_comch_client_set_recv_queue_size(e->client, most ? n : 1));
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            e->server ? doca_comch_server_set_recv_queue_size(e->server, n + 1)
                      : doca_comch_client_set_recv_queue_size(e->client, n + 1));
}

static int sends_all(struct child *self, void *arg)
{
    struct end e;

    make_client(&e);
    set_queue(&e, arg != NULL);
    struct doca_comch_connection *c = end_start_client(&e);
    for (uint32_t i = 0; i < TASKS; i++)
        say(&e, c, i);
    child_tell(self, "submitted");
    UNTIL(&e, e.sent == TASKS);
    for (uint32_t i = 0; i < TASKS; i++)
        ck_assert_uint_eq(order[i], i);
    stop_client(&e);
    end_destroy(&e);
    return 0;
}

static int hears_all_late(struct child *self, void *arg)
{
    struct end e;

    make_server(&e);
    set_queue(&e, arg != NULL);
    OK(doca_ctx_start(e.ctx));
    child_tell(self, "serving");
    UNTIL(&e, e.came == 1);
    child_wait(self, "hear");
    UNTIL(&e, e.left == 1);
    ck_assert_uint_eq(e.got, TASKS);
    OK(doca_ctx_stop(e.ctx));
    end_destroy(&e);
    return 0;
}

// One message, or as many as there may be.
START_TEST(queues_at_their_limits)
{
    struct child *server = child_start(nodes.dpu, "server", hears_all_late, _i ? &nodes : NULL);
    child_wait(server, "serving");
    struct child *client = child_start(nodes.host, "client", sends_all, _i ? &nodes : NULL);
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
    TCase *near = tcase_create("near"), *apart = tcase_create("apart");
    tcase_add_checked_fixture(near, setup_pair, env_teardown);
    tcase_add_checked_fixture(apart, setup_apart, env_teardown);
    add_tests(near);
    add_tests(apart);
    suite_add_tcase(suite, near);
    suite_add_tcase(suite, apart);
    return run_suite(suite);
}

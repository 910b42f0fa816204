// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One side of many connections of Comch dies while both have tasks in flight: a server with all its
// clients, and a crowd of clients under a server that has another one. Each end is told, each task
// completes with an error, and nothing is left behind.

#include "comch_path.h"
#include "env.h"
#include "nodes.h"

#include <string.h>

#define CROWD     60u
#define CONSUMERS 8u // of the crowd have a consumer, too
#define TASKS     128u
#define ROOM      8u // messages
#define NAME      "mortal"

static uint8_t text[4000]; // TASKS of it are more than a connection holds

// ---- what all have in common -------------------------------------------------------------------

static void over(struct doca_comch_task_send *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    struct end *e = ctx_data.ptr;
    (void)task_data;
    doca_error_t status = doca_task_get_status(doca_comch_task_send_as_task(task));
    e->sent += status == DOCA_SUCCESS;
    e->failed += status != DOCA_SUCCESS;
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void say(struct end *e, struct doca_comch_connection *to, size_t length)
{
    struct doca_comch_task_send *task;
    if (e->server)
        OK(doca_comch_server_task_send_alloc_init(e->server, to, text, length, &task));
    else
        OK(doca_comch_client_task_send_alloc_init(e->client, to, text, length, &task));
    OK(doca_task_submit(doca_comch_task_send_as_task(task)));
}

static void hear(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                 struct doca_comch_connection *from)
{
    (void)event, (void)bytes, (void)len;
    end_of(from)->got++;
}

static struct doca_comch_connection *all[CROWD + 1], *last_heard;

// A question is short, and has an answer; what is long fills the connection.
static void answer(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                   struct doca_comch_connection *from)
{
    struct end *e = end_of(from);
    (void)event, (void)bytes;
    last_heard = from;
    e->got++;
    if (len == 1)
        say(e, from, 1);
}

static void come(struct doca_comch_event_connection_status_changed *event,
                 struct doca_comch_connection *c, uint8_t successful)
{
    struct end *e = end_of(c);
    ck_assert(event && successful);
    ck_assert_uint_le(e->came, CROWD);
    all[e->came++] = c;
}

static void leave(struct doca_comch_event_connection_status_changed *event,
                  struct doca_comch_connection *c, uint8_t successful)
{
    ck_assert(event && successful);
    end_of(c)->left++;
}

static void consumer_news(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                          uint32_t id)
{
    (void)event, (void)c, (void)id;
}

static void serve(struct end *e)
{
    end_make_server(e, NAME);
    OK(doca_comch_server_task_send_set_conf(e->server, over, over, CROWD * TASKS + 1));
    OK(doca_comch_server_set_recv_queue_size(e->server, ROOM));
    OK(doca_comch_server_event_msg_recv_register(e->server, answer));
    OK(doca_comch_server_event_connection_status_changed_register(e->server, come, leave));
    OK(doca_comch_server_event_consumer_register(e->server, consumer_news, consumer_news));
    OK(doca_ctx_start(e->ctx));
}

static struct doca_comch_connection *join(struct end *e)
{
    end_make_client(e, NAME);
    OK(doca_comch_client_task_send_set_conf(e->client, over, over, TASKS));
    OK(doca_comch_client_set_recv_queue_size(e->client, ROOM));
    OK(doca_comch_client_event_msg_recv_register(e->client, hear));
    OK(doca_comch_client_event_consumer_register(e->client, consumer_news, consumer_news));
    return end_start_client(e);
}

static struct end ends[CROWD];
static struct receiver receivers[CONSUMERS];

// A crowd in one process, each with its own engine.
static void gather(struct doca_comch_connection **to)
{
    for (unsigned i = 0; i < CROWD; i++) {
        to[i] = join(&ends[i]);
        if (i < CONSUMERS) {
            receiver_make(&receivers[i], &ends[i], to[i], ends[i].pe);
            receiver_start(&receivers[i]);
            post(&receivers[i], 0, LONGEST);
        }
    }
}

// ---- the server dies ---------------------------------------------------------------------------

static int serves_until_it_dies(struct child *self, void *arg)
{
    struct end e;
    (void)arg;
    serve(&e);
    child_tell(self, "serves");
    while (!child_hears(self))
        doca_pe_progress(e.pe);
    child_wait(self, "stop taking");
    for (unsigned i = 0; i < CROWD; i++)
        for (unsigned task = 0; task < TASKS; task++)
            say(&e, all[i], sizeof(text));
    child_tell(self, "full");
    child_wait(self, "never"); // it is killed
    return 1;
}

// The consumers end by themselves, and so does the client.
static void mourn(struct end *e, struct receiver *r)
{
    UNTIL(e, e->state == DOCA_CTX_STATE_IDLE);
    ck_assert_uint_gt(e->failed, 0);
    ck_assert_uint_eq(e->sent + e->failed, TASKS);
    if (r) {
        UNTIL(e, r->state == DOCA_CTX_STATE_IDLE);
        ck_assert_uint_eq(r->got, 0);
        ck_assert_uint_eq(r->failed, 1);
        OK(doca_comch_consumer_destroy(r->consumer));
        memory_end(&r->memory);
    }
    end_destroy(e);
}

static int crowd_survives(struct child *self, void *arg)
{
    struct doca_comch_connection *to[CROWD];
    (void)arg;
    gather(to);
    child_tell(self, "there");
    child_wait(self, "fill");
    for (unsigned i = 0; i < CROWD; i++) {
        for (unsigned task = 0; task < TASKS; task++)
            say(&ends[i], to[i], sizeof(text));
        while (doca_pe_progress(ends[i].pe))
            ;
        ck_assert_uint_lt(ends[i].sent, TASKS);
    }
    child_tell(self, "full");
    for (unsigned i = 0; i < CROWD; i++)
        mourn(&ends[i], i < CONSUMERS ? &receivers[i] : NULL);
    return 0;
}

static void assert_nothing_left(void)
{
    const struct daemon *both[] = {nodes.host, nodes.dpu};
    for (int i = 0; i < 2; i++) {
        assert_baseline(both[i]);
        ck_assert_uint_eq(daemon_metric(both[i], "docad_channels"), 0);
        ck_assert_uint_eq(daemon_metric(both[i], "docad_rdma_endpoints"), 0);
    }
}

START_TEST(server_dies)
{
    struct child *server = child_start(nodes.dpu, "server", serves_until_it_dies, NULL);
    child_wait(server, "serves");
    struct child *crowd = child_start(nodes.host, "crowd", crowd_survives, NULL);
    child_wait(crowd, "there");
    child_tell(server, "stop taking");
    child_wait(server, "full");
    child_tell(crowd, "fill");
    child_wait(crowd, "full");
    child_kill(server);
    child_join(crowd);
    assert_nothing_left();
}
END_TEST

// ---- the clients die ---------------------------------------------------------------------------

static int crowd_dies(struct child *self, void *arg)
{
    struct doca_comch_connection *to[CROWD];
    (void)arg;
    gather(to);
    child_tell(self, "there");
    child_wait(self, "never"); // it is killed
    return 1;
}

static int one_stays(struct child *self, void *arg)
{
    struct end e;
    (void)arg;
    struct doca_comch_connection *c = join(&e);
    child_tell(self, "there");
    child_wait(self, "ask");
    say(&e, c, 1);
    UNTIL(&e, e.got == 1 && e.sent == 1);
    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(e.ctx));
    UNTIL(&e, e.state == DOCA_CTX_STATE_IDLE);
    end_destroy(&e);
    return 0;
}

// The first to come stays.
static int server_survives(struct child *self, void *arg)
{
    struct end e;
    (void)arg;
    serve(&e);
    child_tell(self, "serves");
    UNTIL(&e, e.came == CROWD + 1);
    while (!child_hears(self))
        doca_pe_progress(e.pe); // consumers start meanwhile
    child_wait(self, "fill");
    for (unsigned i = 1; i <= CROWD; i++)
        for (unsigned task = 0; task < TASKS; task++)
            say(&e, all[i], sizeof(text));
    while (doca_pe_progress(e.pe))
        ;
    ck_assert_uint_lt(e.sent, CROWD * TASKS);
    child_tell(self, "full");
    UNTIL(&e, e.left == CROWD && e.sent + e.failed == CROWD * TASKS); // in any order
    ck_assert_uint_gt(e.failed, CROWD);
    child_tell(self, "alone");
    UNTIL(&e, e.left == CROWD + 1); // the one that stayed has been answered
    ck_assert_ptr_eq(last_heard, all[0]);
    ck_assert_uint_eq(e.got, 1);
    OK(doca_ctx_stop(e.ctx));
    end_destroy(&e);
    return 0;
}

START_TEST(clients_die)
{
    struct child *server = child_start(nodes.dpu, "server", server_survives, NULL);
    child_wait(server, "serves");
    struct child *one = child_start(nodes.host, "one", one_stays, NULL);
    child_wait(one, "there");
    struct child *crowd = child_start(nodes.host, "crowd", crowd_dies, NULL);
    child_wait(crowd, "there");
    child_tell(server, "fill");
    child_wait(server, "full");
    child_kill(crowd);
    child_wait(server, "alone");
    child_tell(one, "ask");
    child_join(one);
    child_join(server);
    assert_nothing_left();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_dies");
    TCase *near = tcase_create("near"), *apart = tcase_create("apart");
    tcase_add_checked_fixture(near, setup_pair, env_teardown);
    tcase_add_test(near, server_dies);
    tcase_add_test(near, clients_die);
    suite_add_tcase(suite, near);
    tcase_add_checked_fixture(apart, setup_apart, env_teardown);
    tcase_add_test(apart, server_dies);
    tcase_add_test(apart, clients_die);
    suite_add_tcase(suite, apart);
    return run_suite(suite);
}

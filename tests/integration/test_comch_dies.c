// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One side of many connections of Comch dies while both have tasks in flight: a server with all its
// clients, and a crowd of clients under a server that has another one. Each end is told, each task
// completes with an error, and nothing is left behind.

#include "comch_path.h"
#include "nodes.h"

#include <string.h>

#define CROWD     60u
#define CONSUMERS 8u // of the crowd have a consumer, too
#define TASKS     128u
#define ROOM      8u // messages
#define NAME      "mortal"

static uint8_t text[4000]; // TASKS of it are more than a connection holds

// ---- what all have in common

static void say(struct end *e, struct doca_comch_connection *to, size_t length)
{
    end_say(e, to, text, length);
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
    ck_assert_uint_le(e->came, CROWD);
    all[e->came] = c;
    end_come(event, c, successful);
}

static void consumer_news(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                          uint32_t id)
{
    (void)event, (void)c, (void)id;
}

static const struct end_plan server_plan = {.name = NAME,
                                            .serves = true,
                                            .queue = ROOM,
                                            .tasks = CROWD * TASKS + 1,
                                            .hear = answer,
                                            .come = come,
                                            .consumer_came = consumer_news,
                                            .consumer_expired = consumer_news};
static const struct end_plan client_plan = {.name = NAME,
                                            .queue = ROOM,
                                            .tasks = TASKS,
                                            .consumer_came = consumer_news,
                                            .consumer_expired = consumer_news};

static struct end ends[CROWD];
static struct receiver receivers[CONSUMERS];

// A crowd in one process, each with its own engine.
static void gather(struct child *self)
{
    for (unsigned i = 0; i < CROWD; i++) {
        end_make(&ends[i], &client_plan);
        end_start_client(&ends[i]);
        if (i < CONSUMERS) {
            receiver_make(&receivers[i], &ends[i], ends[i].connection, ends[i].pe);
            receiver_start(&receivers[i]);
            post(&receivers[i], 0, LONGEST);
        }
    }
    child_tell(self, "there");
}

// ---- the server dies

static void serves_until_it_dies(struct end *e)
{
    end_progress_until(e, "stop taking");
    for (unsigned i = 0; i < CROWD; i++)
        for (unsigned task = 0; task < TASKS; task++)
            say(e, all[i], sizeof(text));
    child_tell(e->self, "full");
    end_stay(e);
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
        receiver_end(r);
    }
    end_destroy(e);
}

static int crowd_survives(struct child *self, void *arg)
{
    (void)arg;
    gather(self);
    child_wait(self, "fill");
    for (unsigned i = 0; i < CROWD; i++) {
        for (unsigned task = 0; task < TASKS; task++)
            say(&ends[i], ends[i].connection, sizeof(text));
        while (doca_pe_progress(ends[i].pe))
            ;
        ck_assert_uint_lt(ends[i].sent, TASKS);
    }
    child_tell(self, "full");
    for (unsigned i = 0; i < CROWD; i++)
        mourn(&ends[i], i < CONSUMERS ? &receivers[i] : NULL);
    return 0;
}

START_TEST(server_dies)
{
    struct child *server = end_start_in(&server_plan, "server", serves_until_it_dies);
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

// ---- the clients die

static int crowd_dies(struct child *self, void *arg)
{
    (void)arg;
    gather(self);
    child_wait(self, "never"); // it is killed
    return 1;
}

static void one_stays(struct end *e)
{
    child_wait(e->self, "ask");
    say(e, e->connection, 1);
    UNTIL(e, e->got == 1 && e->sent == 1);
}

// The first to come stays.
static void server_survives(struct end *e)
{
    UNTIL(e, e->came == CROWD + 1);
    end_progress_until(e, "fill"); // consumers start meanwhile
    for (unsigned i = 1; i <= CROWD; i++)
        for (unsigned task = 0; task < TASKS; task++)
            say(e, all[i], sizeof(text));
    while (doca_pe_progress(e->pe))
        ;
    ck_assert_uint_lt(e->sent, CROWD * TASKS);
    child_tell(e->self, "full");
    UNTIL(e, e->left == CROWD && e->sent + e->failed == CROWD * TASKS); // in any order
    ck_assert_uint_gt(e->failed, CROWD);
    child_tell(e->self, "alone");
    UNTIL(e, e->left == CROWD + 1); // the one that stayed has been answered
    ck_assert_ptr_eq(last_heard, all[0]);
    ck_assert_uint_eq(e->got, 1);
}

START_TEST(clients_die)
{
    struct child *server = end_start_in(&server_plan, "server", server_survives);
    struct child *one = end_start_in(&client_plan, "one", one_stays);
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

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, server_dies);
    tcase_add_test(tcase, clients_die);
}

int main(void)
{
    Suite *suite = suite_create("comch_dies");
    add_tests(case_near(suite));
    add_tests(case_apart(suite));
    return run_suite(suite);
}

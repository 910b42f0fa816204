// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The Comm Channel while docad is restarted: no message is lost, none comes twice, and
// services and connections are made meanwhile.

#include "child.h"
#include "deadline.h"
#include "restarts.h"
#include "run.h"
#include "talk.h"

#include <stdio.h>
#include <string.h>

#define NAME  "echo"
#define BURST 8u

static const struct talk_sizes sizes = {64, 16, 16};

// Answers whatever comes, until a client says so.
static int answers(struct child *self, void *arg)
{
    struct doca_comm_channel_addr_t *from;
    struct talk t;
    char text[4096] = "";
    (void)arg;

    talk_listen(&t, NAME, HOST_PF0, sizes);
    child_tell(self, "listening");
    do {
        doca_error_t r = talk_recv(&t, &from, text);
        if (r == DOCA_SUCCESS)
            r = talk_send(&t, from, text);
        if (r == DOCA_ERROR_CONNECTION_RESET) // it has left
            ck_assert_success(doca_comm_channel_ep_disconnect(t.ep, from));
        else
            ck_assert_success(r);
    } while (strcmp(text, "end") != 0);
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

// Sleeps until there is something.
static void expect(struct talk *t, doca_event_channel_t recv, unsigned number)
{
    struct doca_comm_channel_addr_t *from;
    char text[64], wanted[64];
    size_t length = sizeof(text);
    doca_error_t r;

    snprintf(wanted, sizeof(wanted), "message %u", number);
    while ((r = doca_comm_channel_ep_recvfrom(t->ep, text, &length, 0, &from)) ==
           DOCA_ERROR_AGAIN) {
        ck_assert_success(doca_comm_channel_ep_event_handle_arm_recv(t->ep));
        talk_wait_readable(recv);
    }
    ck_assert_success(r);
    ck_assert_str_eq(text, wanted);
}

static int asks(struct child *self, void *arg)
{
    doca_event_channel_t send, recv;
    struct talk t;
    char text[64];
    (void)arg;

    talk_connect(&t, HOST_PF0, NAME, sizes);
    talk_await_accepted(&t);
    ck_assert_success(doca_comm_channel_ep_get_event_channel(t.ep, &send, &recv));
    for (unsigned i = 0; !restarted->stop; i += BURST) {
        for (unsigned j = 0; j < BURST; j++) {
            snprintf(text, sizeof(text), "message %u", i + j);
            ck_assert_success(talk_send(&t, t.peer, text));
        }
        for (unsigned j = 0; j < BURST; j++)
            expect(&t, recv, i + j);
        restarted->jobs[0]++;
    }
    child_wait(self, "end");
    ck_assert_success(talk_send(&t, t.peer, "end"));
    talk_expect(&t, "end");
    talk_close(&t);
    return 0;
}

// A connection for each message.
static int connects(struct child *self, void *arg)
{
    struct talk t;
    (void)self;
    (void)arg;
    while (!restarted->stop) {
        talk_connect(&t, HOST_PF0, NAME, sizes);
        talk_await_accepted(&t);
        ck_assert_success(talk_send(&t, t.peer, "new"));
        talk_expect(&t, "new");
        ck_assert_success(doca_comm_channel_ep_disconnect(t.ep, t.peer));
        talk_close(&t);
        restarted->jobs[1]++;
    }
    return 0;
}

// Services that nobody connects to.
static int listens(struct child *self, void *arg)
{
    struct talk t;
    (void)self;
    (void)arg;
    while (!restarted->stop) {
        talk_listen(&t, "another", HOST_PF0, sizes);
        talk_close(&t);
        restarted->jobs[2]++;
    }
    return 0;
}

START_TEST(messages_go_on)
{
    restarted_start(_i);
    struct child *service = child_start(restarted_nodes.dpu, "answers", answers, NULL);
    child_wait(service, "listening");
    struct child *users[] = {child_start(restarted_nodes.host, "asks", asks, NULL),
                             child_start(restarted_nodes.host, "connects", connects, NULL),
                             child_start(restarted_nodes.dpu, "listens", listens, NULL)};
    restart_often(3);
    child_join(users[1]);
    child_join(users[2]);
    child_tell(users[0], "end");
    child_tell(service, "end");
    child_join(users[0]);
    child_join(service);
    assert_no_channels(&restarted_nodes);
    restarted_stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("restart_channel");
    TCase *tcase = tcase_create("restart_channel");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, messages_go_on, 0, 2); // directly, and passed on by docad
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The Comm Channel with real daemons: ends of every kind, of either side, in polling and in
// event-driven mode, direct and relayed.

#include "child.h"
#include "deadline.h"
#include "run.h"
#include "talk.h"

#include <poll.h>
#include <string.h>

#define NAME "cc_sample_server"

static struct node_pair nodes;
static const struct talk_sizes usual = {0};

static void setup_pair(void)
{
    env_setup();
    nodes = node_pair_start();
}

static void setup_apart(void)
{
    env_setup();
    nodes = node_pair_start_apart();
}

static int listens(struct child *self, void *arg)
{
    struct talk t;
    char byte;
    size_t len = 1;
    struct doca_comm_channel_addr_t *from;
    (void)arg;
    talk_listen(&t, NAME, HOST_PF0, usual);
    child_tell(self, "listening");
    child_wait(self, "accept");
    ck_assert_error(doca_comm_channel_ep_recvfrom(t.ep, &byte, &len, 0, &from), DOCA_ERROR_AGAIN);
    child_tell(self, "accepted");
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

static int loses_its_service(struct child *self, void *arg)
{
    struct talk t;
    doca_event_channel_t recv;
    struct doca_comm_channel_addr_t *from;
    char text[4096];
    (void)arg;
    talk_connect(&t, HOST_PF0, NAME, usual);
    ck_assert_success(doca_comm_channel_ep_get_event_channel(t.ep, NULL, &recv));
    child_tell(self, "connected");
    talk_wait_readable(recv);
    ck_assert_error(doca_comm_channel_peer_addr_update_info(t.peer), DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_error(talk_recv(&t, &from, text), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_error(talk_send(&t, t.peer, "x"), DOCA_ERROR_CONNECTION_RESET);
    // What is over can be ended, and another service found.
    ck_assert_success(doca_comm_channel_ep_disconnect(t.ep, t.peer));
    ck_assert_error(doca_comm_channel_ep_recvfrom(t.ep, text, &(size_t){1}, 0, &from),
                    DOCA_ERROR_NOT_CONNECTED);
    // docad may hear of the death later than we did.
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t r;
    while ((r = doca_comm_channel_ep_connect(t.ep, NAME, &t.peer)) == DOCA_SUCCESS) {
        ck_assert_success(doca_comm_channel_ep_disconnect(t.ep, t.peer));
        ck_assert(deadline_pause(deadline));
    }
    ck_assert_error(r, DOCA_ERROR_CONNECTION_ABORTED);
    talk_close(&t);
    return 0;
}

// Before and after it has accepted.
START_TEST(the_service_dies)
{
    struct child *dpu = child_start(nodes.dpu, "dpu", listens, NULL);
    child_wait(dpu, "listening");
    struct child *host = child_start(nodes.host, "host", loses_its_service, NULL);
    child_wait(host, "connected");
    if (_i == 1) {
        child_tell(dpu, "accept");
        child_wait(dpu, "accepted");
    }
    child_kill(dpu);
    child_join(host);
    assert_no_channels(&nodes);
}
END_TEST

static int outlives_docad(struct child *self, void *arg)
{
    struct talk t;
    bool service = arg != NULL;
    struct doca_comm_channel_addr_t *peer;
    if (service)
        talk_listen(&t, NAME, HOST_PF0, usual);
    else
        talk_connect(&t, HOST_PF0, NAME, usual);
    child_tell(self, "ready");
    if (service) {
        peer = talk_expect(&t, "first");
    } else {
        talk_await_accepted(&t);
        ck_assert_success(talk_send(&t, peer = t.peer, "first"));
    }
    child_tell(self, "talking");
    child_wait(self, "docad has gone");
    ck_assert_success(talk_send(&t, peer, "still here"));
    talk_expect(&t, "still here");
    if (service)
        ck_assert_error(doca_comm_channel_ep_update_service_state_info(t.ep),
                        DOCA_ERROR_CONNECTION_RESET);
    child_tell(self, "done");
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

// The two processes talk without it.
START_TEST(docad_dies)
{
    struct child *dpu = child_start(nodes.dpu, "dpu", outlives_docad, &nodes);
    child_wait(dpu, "ready");
    struct child *host = child_start(nodes.host, "host", outlives_docad, NULL);
    child_wait(host, "ready");
    child_wait(dpu, "talking");
    child_wait(host, "talking");
    daemon_kill(nodes.host);
    daemon_kill(nodes.dpu);
    child_tell(dpu, "docad has gone");
    child_tell(host, "docad has gone");
    child_wait(dpu, "done");
    child_wait(host, "done");
    child_tell(dpu, "end");
    child_tell(host, "end");
    child_join(dpu);
    child_join(host);
    daemon_restart(nodes.host);
    daemon_restart(nodes.dpu);
}
END_TEST

static void add(Suite *suite, const char *name, SFun setup)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, setup, env_teardown);
    tcase_add_loop_test(tcase, the_service_dies, 0, 2);
    if (setup == setup_pair)
        tcase_add_test(tcase, docad_dies);
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    Suite *suite = suite_create("comm_channel_ends");
    add(suite, "direct", setup_pair);
    add(suite, "relayed", setup_apart);
    return run_suite(suite);
}

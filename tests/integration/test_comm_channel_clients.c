// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A service of the Comm Channel on a device whose card takes few clients: as many connect as its
// capability says, also after docad was restarted.

#include "child.h"
#include "deadline.h"
#include "manager.h"
#include "restarts.h"
#include "run.h"
#include "talk.h"

#include <signal.h>
#include <stdlib.h>

#define NAME    "few"
#define CLIENTS 2

static const struct talk_sizes usual = {0};

static int serves(struct child *self, void *arg)
{
    struct talk t;
    uint32_t n = 0;

    (void)arg;
    ck_assert_int_eq(setenv("DOCAD_CARD", "software,comch.max_clients=2", 1), 0);
    talk_listen(&t, NAME, HOST_PF0, usual);
    ck_assert_success(
        doca_comm_channel_get_service_max_num_connections(doca_dev_as_devinfo(t.dev), &n));
    ck_assert_uint_eq(n, CLIENTS);
    child_tell(self, "listening");
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

static doca_error_t connect_one_more(struct talk *t)
{
    return doca_comm_channel_ep_connect(t->ep, NAME, &t->peer);
}

static int connects(struct child *self, void *arg)
{
    struct talk clients[CLIENTS], more;
    int64_t deadline;

    (void)arg;
    for (unsigned i = 0; i < CLIENTS; i++)
        talk_connect(&clients[i], HOST_PF0, NAME, usual);
    talk_open(&more, HOST_PF0, usual);
    ck_assert_error(connect_one_more(&more), DOCA_ERROR_NO_MEMORY);
    child_tell(self, "full");
    child_wait(self, "restarted");
    ck_assert_error(connect_one_more(&more), DOCA_ERROR_NO_MEMORY);
    talk_close(&clients[0]);
    deadline = deadline_in(HARNESS_LIMIT_MS);
    while (connect_one_more(&more) != DOCA_SUCCESS) // until the other node has learnt of the end
        ck_assert_msg(deadline_pause(deadline), "the place of a client that left stays taken");
    talk_close(&more);
    talk_close(&clients[1]);
    return 0;
}

START_TEST(as_many_clients_as_the_card_takes)
{
    restarted_start(_i);
    struct child *service = child_start(restarted_nodes.dpu, "service", serves, NULL);
    child_wait(service, "listening");
    struct child *clients = child_start(restarted_nodes.host, "clients", connects, NULL);
    child_wait(clients, "full");
    manager_restart(restarted_nodes.dpu, SIGTERM);
    child_tell(clients, "restarted");
    child_join(clients);
    child_tell(service, "end");
    child_join(service);
    assert_no_channels(&restarted_nodes);
    restarted_stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comm_channel_clients");
    TCase *tcase = tcase_create("comm_channel_clients");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, as_many_clients_as_the_card_takes, 0, 2); // directly, and relayed
    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

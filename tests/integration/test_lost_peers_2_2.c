// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections of DOCA 2.2 that docad-run --faults breaks: see test_lost_peers.c.

#include "injection/lost_peers.h"
#include "nodes.h"
#include "rdma_setting.h"
#include "talk.h"

static const struct lost_peers *lost;

void docad_offer_lost_peers(const struct lost_peers *functions)
{
    lost = functions;
}

// ---- the Comm Channel

static const struct talk_sizes usual = {0};

static int serves(struct child *self, void *arg)
{
    struct talk t;
    struct doca_comm_channel_addr_t *from;
    char text[4096];
    talk_listen(&t, "lost", HOST_PF0, usual);
    child_tell(self, "listening");
    from = talk_expect(&t, "one");
    if (arg)
        ck_assert(lost->comm_channel(from));
    ck_assert_error(talk_recv(&t, &from, text), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_error(talk_send(&t, from, "x"), DOCA_ERROR_CONNECTION_RESET);
    ck_assert(!lost->comm_channel(from));
    ck_assert_success(doca_comm_channel_ep_disconnect(t.ep, from));
    talk_close(&t);
    return 0;
}

static int talks(struct child *self, void *arg)
{
    struct talk t;
    struct doca_comm_channel_addr_t *from;
    char text[4096];
    (void)self;
    talk_connect(&t, HOST_PF0, "lost", usual);
    ck_assert_success(talk_send(&t, t.peer, "one"));
    if (!arg)
        ck_assert(lost->comm_channel(t.peer));
    ck_assert_error(talk_recv(&t, &from, text), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_error(talk_send(&t, t.peer, "x"), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_success(doca_comm_channel_ep_disconnect(t.ep, t.peer));
    talk_close(&t);
    return 0;
}

// By the client, or by the service.
START_TEST(channel_breaks)
{
    void *by_service = _i ? &nodes : NULL;
    struct child *service = child_start(nodes.dpu, "service", serves, by_service);
    child_wait(service, "listening");
    struct child *client = child_start(nodes.host, "client", talks, by_service);
    child_join(client);
    child_join(service);
    assert_no_channels(&nodes);
}
END_TEST

// ---- RDMA

static void breaks(struct peer *p)
{
    meet(p);
    ck_assert_success(peer_send(p, 0, 16));
    ck_assert(lost->rdma(p->workq));
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
    ck_assert(!lost->rdma(p->workq));
    struct doca_buf *buf = peer_buf(p, 0, 8);
    ck_assert_int_ne(peer_try_send(p, buf, NULL), DOCA_SUCCESS);
    drop(buf);
}

static void sees_it(struct peer *p)
{
    meet(p);
    ck_assert_success(peer_recv(p, 0, 16));
    ck_assert_error(peer_recv(p, 0, 16), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
}

START_TEST(rdma_breaks)
{
    run_both(_i, breaks, sees_it);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lost_peers_2_2");
    TCase *cases[] = {case_near_shared(suite), case_apart_shared(suite)};
    for (int i = 0; i < 2; i++)
        tcase_add_loop_test(cases[i], channel_breaks, 0, 2);
    ADD(suite, rdma_breaks, SETTINGS);
    return run_suite(suite);
}

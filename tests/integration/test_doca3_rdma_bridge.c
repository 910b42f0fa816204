// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA of DOCA 3 beside librdmacm: a program that listens by itself hands its requests over, and
// one that does without DOCA calls a listener. Only where DOCAD_TEST_FUNCTION names an ibverbs
// device.

#include "child.h"
#include "deadline.h"
#include "env.h"
#include "nodes.h"
#include "rdma_cm_3.h"

#include <arpa/inet.h>
#include <doca_rdma_bridge.h>
#include <fcntl.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>

#define DONE(call) ck_assert_msg((call) == 0, "%s: %s", #call, strerror(errno))

// The program's own use of librdmacm.
struct own {
    struct rdma_event_channel *channel;
    struct rdma_cm_id *id;    // the listener, or the caller
    struct rdma_cm_id *asked; // the latest request
    unsigned requests, established, disconnected;
    uint8_t data[256]; // private data of the listener's answer
    size_t size;
};

static struct sockaddr_in place_of(struct seen *s)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    uint8_t bytes[DOCA_DEVINFO_IPV4_ADDR_SIZE];

    OK(doca_devinfo_get_ipv4_addr(doca_dev_as_devinfo(s->side.dev), bytes, sizeof(bytes)));
    memcpy(&place.sin_addr, bytes, sizeof(bytes));
    return place;
}

static void own_open(struct own *own)
{
    *own = (struct own){.channel = rdma_create_event_channel()};
    ck_assert_ptr_nonnull(own->channel);
    DONE(fcntl(own->channel->fd, F_SETFL, fcntl(own->channel->fd, F_GETFL) | O_NONBLOCK));
    DONE(rdma_create_id(own->channel, &own->id, NULL, RDMA_PS_TCP));
}

static void own_close(struct own *own)
{
    DONE(rdma_destroy_id(own->id));
    rdma_destroy_event_channel(own->channel);
}

static void note(struct own *own, const struct rdma_cm_event *event)
{
    if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
        own->requests++;
        own->asked = event->id;
    } else if (event->event == RDMA_CM_EVENT_ESTABLISHED) {
        own->established++;
        own->size = event->param.conn.private_data_len;
        memcpy(own->data, event->param.conn.private_data, own->size);
    } else if (event->event == RDMA_CM_EVENT_DISCONNECTED) {
        own->disconnected++;
    }
}

// Until an event of this kind has come; engines make progress meanwhile.
static void own_await(struct own *own, enum rdma_cm_event_type kind, struct seen *s)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct rdma_cm_event *event;

    for (;;) {
        ck_assert_msg(now_ms() < deadline, "no %s", rdma_event_str(kind));
        doca_pe_progress(s->side.pe);
        if (rdma_get_cm_event(own->channel, &event) != 0)
            continue;
        enum rdma_cm_event_type what = event->event;
        note(own, event);
        DONE(rdma_ack_cm_event(event));
        if (what == kind)
            return;
    }
}

// ---- requests that the program takes -----------------------------------------------------------

static struct doca_rdma_connection *bridge(struct own *own, struct seen *server)
{
    static uint8_t data[256];
    struct doca_rdma_connection *connection, *more;
    struct doca_rdma *rdma = server->side.rdma;

    own_await(own, RDMA_CM_EVENT_CONNECT_REQUEST, server);
    OK(doca_rdma_bridge_prepare_connection(rdma, own->asked, &connection));
    REFUSED(DOCA_ERROR_FULL, doca_rdma_bridge_prepare_connection(rdma, own->asked, &more));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(connection, NULL, 0));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(rdma, connection));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_accept(rdma, data, 197, connection));
    OK(doca_rdma_bridge_accept(rdma, data, 196, connection));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_accept(rdma, NULL, 0, connection));
    own_await(own, RDMA_CM_EVENT_ESTABLISHED, server);
    OK(doca_rdma_bridge_established(rdma, connection));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(rdma, connection));
    return connection;
}

static int bridges(struct child *self, void *arg)
{
    struct doca_rdma_connection *connection;
    struct seen server, client;
    struct sockaddr_in place;
    struct own own;

    (void)self, (void)arg;
    seen_open(&server, NULL, 1, true);
    seen_open(&client, server.side.pe, 1, true);
    own_open(&own);
    place = place_of(&server);
    DONE(rdma_bind_addr(own.id, (struct sockaddr *)&place));
    DONE(rdma_listen(own.id, 0));
    for (unsigned turn = 1; turn <= 3; turn++) {
        call_here(&client, turn);
        connection = bridge(&own, &server);
        await(&client, &client.established, turn);
        await(&server, &server.established, turn);
        ck_assert_ptr_eq(server.latest, connection);
        seen_sends(&client, client.latest, &server);
        seen_sends(&server, connection, &client);
        if (turn != 2) {
            OK(doca_rdma_connection_disconnect(client.latest));
            own_await(&own, RDMA_CM_EVENT_DISCONNECTED, &server);
        }
        OK(doca_rdma_connection_disconnect(connection));
        await(&client, &client.disconnects, turn);
        await(&server, &server.disconnects, turn);
    }
    call_here(&client, 4);
    connection = bridge(&own, &server);
    await(&client, &client.established, 4);
    side_stop(&server.side); // also ends the connection
    await(&client, &client.disconnects, 4);
    side_close(&client.side);
    side_close(&server.side);
    own_close(&own);
    return 0;
}

START_TEST(requests_of_the_programs_own_listener)
{
    child_join(start_calling(nodes.host, "program", bridges, NULL));
}
END_TEST

// A program that says nothing of established connections, and has no callbacks.
static int says_little(struct child *self, void *arg)
{
    struct doca_rdma_connection *connection;
    struct seen server = {0}, client;
    struct sockaddr_in place;
    struct own own;

    (void)self, (void)arg;
    seen_open(&client, NULL, 1, true);
    side_open(&server.side, client.side.pe, 1);
    own_open(&own);
    place = place_of(&client);
    DONE(rdma_bind_addr(own.id, (struct sockaddr *)&place));
    DONE(rdma_listen(own.id, 0));
    call_here(&client, 1);
    own_await(&own, RDMA_CM_EVENT_CONNECT_REQUEST, &client);
    REFUSED(DOCA_ERROR_BAD_STATE,
            doca_rdma_bridge_prepare_connection(server.side.rdma, own.asked, &connection));
    side_start(&server.side);
    OK(doca_rdma_bridge_prepare_connection(server.side.rdma, own.asked, &connection));
    OK(doca_rdma_bridge_accept(server.side.rdma, NULL, 0, connection));
    await(&client, &client.established, 1);
    seen_sends(&client, client.latest, &server);
    seen_sends(&server, connection, &client);
    OK(doca_rdma_connection_disconnect(client.latest));
    own_await(&own, RDMA_CM_EVENT_DISCONNECTED, &client);
    OK(doca_rdma_connection_disconnect(connection));
    await(&client, &client.disconnects, 1);
    side_close(&server.side);
    side_close(&client.side);
    own_close(&own);
    return 0;
}

START_TEST(established_need_not_be_said)
{
    child_join(start_calling(nodes.host, "program", says_little, NULL));
}
END_TEST

// ---- a caller without DOCA ---------------------------------------------------------------------

static void own_call(struct own *own, struct seen *server)
{
    struct ibv_qp_init_attr queue = {.cap = {.max_send_wr = 4,
                                             .max_recv_wr = 4,
                                             .max_send_sge = 1,
                                             .max_recv_sge = 1,
                                             .max_inline_data = 8},
                                     .qp_type = IBV_QPT_RC,
                                     .sq_sig_all = 1};
    struct rdma_conn_param param = {.retry_count = 7, .rnr_retry_count = 7};
    struct sockaddr_in place = place_of(server);

    DONE(rdma_resolve_addr(own->id, NULL, (struct sockaddr *)&place, 2000));
    own_await(own, RDMA_CM_EVENT_ADDR_RESOLVED, server);
    DONE(rdma_resolve_route(own->id, 2000));
    own_await(own, RDMA_CM_EVENT_ROUTE_RESOLVED, server);
    DONE(rdma_create_qp(own->id, NULL, &queue));
    DONE(rdma_connect(own->id, &param));
    own_await(own, RDMA_CM_EVENT_ESTABLISHED, server);
}

static int is_called(struct child *self, void *arg)
{
    uint64_t word = 0x1122334455667788;
    struct ibv_sge list = {.addr = (uintptr_t)&word, .length = sizeof(word)};
    struct ibv_send_wr wr = {.sg_list = &list, .num_sge = 1, .send_flags = IBV_SEND_INLINE}, *bad;
    struct seen server;
    struct own own;

    (void)self, (void)arg;
    wr.opcode = IBV_WR_SEND;
    seen_open(&server, NULL, 1, true);
    server.private_length = 100;
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    own_open(&own);
    own_call(&own, &server);
    ck_assert_uint_ge(own.size, 100);
    await(&server, &server.established, 1);
    struct doca_buf *room = room_at(&server.side, 0, sizeof(word));
    post_receive(&server.side, room);
    DONE(ibv_post_send(own.id->qp, &wr, &bad));
    progress_until(&server.side, 0, 1);
    ck_assert_uint_eq(server.side.messages[0].length, sizeof(word));
    ck_assert_mem_eq(server.side.memory, &word, sizeof(word));
    OK(doca_buf_dec_refcount(room, NULL));
    DONE(rdma_disconnect(own.id));
    await(&server, &server.disconnects, 1);
    rdma_destroy_qp(own.id);
    own_close(&own);
    side_close(&server.side);
    return 0;
}

START_TEST(callers_without_doca)
{
    child_join(start_calling(nodes.host, "program", is_called, NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_bridge");
    TCase *tcase = tcase_create("doca3_rdma_bridge");
    if (!on_verbs()) {
        printf("SKIPPED: DOCAD_TEST_FUNCTION names no ibverbs device; see tests/vm\n");
        return TEST_SKIPPED;
    }
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, requests_of_the_programs_own_listener);
    tcase_add_test(tcase, established_need_not_be_said);
    tcase_add_test(tcase, callers_without_doca);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections by address whose other side does not use the library, and requests that make no
// sense: they cost at most their own connection. Limits of listeners and of calls that wait.

#include "child.h"
#include "deadline.h"
#include "kernel.h"
#include "lingering.h"
#include "nodes.h"
#include "protocol.h"
#include "rdma_cm_3.h"
#include "text_names.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// ---- raw listeners and callers

static doca_error_t raw_listen_to(int sock, uint32_t function, uint32_t port)
{
    Docad__RdmaListen m = DOCAD__RDMA_LISTEN__INIT;

    m.function_id = function;
    m.port = port;
    return call(sock, DOCAD__MESSAGE__BODY_RDMA_LISTEN, &m);
}

static uint64_t raw_endpoint(int sock, uint32_t function)
{
    Docad__RdmaEndpointCreate m = DOCAD__RDMA_ENDPOINT_CREATE__INIT;

    m.function_id = function;
    ck_assert_int_eq(call(sock, DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE, &m), DOCA_SUCCESS);
    uint64_t id = answer->rdma_endpoint_create_reply->endpoint_id;
    answer_drop();
    return id;
}

static doca_error_t ask_for(int sock, uint64_t endpoint, size_t address, uint32_t port)
{
    static uint8_t bytes[64] = {0xfe, 0x80};
    Docad__RdmaCall m = DOCAD__RDMA_CALL__INIT;

    m.endpoint_id = endpoint;
    m.address = (ProtobufCBinaryData){address, bytes};
    m.port = port;
    return call(sock, DOCAD__MESSAGE__BODY_RDMA_CALL, &m);
}

static int take_fd(void)
{
    ck_assert_uint_eq(answer_fds.count, 1);
    return fd_list_take(&answer_fds, 0);
}

static void await_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    ck_assert_int_eq(poll(&p, 1, HARNESS_LIMIT_MS), 1);
}

// ---- requests

START_TEST(requests_that_make_no_sense)
{
    struct raw_session one = session_start(nodes.host), two = session_start(nodes.host);
    uint32_t pf0 = open_function(one.sock, "pf0");
    uint64_t endpoint = raw_endpoint(one.sock, pf0);
    Docad__RdmaListenEnd end = DOCAD__RDMA_LISTEN_END__INIT;

    ck_assert_int_eq(raw_listen_to(one.sock, pf0, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(raw_listen_to(one.sock, pf0, 65536), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(raw_listen_to(one.sock, 63, PORT), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(raw_listen_to(two.sock, pf0, PORT), DOCA_ERROR_BAD_STATE); // not open
    ck_assert_int_eq(raw_listen_to(one.sock, pf0, PORT), DOCA_SUCCESS);
    end.listener_id = answer->rdma_listen_reply->listener_id;
    int accept = take_fd();
    ck_assert_int_eq(raw_listen_to(one.sock, pf0, PORT), DOCA_ERROR_ALREADY_EXIST);
    ck_assert_int_eq(call(two.sock, DOCAD__MESSAGE__BODY_RDMA_LISTEN_END, &end),
                     DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(ask_for(two.sock, endpoint, 0, PORT), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(ask_for(one.sock, endpoint + 1000, 0, PORT), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(ask_for(one.sock, endpoint, 15, PORT), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(ask_for(one.sock, endpoint, 17, PORT), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(ask_for(one.sock, endpoint, 0, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(ask_for(one.sock, endpoint, 0, 65536 + PORT), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(ask_for(one.sock, endpoint, 16, PORT), DOCA_ERROR_NOT_FOUND); // of nobody
    ck_assert_int_eq(ask_for(one.sock, endpoint, 0, PORT + 1), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(ask_for(one.sock, endpoint, 0, PORT), DOCA_SUCCESS);
    int caller = take_fd();
    ck_assert_int_eq(call(one.sock, DOCAD__MESSAGE__BODY_RDMA_LISTEN_END, &end), DOCA_SUCCESS);
    ck_assert_int_eq(call(one.sock, DOCAD__MESSAGE__BODY_RDMA_LISTEN_END, &end),
                     DOCA_ERROR_NOT_FOUND);
    close(accept); // which the call waited in
    await_readable(caller);
    close(caller);
    answer_drop();
    session_end(&one);
    session_end(&two);
    assert_baseline(nodes.host);
}
END_TEST

static void setup_older(void)
{
    kernel_without_passrights();
    setup_pair();
}

static void setup_limited(void)
{
    env_setup();
    nodes = node_pair_start_apart("limits { channels_per_session = 3 }");
}

START_TEST(listeners_of_a_session)
{
    struct raw_session session = session_start(nodes.host);
    uint32_t pf0 = open_function(session.sock, "pf0");
    Docad__RdmaListenEnd end = DOCAD__RDMA_LISTEN_END__INIT;

    for (unsigned turn = 0; turn < 10; turn++) { // what ends is given back
        uint64_t ids[3];
        int fds[3];
        for (uint32_t i = 0; i < 3; i++) {
            ck_assert_int_eq(raw_listen_to(session.sock, pf0, PORT + i), DOCA_SUCCESS);
            ids[i] = answer->rdma_listen_reply->listener_id;
            fds[i] = take_fd();
        }
        ck_assert_int_eq(raw_listen_to(session.sock, pf0, PORT + 3), DOCA_ERROR_NO_MEMORY);
        assert_names(answer->error->text, "channels_per_session");
        for (uint32_t i = 0; i < 3; i++) {
            end.listener_id = ids[i];
            close(fds[i]);
            ck_assert_int_eq(call(session.sock, DOCAD__MESSAGE__BODY_RDMA_LISTEN_END, &end),
                             DOCA_SUCCESS);
        }
    }
    answer_drop();
    session_end(&session);
    assert_baseline(nodes.host);
}
END_TEST

// A user may have half of the places; when the listener looks, they are free again.
START_TEST(calls_that_wait)
{
    struct raw_session session = session_start(nodes.host);
    uint32_t pf0 = open_function(session.sock, "pf0");
    uint64_t endpoint = raw_endpoint(session.sock, pf0);
    char packed[512];

    ck_assert_int_eq(raw_listen_to(session.sock, pf0, PORT), DOCA_SUCCESS);
    int accept = take_fd();
    for (unsigned turn = 0; turn < 3; turn++) {
        for (unsigned i = 0; i < 64; i++) {
            ck_assert_int_eq(ask_for(session.sock, endpoint, 0, PORT), DOCA_SUCCESS);
            close(take_fd());
        }
        ck_assert_int_eq(ask_for(session.sock, endpoint, 0, PORT), DOCA_ERROR_AGAIN);
        for (unsigned i = 0; i < 64; i++) {
            struct fd_list fds = FD_LIST_EMPTY;
            ck_assert_int_gt(packet_recv(accept, packed, sizeof(packed), &fds, 0), 0);
            ck_assert_uint_eq(fds.count, 1);
            fd_list_close(&fds);
        }
    }
    close(accept);
    answer_drop();
    session_end(&session);
    assert_baseline(nodes.host);
}
END_TEST

// ---- callers that break the rules

static void serves_two(struct seen *server)
{
    child_tell(server->side.self, "listening");
    await(server, &server->failures, 1);
    child_tell(server->side.self, "failed");
    await(server, &server->established, 1); // its only connection is free again
    child_wait(server->side.self, "end");
}

static size_t pack(uint8_t *out, Docad__RdmaCallMessage__Kind kind, size_t descriptor, size_t data)
{
    static uint8_t bytes[1024];
    Docad__RdmaCallMessage m = DOCAD__RDMA_CALL_MESSAGE__INIT;

    m.kind = kind;
    m.descriptor = (ProtobufCBinaryData){descriptor, bytes};
    m.private_data = (ProtobufCBinaryData){data, bytes};
    return docad__rdma_call_message__pack(&m, out);
}

// What is sent over a call; none of it is what may be sent there.
static size_t nonsense(uint8_t out[4096], int which)
{
    switch (which) {
    case 0:
        memset(out, 0xff, 4096);
        return 100;
    case 1:
        memset(out, 0xff, 4096);
        return 4096;
    case 2:
        return pack(out, DOCAD__RDMA_CALL_MESSAGE__KIND__ACCEPT, 100, 0);
    case 3:
        return pack(out, DOCAD__RDMA_CALL_MESSAGE__KIND__ACCEPT, 1000, 1000);
    case 4:
        return pack(out, DOCAD__RDMA_CALL_MESSAGE__KIND__ACCEPT, 0, 197);
    case 5:
        return pack(out, (Docad__RdmaCallMessage__Kind)77, 0, 0);
    default:
        return 0; // hangs up
    }
}
#define NONSENSE 7

// What the kernel takes before Linux 6.16: a descriptor whose close takes an hour.
#define HANGING NONSENSE

static struct lingering lingering;

// False: it has hung up.
static bool send_nonsense(int fd, int which)
{
    uint8_t bytes[4096];

    if (which == HANGING) {
        lingering_open(&lingering);
        ck_assert(lingering_send(&lingering, fd, 3, 1, 0));
        lingering_leave(&lingering);
        return true;
    }
    size_t size = nonsense(bytes, which);
    if (size)
        ck_assert_int_eq(send(fd, bytes, size, MSG_NOSIGNAL), (ssize_t)size);
    return size > 0;
}

static void calls_well(struct seen *client)
{
    call_here(client, 0);
    await(client, &client->established, 1);
    child_tell(client->side.self, "established");
    child_wait(client->side.self, "end");
}

START_TEST(callers_that_break_the_rules)
{
    struct child *server =
        seen_start_in(nodes.host, "server", &(struct seen_plan){.listens = true}, serves_two);
    child_wait(server, "listening");
    struct raw_session session = session_start(nodes.host);
    uint64_t endpoint = raw_endpoint(session.sock, open_function(session.sock, "pf0"));

    ck_assert_int_eq(ask_for(session.sock, endpoint, 0, PORT), DOCA_SUCCESS);
    int fd = take_fd();
    await_readable(fd); // it was accepted
    bool sent = send_nonsense(fd, _i);
    if (!sent)
        close(fd);
    child_wait(server, "failed");
    if (sent)
        close(fd);
    struct child *client = seen_start_in(nodes.host, "client", &(struct seen_plan){0}, calls_well);
    child_wait(client, "established");
    child_tell(client, "end");
    child_tell(server, "end");
    child_join(client);
    child_join(server);
    lingering_end(&lingering);
    answer_drop();
    session_end(&session);
}
END_TEST

// ---- listeners that break the rules

static void calls_in_vain(struct seen *client)
{
    call_here(client, 9);
    await(client, &client->failures, 1);
    ck_assert_uint_eq(client->data.u64, 9);
    ck_assert_uint_eq(client->established, 0);
}

START_TEST(listeners_that_break_the_rules)
{
    char packed[512];
    struct fd_list fds = FD_LIST_EMPTY;
    struct raw_session session = session_start(nodes.host);

    ck_assert_int_eq(raw_listen_to(session.sock, open_function(session.sock, "pf0"), PORT),
                     DOCA_SUCCESS);
    int accept = take_fd();
    struct child *client =
        seen_start_in(nodes.host, "client", &(struct seen_plan){0}, calls_in_vain);
    await_readable(accept);
    ck_assert_int_gt(packet_recv(accept, packed, sizeof(packed), &fds, 0), 0);
    if (!send_nonsense(fds.fds[0], _i))
        fd_list_close(&fds);
    child_join(client);
    lingering_end(&lingering);
    fd_list_close(&fds);
    close(accept);
    answer_drop();
    session_end(&session);
}
END_TEST

// ---- linked nodes

START_TEST(linked_nodes_that_break_the_rules)
{
    static uint8_t bytes[1024];
    static const struct {
        size_t address, from, descriptor;
        uint32_t port;
        doca_error_t expected;
    } calls[] = {
        {15, 0, 100, PORT, DOCA_ERROR_INVALID_VALUE},
        {0, 17, 100, PORT, DOCA_ERROR_INVALID_VALUE},
        {0, 0, 1024, PORT, DOCA_ERROR_INVALID_VALUE},
        {16, 16, 100, PORT, DOCA_ERROR_NOT_FOUND},
        {0, 0, 100, 65536 + PORT, DOCA_ERROR_NOT_FOUND},
        {0, 0, 100, 0, DOCA_ERROR_NOT_FOUND},
        {0, 16, 256, PORT, DOCA_SUCCESS},
    };
    struct daemon *dpu = daemon_start(&(struct daemon_options){.role = "dpu"});
    struct raw_session session = session_start(dpu);
    char packed[1024];

    ck_assert_int_eq(raw_listen_to(session.sock, open_function(session.sock, "p0"), PORT),
                     DOCA_SUCCESS);
    int accept = take_fd(), link = fake_link(dpu);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        Docad__PeerRdmaCall m = DOCAD__PEER_RDMA_CALL__INIT;
        m.address = (ProtobufCBinaryData){calls[i].address, bytes};
        m.from_address = (ProtobufCBinaryData){calls[i].from, bytes};
        m.descriptor = (ProtobufCBinaryData){calls[i].descriptor, bytes};
        m.port = calls[i].port;
        m.uid = geteuid();
        ck_assert_int_eq(call(link, DOCAD__MESSAGE__BODY_PEER_RDMA_CALL, &m), calls[i].expected);
    }
    // The node goes while its call waits for the listener.
    close(link);
    daemon_wait_links(dpu, 0);
    daemon_assert_alive(dpu);
    struct fd_list fds = FD_LIST_EMPTY;
    ck_assert_int_gt(packet_recv(accept, packed, sizeof(packed), &fds, 0), 0);
    fd_list_close(&fds);
    answer_drop();
    close(accept);
    session_end(&session);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_cm_hostile");
    TCase *tcase = case_near_shared(suite);
    tcase_add_test(tcase, requests_that_make_no_sense);
    tcase_add_test(tcase, calls_that_wait);
    tcase_add_loop_test(tcase, callers_that_break_the_rules, 0, NONSENSE);
    tcase_add_loop_test(tcase, listeners_that_break_the_rules, 0, NONSENSE);
    TCase *older = tcase_create("older kernel");
    tcase_add_checked_fixture(older, setup_older, env_teardown);
    tcase_add_loop_test(older, callers_that_break_the_rules, HANGING, HANGING + 1);
    tcase_add_loop_test(older, listeners_that_break_the_rules, HANGING, HANGING + 1);
    suite_add_tcase(suite, older);
    TCase *limited = tcase_create("limited");
    tcase_add_checked_fixture(limited, setup_limited, env_teardown);
    tcase_add_test(limited, listeners_of_a_session);
    suite_add_tcase(suite, limited);
    TCase *linked = tcase_create("linked");
    tcase_add_checked_fixture(linked, env_setup, env_teardown);
    tcase_add_test(linked, linked_nodes_that_break_the_rules);
    suite_add_tcase(suite, linked);
    return run_suite(suite);
}

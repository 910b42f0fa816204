// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whose listener a call reaches: with an address the one that listens there, without one the
// caller's own. Needs root to be several users.

#include "protocol.h"
#include "users.h"

#include "cleanup.h"
#include "rdma_desc.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PORT   7777
#define USER_C 64012 // listens nowhere

static uint8_t address_of_pf0[16] = {[10] = 0xff, [11] = 0xff, 192, 168, 100, 1}; // of the host

struct listener {
    struct raw_session session;
    int accept;
};

static struct listener listen_as(const struct daemon *daemon, uid_t uid, const char *function)
{
    struct listener l = {.session = session_of(daemon, uid)};
    Docad__RdmaListen m = DOCAD__RDMA_LISTEN__INIT;
    m.function_id = open_function(l.session.sock, function);
    m.port = PORT;
    ck_assert_int_eq(call(l.session.sock, DOCAD__MESSAGE__BODY_RDMA_LISTEN, &m), DOCA_SUCCESS);
    l.accept = fd_list_take(&answer_fds, 0);
    return l;
}

static void listener_end(struct listener *l)
{
    answer_drop();
    close(l->accept);
    session_end(&l->session);
}

static bool was_called(const struct listener *l)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    uint8_t offer[RDMA_DESC_SIZE_MAX + 64];
    return packet_recv(l->accept, offer, sizeof(offer), &fds, MSG_DONTWAIT) > 0;
}

static doca_error_t call_as(const struct daemon *daemon, uid_t uid, const char *function,
                            bool by_address)
{
    struct raw_session s = session_of(daemon, uid);
    Docad__RdmaEndpointCreate endpoint = DOCAD__RDMA_ENDPOINT_CREATE__INIT;
    Docad__RdmaCall m = DOCAD__RDMA_CALL__INIT;

    endpoint.function_id = open_function(s.sock, function);
    ck_assert_int_eq(call(s.sock, DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE, &endpoint),
                     DOCA_SUCCESS);
    m.endpoint_id = answer->rdma_endpoint_create_reply->endpoint_id;
    m.port = PORT;
    if (by_address)
        m.address = (ProtobufCBinaryData){sizeof(address_of_pf0), address_of_pf0};
    doca_error_t r = call(s.sock, DOCAD__MESSAGE__BODY_RDMA_CALL, &m);
    answer_drop();
    session_end(&s);
    return r;
}

// A listens to the port first, on another function.
START_TEST(calls_reach_the_callers_own_listener)
{
    struct daemon *host = users_daemon(&(struct daemon_options){.role = "host"}, "", "");
    struct daemon *dpu =
        users_daemon(&(struct daemon_options){.role = "dpu", .peers = {host->socket.s}}, "", "");
    daemon_wait_links(dpu, 1);
    struct listener a = listen_as(host, USER_A, "pf0vf0"), b = listen_as(host, USER_B, "pf0");
    const struct {
        const struct daemon *daemon;
        const char *function;
    } places[] = {{host, "pf0vf1"}, {host, "pf0"}, {host, "pf0vf0"}, {dpu, "p0"}};

    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        ck_assert_int_eq(call_as(places[i].daemon, USER_B, places[i].function, false),
                         DOCA_SUCCESS);
        ck_assert(was_called(&b) && !was_called(&a));
        ck_assert_int_eq(call_as(places[i].daemon, USER_A, places[i].function, false),
                         DOCA_SUCCESS);
        ck_assert(was_called(&a) && !was_called(&b));
        // A subordinate uid of A is another user.
        ck_assert_int_eq(call_as(places[i].daemon, USER_SUB, places[i].function, false),
                         DOCA_ERROR_NOT_FOUND);
        ck_assert_int_eq(call_as(places[i].daemon, USER_C, places[i].function, false),
                         DOCA_ERROR_NOT_FOUND);
        ck_assert_int_eq(call_as(places[i].daemon, USER_C, places[i].function, true), DOCA_SUCCESS);
        ck_assert(was_called(&b) && !was_called(&a));
    }
    listener_end(&a);
    listener_end(&b);
}
END_TEST

// An older docad says whose call it is, and would not look whose listener gets one.
START_TEST(calls_of_an_older_node)
{
    struct daemon *dpu = users_daemon(&(struct daemon_options){.role = "dpu"}, "", "");
    int link = fake_link(dpu);
    struct listener a = listen_as(dpu, USER_A, "p0");
    Docad__PeerRdmaCall m = DOCAD__PEER_RDMA_CALL__INIT;
    uint8_t descriptor[1] = {0};

    m.port = PORT;
    m.descriptor = (ProtobufCBinaryData){sizeof(descriptor), descriptor};
    m.uid = USER_B;
    ck_assert_int_eq(call(link, DOCAD__MESSAGE__BODY_PEER_RDMA_CALL, &m), DOCA_ERROR_NOT_FOUND);
    ck_assert(!was_called(&a));
    m.uid = USER_A;
    ck_assert_int_eq(call(link, DOCAD__MESSAGE__BODY_PEER_RDMA_CALL, &m), DOCA_SUCCESS);
    ck_assert(was_called(&a));
    answer_drop();
    // It is not asked for a listener of anybody: the first that it hears of is a name.
    ck_assert_int_eq(call_as(dpu, USER_B, "p0", false), DOCA_ERROR_NOT_FOUND);
    struct descriptor d = fake_descriptor(1);
    ck_assert_int_eq(publish(a.session.sock, "after", &d), DOCA_SUCCESS);
    receive_any(link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_PUBLISH);
    listener_end(&a);
    close(link);
}
END_TEST

int main(void)
{
    if (geteuid() != 0) {
        puts("SKIPPED: must be root to be several users");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("calls");
    TCase *tcase = tcase_create("calls");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, calls_reach_the_callers_own_listener);
    tcase_add_test(tcase, calls_of_an_older_node);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA of DOCA 3, connected by addresses, on software functions or on the ibverbs device that
// DOCAD_TEST_FUNCTION names: accept, reject and failure, disconnecting from either
// side, addresses and ports, many connections, linked nodes, and docad's restart.

#include "env.h"
#include "manager.h"
#include "nodes.h"
#include "rdma_cm_3.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// ---- one program, one engine

static bool server_leaves;

static void loops_back(struct seen *server, struct seen *client)
{
    struct doca_rdma_connection *at_server, *at_client;

    for (unsigned turn = 1; turn <= 3; turn++) { // one connection is enough for each in turn
        call_here(client, 40 + turn);
        await(client, &client->established, turn);
        await(server, &server->established, turn);
        ck_assert_uint_eq(client->data.u64, 40 + turn);
        ck_assert_uint_eq(server->data.u64, turn);
        at_server = server->latest, at_client = client->latest;
        seen_sends(client, at_client, server);
        ck_assert_ptr_eq(server->side.messages[server->side.received - 1].connection, at_server);
        seen_sends(server, at_server, client);
        OK(doca_rdma_connection_disconnect(server_leaves ? at_server : at_client));
        await(client, &client->disconnects, turn);
        await(server, &server->disconnects, turn);
        REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_disconnect(at_server));
        REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_disconnect(at_client));
    }
}

START_TEST(loopback_disconnected_by_either_side)
{
    server_leaves = _i;
    run_calls(&(struct calls_plan){0}, loops_back);
}
END_TEST

static void only_calls(struct seen *server, struct seen *client)
{
    seen_only_calls(client);
    side_start(&client->side);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_start_listen_to_port(client->side.rdma, PORT));
    OK(doca_rdma_start_listen_to_port(server->side.rdma, PORT));
    call_here(client, 1);
    await(client, &client->established, 1);
    await(server, &server->established, 1);
    seen_sends(client, client->latest, server);
    OK(doca_rdma_connection_disconnect(server->latest));
    await(client, &client->disconnects, 1);
}

START_TEST(callers_need_no_callback_for_requests)
{
    run_calls(&(struct calls_plan){.client_idle = true}, only_calls);
}
END_TEST

static void is_rejected(struct seen *server, struct seen *client)
{
    server->rejects = true;
    for (unsigned turn = 1; turn <= 2; turn++) {
        call_here(client, turn);
        await(client, &client->failures, turn);
        ck_assert_uint_eq(client->data.u64, turn);
        REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_reject(server->asks));
        REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(server->asks, NULL, 0));
    }
    server->rejects = false;
    call_here(client, 3);
    await(client, &client->established, 1);
    await(server, &server->established, 1);
    ck_assert_uint_eq(server->requests, 3);
    ck_assert_uint_eq(server->failures + client->disconnects + server->disconnects, 0);
}

START_TEST(rejected_calls_fail)
{
    run_calls(&(struct calls_plan){0}, is_rejected);
}
END_TEST

// A context may have one connection: the one whose end the program is told of does not count.
static void calls_in_callbacks(struct seen *server, struct seen *client)
{
    server->rejects = client->calls_again = true;
    call_here(client, 1);
    await(client, &client->failures, 1);
    ck_assert_uint_eq(client->data.u64, 1);
    server->rejects = false;
    await(client, &client->established, 1);
    await(server, &server->established, 1);
    ck_assert_uint_eq(client->data.u64, 2);
    for (unsigned turn = 1; turn <= 4; turn++) {
        // It leaves in the callback, or has done so before.
        OK(doca_rdma_connection_disconnect(turn % 2 ? server->latest : client->latest));
        await(server, &server->established, turn + 1);
        await(client, &client->established, turn + 1);
        ck_assert_uint_eq(client->data.u64, turn + 2);
        seen_sends(client, client->latest, server);
        ck_assert_uint_eq(client->disconnects, turn);
    }
    client->calls_again = false;
}

START_TEST(callers_call_again_in_callbacks)
{
    run_calls(&(struct calls_plan){0}, calls_in_callbacks);
}
END_TEST

// The program decides outside the callback, and too late for one of the callers.
static void decides_later(struct seen *server, struct seen *client)
{
    server->defers = true;
    call_here(client, 1);
    await(server, &server->requests, 1);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_disconnect(server->asks));
    OK(doca_rdma_connection_accept(server->asks, NULL, 0));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(server->asks, NULL, 0));
    await(client, &client->established, 1);
    await(server, &server->established, 1);
    side_stop(&client->side);
    await(server, &server->disconnects, 1);
    client->side.n_states = server->side.n_states = 0;
    side_start(&client->side);
    call_here(client, 2);
    await(server, &server->requests, 2);
    side_stop(&client->side);
    // The kernel finds out when it answers, if not before.
    doca_error_t r = on_verbs() ? doca_rdma_connection_accept(server->asks, NULL, 0) : DOCA_SUCCESS;
    if (r == DOCA_SUCCESS)
        await(server, &server->failures, 1);
    else
        ck_assert_int_eq(r, DOCA_ERROR_CONNECTION_ABORTED);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(server->asks, NULL, 0));
    ck_assert_uint_eq(client->failures, 0); // stopping is no failure
}

START_TEST(decisions_may_come_later)
{
    run_calls(&(struct calls_plan){.server = 2}, decides_later);
}
END_TEST

static void waits_for_listener(struct seen *server, struct seen *client)
{
    OK(doca_rdma_set_connection_request_timeout(client->side.rdma, 30));
    side_start(&client->side);
    call_here(client, 5);
    await(client, &client->failures, 1);
    ck_assert_uint_eq(client->data.u64, 5);
    side_stop(&client->side);
    OK(doca_rdma_set_connection_request_timeout(client->side.rdma, UINT16_MAX));
    client->side.n_states = 0;
    side_start(&client->side);
    call_here(client, 6);
    for (unsigned i = 0; i < 100; i++)
        doca_pe_progress(client->side.pe);
    OK(doca_rdma_start_listen_to_port(server->side.rdma, PORT));
    await_asleep(client, &client->established, 1);
    await(server, &server->established, 1);
}

START_TEST(callers_wait_for_a_listener)
{
    run_calls(&(struct calls_plan){.client_idle = true}, waits_for_listener);
}
END_TEST

static void carries_private_data(struct seen *server, struct seen *client)
{
    static const uint8_t lengths[] = {0, 1, 56, 196};
    static uint8_t bytes[256];

    for (unsigned i = 0; i < sizeof(lengths); i++) {
        server->private_length = lengths[i];
        call_here(client, 0);
        await(client, &client->established, i + 1);
    }
    server->defers = true;
    call_here(client, 0);
    await(server, &server->requests, sizeof(lengths) + 1);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(server->asks, bytes, 197));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(server->asks, NULL, 1));
    OK(doca_rdma_connection_accept(server->asks, bytes, 196));
    await(client, &client->established, sizeof(lengths) + 1);
}

START_TEST(private_data_has_a_limit)
{
    run_calls(&(struct calls_plan){.server = 8, .client = 8}, carries_private_data);
}
END_TEST

static void shares_ports(struct seen *a, struct seen *b)
{
    struct side plain;
    struct doca_rdma_addr *addr;

    side_open(&plain, a->side.pe, 1);
    side_start(&plain);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_start_listen_to_port(a->side.rdma, PORT));
    side_start(&a->side);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_start_listen_to_port(plain.rdma, PORT));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_start_listen_to_port(a->side.rdma, 0));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_stop_listen_to_port(a->side.rdma, PORT));
    OK(doca_rdma_start_listen_to_port(a->side.rdma, PORT));
    OK(doca_rdma_start_listen_to_port(a->side.rdma, PORT + 1));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_start_listen_to_port(a->side.rdma, PORT));
    REFUSED(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_start_listen_to_port(b->side.rdma, PORT));
    OK(doca_rdma_stop_listen_to_port(a->side.rdma, PORT));
    OK(doca_rdma_start_listen_to_port(b->side.rdma, PORT));
    side_stop(&a->side); // which ends the other one
    OK(doca_rdma_start_listen_to_port(b->side.rdma, PORT + 1));
    OK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", PORT, &addr));
    REFUSED(DOCA_ERROR_BAD_STATE,
            doca_rdma_connect_to_addr(a->side.rdma, addr, (union doca_data){0}));
    REFUSED(DOCA_ERROR_BAD_STATE,
            doca_rdma_connect_to_addr(plain.rdma, addr, (union doca_data){0}));
    OK(doca_rdma_addr_destroy(addr));
    side_close(&plain);
}

START_TEST(a_port_has_one_listener)
{
    run_calls(&(struct calls_plan){.server_idle = true}, shares_ports);
}
END_TEST

// ---- descriptors

static void progress_until_told(struct seen *s, const char *word)
{
    while (!child_hears(s->side.self))
        doca_pe_progress(s->side.pe);
    child_wait(s->side.self, word);
}

// A call is lost for which it has no descriptor, but the listener is not.
static void listens_without_descriptors(struct seen *s)
{
    struct rlimit limit;

    int first = dup(0);
    close(first);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)first, limit.rlim_max}), 0);
    child_tell(s->side.self, "full");
    progress_until_told(s, "lost");
    ck_assert_uint_eq(s->requests, 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    child_tell(s->side.self, "free");
    await(s, &s->established, 1);
    progress_until_told(s, "end");
}

static void calls_twice(struct seen *s)
{
    call_here(s, 1);
    await(s, &s->failures, 1);
    child_tell(s->side.self, "lost");
    child_wait(s->side.self, "free");
    call_here(s, 2);
    await(s, &s->established, 1);
    child_tell(s->side.self, "connected");
    child_wait(s->side.self, "end");
}

START_TEST(a_listener_outlives_a_lost_call)
{
    struct child *server = seen_start_in(nodes.host, "server", &(struct seen_plan){.listens = true},
                                         listens_without_descriptors);
    child_wait(server, "full");
    struct child *client = seen_start_in(nodes.host, "client", &(struct seen_plan){0}, calls_twice);
    child_wait(client, "lost");
    child_tell(server, "lost");
    child_wait(server, "free");
    child_tell(client, "free");
    child_wait(client, "connected");
    child_tell(client, "end");
    child_tell(server, "end");
    child_join(client);
    child_join(server);
}
END_TEST

// ---- addresses

static void refuses_addresses(void)
{
    static const struct {
        enum doca_rdma_addr_type type;
        const char *text;
        uint16_t port;
    } wrong[] = {
        {DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 0},
        {DOCA_RDMA_ADDR_TYPE_IPv4, "", 1},
        {DOCA_RDMA_ADDR_TYPE_IPv4, "::1", 1},
        {DOCA_RDMA_ADDR_TYPE_IPv4, "1.2.3", 1},
        {DOCA_RDMA_ADDR_TYPE_IPv4, "0.0.0.0", 1},
        {DOCA_RDMA_ADDR_TYPE_IPv6, "127.0.0.1", 1},
        {DOCA_RDMA_ADDR_TYPE_IPv6, "::", 1},
        {DOCA_RDMA_ADDR_TYPE_GID, "fe80", 1},
        {DOCA_RDMA_ADDR_TYPE_GID, "::ffff:0.0.0.0", 1},
        {(enum doca_rdma_addr_type)3, "::1", 1},
    };
    struct doca_rdma_addr *addr = (void *)&addr;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        REFUSED(DOCA_ERROR_INVALID_VALUE,
                doca_rdma_addr_create(wrong[i].type, wrong[i].text, wrong[i].port, &addr));
        ck_assert_ptr_eq(addr, (void *)&addr);
    }
}

static void gid_text(struct seen *s, uint32_t index, char text[INET6_ADDRSTRLEN])
{
    struct doca_rdma_gid gid;

    OK(doca_rdma_cap_get_gid(doca_dev_as_devinfo(s->side.dev), index, 1, &gid));
    ck_assert_ptr_nonnull(inet_ntop(AF_INET6, gid.raw, text, INET6_ADDRSTRLEN));
}

static void has_address(struct doca_rdma_connection *connection, enum doca_rdma_addr_type type,
                        const char *text, uint16_t port)
{
    struct doca_rdma_addr *addr;
    enum doca_rdma_addr_type its_type;
    const char *its_text;
    uint16_t its_port;

    OK(doca_rdma_connection_get_addr(connection, &addr));
    OK(doca_rdma_addr_get_params(addr, &its_type, &its_text, &its_port));
    ck_assert_int_eq(its_type, type);
    ck_assert_str_eq(its_text, text);
    ck_assert_uint_eq(its_port, port);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_addr_destroy(addr));
}

// Addresses keep the spelling of the program.
static void keep_their_text(void)
{
    static const char *const texts[] = {"2001:DB8::0:1", "fe80:0000:0000:0000:0202:c9ff:fe00:0001",
                                        "0:0:0:0:0:FFFF:192.0.2.1"};
    struct doca_rdma_addr *addr;
    enum doca_rdma_addr_type type;
    const char *text;
    uint16_t port;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        OK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_GID, texts[i], PORT, &addr));
        OK(doca_rdma_addr_get_params(addr, &type, &text, &port));
        ck_assert_str_eq(text, texts[i]);
        OK(doca_rdma_addr_destroy(addr));
    }
}

static void is_called(struct seen *server, struct seen *client)
{
    char gids[2][INET6_ADDRSTRLEN], ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE * 4];
    uint8_t bytes[DOCA_DEVINFO_IPV4_ADDR_SIZE];

    refuses_addresses();
    keep_their_text();
    OK(doca_rdma_set_connection_request_timeout(client->side.rdma, 2000));
    side_start(&client->side);
    OK(doca_devinfo_get_ipv4_addr(doca_dev_as_devinfo(server->side.dev), bytes, sizeof(bytes)));
    snprintf(ipv4, sizeof(ipv4), "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
    gid_text(server, 0, gids[0]);
    gid_text(server, 1, gids[1]);
    OK(doca_rdma_start_listen_to_port(server->side.rdma, PORT));
    const struct {
        enum doca_rdma_addr_type type;
        const char *text;
    } all[] = {{DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1"}, {DOCA_RDMA_ADDR_TYPE_IPv6, "::1"},
               {DOCA_RDMA_ADDR_TYPE_IPv4, ipv4},        {DOCA_RDMA_ADDR_TYPE_GID, gids[0]},
               {DOCA_RDMA_ADDR_TYPE_IPv6, gids[0]},     {DOCA_RDMA_ADDR_TYPE_GID, gids[1]}};
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        call_at(client, all[i].type, all[i].text, PORT, 0);
        await(client, &client->established, i + 1);
        await(server, &server->established, i + 1);
        has_address(client->latest, all[i].type, all[i].text, PORT);
        has_address(server->latest, DOCA_RDMA_ADDR_TYPE_IPv4, ipv4, PORT);
    }
    side_stop(&client->side);
    OK(doca_rdma_set_connection_request_timeout(client->side.rdma, 30));
    client->side.n_states = 0;
    side_start(&client->side);
    call_at(client, DOCA_RDMA_ADDR_TYPE_IPv4, "192.0.2.77", PORT, 0); // of nobody
    await(client, &client->failures, 1);
    call_at(client, DOCA_RDMA_ADDR_TYPE_IPv4, ipv4, PORT + 1, 0);
    await(client, &client->failures, 2);
}

START_TEST(functions_are_called_by_each_address)
{
    run_calls(&(struct calls_plan){.server = 8, .client = 8, .client_idle = true}, is_called);
}
END_TEST

// ---- many

static uint16_t many;

static void has_many(struct seen *server, struct seen *client)
{
    uint32_t id;

    for (unsigned i = 0; i < many; i++)
        call_here(client, i);
    await(client, &client->established, many);
    await(server, &server->established, many);
    seen_sends(client, client->latest, server);
    OK(doca_rdma_connection_get_id(server->latest, &id));
    ck_assert_uint_lt(id, many);
    call_here(client, many); // there is no room for it
    await(client, &client->failures, 1);
    ck_assert_uint_eq(server->requests, many);
    ck_assert_uint_eq(client->data.u64, many);
}

START_TEST(many_connections_to_one_listener)
{
    many = on_verbs() ? 10 : 100; // a virtual machine has little memory
    run_calls(&(struct calls_plan){.server = many, .client = many + 1}, has_many);
}
END_TEST

// ---- two programs

#define DPU_P0 "03:00.0"

static const char *device_of(const struct daemon *daemon)
{
    return daemon == nodes.dpu ? DPU_P0 : HOST_PF0;
}

static void serves(struct seen *server)
{
    child_tell(server->side.self, "listening");
    post_receive(&server->side, NULL);
    await_asleep(server, &server->established, 1);
    sleep_until(&server->side, 0, 1);
    child_tell(server->side.self, "received");
    await_asleep(server, &server->disconnects, 1);
    child_tell(server->side.self, "disconnected");
    child_wait(server->side.self, "end");
}

static bool dies; // the client does

static void asks(struct seen *client)
{
    call_here(client, 0);
    await_asleep(client, &client->established, 1);
    submit_send_imm(&client->side, client->latest, NULL, htonl(7));
    progress_until(&client->side, 1, 0);
    child_tell(client->side.self, "sent");
    child_wait(client->side.self, "leave");
    if (dies) // without a word
        child_wait(client->side.self, "never");
    OK(doca_rdma_connection_disconnect(client->latest));
    await(client, &client->disconnects, 1);
}

static void meet(struct daemon *of_server, struct daemon *of_client, bool client_dies)
{
    dies = client_dies;
    struct child *server = seen_start_in(
        of_server, "server",
        &(struct seen_plan){.pci = device_of(of_server), .max = 2, .listens = true}, serves);
    child_wait(server, "listening");
    struct child *client =
        seen_start_in(of_client, "client", &(struct seen_plan){.pci = device_of(of_client)}, asks);
    child_wait(client, "sent");
    child_wait(server, "received");
    child_tell(client, "leave");
    if (dies)
        child_kill(client);
    child_wait(server, "disconnected");
    child_tell(server, "end");
    child_join(server);
    if (!dies)
        child_join(client);
}

START_TEST(two_programs_of_one_node)
{
    meet(nodes.host, nodes.host, _i);
}
END_TEST

START_TEST(two_programs_of_linked_nodes)
{
    meet(_i & 1 ? nodes.dpu : nodes.host, _i & 1 ? nodes.host : nodes.dpu, _i & 2);
}
END_TEST

// ---- docad's restart

static void goes_on_serving(struct seen *server)
{
    child_tell(server->side.self, "listening");
    post_receive(&server->side, NULL);
    await(server, &server->established, 1);
    progress_until(&server->side, 0, 1);
    await(server, &server->disconnects, 1);
    child_wait(server->side.self, "end");
}

START_TEST(listeners_survive_a_restart)
{
    struct daemon *d = daemon_start(&(struct daemon_options){.run = manager_run});
    struct child *server =
        seen_start_in(d, "server", &(struct seen_plan){.listens = true}, goes_on_serving);

    child_wait(server, "listening");
    manager_restart(d, _i ? SIGKILL : SIGTERM);
    struct child *client = seen_start_in(d, "client", &(struct seen_plan){0}, asks);
    child_wait(client, "sent");
    manager_restart(d, _i ? SIGKILL : SIGTERM);
    child_tell(client, "leave");
    child_join(client);
    child_tell(server, "end");
    child_join(server);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_cm");
    TCase *tcase = case_near_shared(suite);
    tcase_add_loop_test(tcase, loopback_disconnected_by_either_side, 0, 2);
    tcase_add_test(tcase, callers_need_no_callback_for_requests);
    tcase_add_test(tcase, rejected_calls_fail);
    tcase_add_test(tcase, callers_call_again_in_callbacks);
    tcase_add_test(tcase, decisions_may_come_later);
    tcase_add_test(tcase, callers_wait_for_a_listener);
    tcase_add_test(tcase, private_data_has_a_limit);
    tcase_add_test(tcase, a_port_has_one_listener);
    if (!on_verbs()) // there no descriptor comes with a call
        tcase_add_test(tcase, a_listener_outlives_a_lost_call);
    tcase_add_test(tcase, functions_are_called_by_each_address);
    tcase_add_test(tcase, many_connections_to_one_listener);
    tcase_add_loop_test(tcase, two_programs_of_one_node, 0, 2);
    tcase_add_loop_test(tcase, two_programs_of_linked_nodes, 0, 4);
    TCase *restarts = tcase_create("restarts");
    tcase_add_checked_fixture(restarts, env_setup, env_teardown);
    tcase_add_loop_test(restarts, listeners_survive_a_restart, 0, 2);
    suite_add_tcase(suite, restarts);
    return run_suite(suite);
}

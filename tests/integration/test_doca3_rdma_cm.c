// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA of DOCA 3, connected by addresses, on software functions or on the ibverbs device that
// DOCAD_TEST_FUNCTION names: accept, reject and failure, disconnecting from either
// side, addresses and ports, many connections, linked nodes, and docad's restart.

#include "child.h"
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

static void one_program(child_fn fn, void *arg)
{
    child_join(start_calling(nodes.host, "program", fn, arg));
}

// ---- one program, one engine

static int loops_back(struct child *self, void *arg)
{
    struct seen server, client;
    struct doca_rdma_connection *at_server, *at_client;
    bool server_leaves = *(bool *)arg;

    (void)self;
    seen_open(&server, NULL, 1, true);
    seen_open(&client, server.side.pe, 1, true);
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    for (unsigned turn = 1; turn <= 3; turn++) { // one connection is enough for each in turn
        call_here(&client, 40 + turn);
        await(&client, &client.established, turn);
        await(&server, &server.established, turn);
        ck_assert_uint_eq(client.data.u64, 40 + turn);
        ck_assert_uint_eq(server.data.u64, turn);
        at_server = server.latest, at_client = client.latest;
        seen_sends(&client, at_client, &server);
        ck_assert_ptr_eq(server.side.messages[server.side.received - 1].connection, at_server);
        seen_sends(&server, at_server, &client);
        OK(doca_rdma_connection_disconnect(server_leaves ? at_server : at_client));
        await(&client, &client.disconnects, turn);
        await(&server, &server.disconnects, turn);
        REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_disconnect(at_server));
        REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_disconnect(at_client));
    }
    side_close(&client.side);
    side_close(&server.side);
    return 0;
}

START_TEST(loopback_disconnected_by_either_side)
{
    bool server_leaves = _i;
    one_program(loops_back, &server_leaves);
}
END_TEST

static int only_calls(struct child *self, void *arg)
{
    struct seen server, client;

    (void)self, (void)arg;
    seen_open(&server, NULL, 1, true);
    seen_open(&client, server.side.pe, 1, false);
    seen_only_calls(&client);
    side_start(&client.side);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_start_listen_to_port(client.side.rdma, PORT));
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    call_here(&client, 1);
    await(&client, &client.established, 1);
    await(&server, &server.established, 1);
    seen_sends(&client, client.latest, &server);
    OK(doca_rdma_connection_disconnect(server.latest));
    await(&client, &client.disconnects, 1);
    side_close(&client.side);
    side_close(&server.side);
    return 0;
}

START_TEST(callers_need_no_callback_for_requests)
{
    one_program(only_calls, NULL);
}
END_TEST

static int is_rejected(struct child *self, void *arg)
{
    struct seen server, client;

    (void)self, (void)arg;
    seen_open(&server, NULL, 1, true);
    seen_open(&client, server.side.pe, 1, true);
    server.rejects = true;
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    for (unsigned turn = 1; turn <= 2; turn++) {
        call_here(&client, turn);
        await(&client, &client.failures, turn);
        ck_assert_uint_eq(client.data.u64, turn);
        REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_reject(server.asks));
        REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(server.asks, NULL, 0));
    }
    server.rejects = false;
    call_here(&client, 3);
    await(&client, &client.established, 1);
    await(&server, &server.established, 1);
    ck_assert_uint_eq(server.requests, 3);
    ck_assert_uint_eq(server.failures + client.disconnects + server.disconnects, 0);
    side_close(&client.side);
    side_close(&server.side);
    return 0;
}

START_TEST(rejected_calls_fail)
{
    one_program(is_rejected, NULL);
}
END_TEST

// A context may have one connection: the one whose end the program is told of does not count.
static int calls_in_callbacks(struct child *self, void *arg)
{
    struct seen server, client;

    (void)self, (void)arg;
    seen_open(&server, NULL, 1, true);
    seen_open(&client, server.side.pe, 1, true);
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    server.rejects = client.calls_again = true;
    call_here(&client, 1);
    await(&client, &client.failures, 1);
    ck_assert_uint_eq(client.data.u64, 1);
    server.rejects = false;
    await(&client, &client.established, 1);
    await(&server, &server.established, 1);
    ck_assert_uint_eq(client.data.u64, 2);
    for (unsigned turn = 1; turn <= 4; turn++) {
        // It leaves in the callback, or has done so before.
        OK(doca_rdma_connection_disconnect(turn % 2 ? server.latest : client.latest));
        await(&server, &server.established, turn + 1);
        await(&client, &client.established, turn + 1);
        ck_assert_uint_eq(client.data.u64, turn + 2);
        seen_sends(&client, client.latest, &server);
        ck_assert_uint_eq(client.disconnects, turn);
    }
    client.calls_again = false;
    side_close(&client.side);
    side_close(&server.side);
    return 0;
}

START_TEST(callers_call_again_in_callbacks)
{
    one_program(calls_in_callbacks, NULL);
}
END_TEST

// The program decides outside the callback, and too late for one of the callers.
static int decides_later(struct child *self, void *arg)
{
    struct seen server, client;

    (void)self, (void)arg;
    seen_open(&server, NULL, 2, true);
    seen_open(&client, server.side.pe, 1, true);
    server.defers = true;
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    call_here(&client, 1);
    await(&server, &server.requests, 1);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_disconnect(server.asks));
    OK(doca_rdma_connection_accept(server.asks, NULL, 0));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(server.asks, NULL, 0));
    await(&client, &client.established, 1);
    await(&server, &server.established, 1);
    side_stop(&client.side);
    await(&server, &server.disconnects, 1);
    client.side.n_states = server.side.n_states = 0;
    side_start(&client.side);
    call_here(&client, 2);
    await(&server, &server.requests, 2);
    side_stop(&client.side);
    // The kernel finds out when it answers, if not before.
    doca_error_t r = on_verbs() ? doca_rdma_connection_accept(server.asks, NULL, 0) : DOCA_SUCCESS;
    if (r == DOCA_SUCCESS)
        await(&server, &server.failures, 1);
    else
        ck_assert_int_eq(r, DOCA_ERROR_CONNECTION_ABORTED);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(server.asks, NULL, 0));
    ck_assert_uint_eq(client.failures, 0); // stopping is no failure
    side_close(&client.side);
    side_close(&server.side);
    return 0;
}

START_TEST(decisions_may_come_later)
{
    one_program(decides_later, NULL);
}
END_TEST

static int waits_for_listener(struct child *self, void *arg)
{
    struct seen server, client;

    (void)self, (void)arg;
    seen_open(&server, NULL, 1, true);
    seen_open(&client, server.side.pe, 1, false);
    OK(doca_rdma_set_connection_request_timeout(client.side.rdma, 30));
    side_start(&client.side);
    call_here(&client, 5);
    await(&client, &client.failures, 1);
    ck_assert_uint_eq(client.data.u64, 5);
    side_stop(&client.side);
    OK(doca_rdma_set_connection_request_timeout(client.side.rdma, UINT16_MAX));
    client.side.n_states = 0;
    side_start(&client.side);
    call_here(&client, 6);
    for (unsigned i = 0; i < 100; i++)
        doca_pe_progress(client.side.pe);
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    await_asleep(&client, &client.established, 1);
    await(&server, &server.established, 1);
    side_close(&client.side);
    side_close(&server.side);
    return 0;
}

START_TEST(callers_wait_for_a_listener)
{
    one_program(waits_for_listener, NULL);
}
END_TEST

static int carries_private_data(struct child *self, void *arg)
{
    static const uint8_t lengths[] = {0, 1, 56, 196};
    static uint8_t bytes[256];
    struct seen server, client;

    (void)self, (void)arg;
    seen_open(&server, NULL, 8, true);
    seen_open(&client, server.side.pe, 8, true);
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    for (unsigned i = 0; i < sizeof(lengths); i++) {
        server.private_length = lengths[i];
        call_here(&client, 0);
        await(&client, &client.established, i + 1);
    }
    server.defers = true;
    call_here(&client, 0);
    await(&server, &server.requests, sizeof(lengths) + 1);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(server.asks, bytes, 197));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_accept(server.asks, NULL, 1));
    OK(doca_rdma_connection_accept(server.asks, bytes, 196));
    await(&client, &client.established, sizeof(lengths) + 1);
    side_close(&client.side);
    side_close(&server.side);
    return 0;
}

START_TEST(private_data_has_a_limit)
{
    one_program(carries_private_data, NULL);
}
END_TEST

static int shares_ports(struct child *self, void *arg)
{
    struct seen a, b;
    struct side plain;
    struct doca_rdma_addr *addr;

    (void)self, (void)arg;
    seen_open(&a, NULL, 1, false);
    seen_open(&b, a.side.pe, 1, true);
    side_open(&plain, a.side.pe, 1);
    side_start(&plain);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_start_listen_to_port(a.side.rdma, PORT));
    side_start(&a.side);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_start_listen_to_port(plain.rdma, PORT));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_start_listen_to_port(a.side.rdma, 0));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_stop_listen_to_port(a.side.rdma, PORT));
    OK(doca_rdma_start_listen_to_port(a.side.rdma, PORT));
    OK(doca_rdma_start_listen_to_port(a.side.rdma, PORT + 1));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_rdma_start_listen_to_port(a.side.rdma, PORT));
    REFUSED(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_start_listen_to_port(b.side.rdma, PORT));
    OK(doca_rdma_stop_listen_to_port(a.side.rdma, PORT));
    OK(doca_rdma_start_listen_to_port(b.side.rdma, PORT));
    side_stop(&a.side); // which ends the other one
    OK(doca_rdma_start_listen_to_port(b.side.rdma, PORT + 1));
    OK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", PORT, &addr));
    REFUSED(DOCA_ERROR_BAD_STATE,
            doca_rdma_connect_to_addr(a.side.rdma, addr, (union doca_data){0}));
    REFUSED(DOCA_ERROR_BAD_STATE,
            doca_rdma_connect_to_addr(plain.rdma, addr, (union doca_data){0}));
    OK(doca_rdma_addr_destroy(addr));
    side_close(&plain);
    side_close(&b.side);
    side_close(&a.side);
    return 0;
}

START_TEST(a_port_has_one_listener)
{
    one_program(shares_ports, NULL);
}
END_TEST

// ---- descriptors

static void progress_until_told(struct child *self, struct seen *s, const char *word)
{
    while (!child_hears(self))
        doca_pe_progress(s->side.pe);
    child_wait(self, word);
}

// A call is lost for which it has no descriptor, but the listener is not.
static int listens_without_descriptors(struct child *self, void *arg)
{
    struct seen s;
    struct rlimit limit;

    (void)arg;
    seen_open(&s, NULL, 1, true);
    OK(doca_rdma_start_listen_to_port(s.side.rdma, PORT));
    int first = dup(0);
    close(first);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)first, limit.rlim_max}), 0);
    child_tell(self, "full");
    progress_until_told(self, &s, "lost");
    ck_assert_uint_eq(s.requests, 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    child_tell(self, "free");
    await(&s, &s.established, 1);
    progress_until_told(self, &s, "end");
    side_close(&s.side);
    return 0;
}

static int calls_twice(struct child *self, void *arg)
{
    struct seen s;

    (void)arg;
    seen_open(&s, NULL, 1, true);
    call_here(&s, 1);
    await(&s, &s.failures, 1);
    child_tell(self, "lost");
    child_wait(self, "free");
    call_here(&s, 2);
    await(&s, &s.established, 1);
    child_tell(self, "connected");
    child_wait(self, "end");
    side_close(&s.side);
    return 0;
}

START_TEST(a_listener_outlives_a_lost_call)
{
    struct child *server = start_calling(nodes.host, "server", listens_without_descriptors, NULL);
    child_wait(server, "full");
    struct child *client = start_calling(nodes.host, "client", calls_twice, NULL);
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

static int is_called(struct child *self, void *arg)
{
    char gids[2][INET6_ADDRSTRLEN], ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE * 4];
    uint8_t bytes[DOCA_DEVINFO_IPV4_ADDR_SIZE];
    struct seen server, client;

    (void)self, (void)arg;
    refuses_addresses();
    keep_their_text();
    seen_open(&server, NULL, 8, true);
    seen_open(&client, server.side.pe, 8, false);
    OK(doca_rdma_set_connection_request_timeout(client.side.rdma, 2000));
    side_start(&client.side);
    OK(doca_devinfo_get_ipv4_addr(doca_dev_as_devinfo(server.side.dev), bytes, sizeof(bytes)));
    snprintf(ipv4, sizeof(ipv4), "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
    gid_text(&server, 0, gids[0]);
    gid_text(&server, 1, gids[1]);
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    const struct {
        enum doca_rdma_addr_type type;
        const char *text;
    } all[] = {{DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1"}, {DOCA_RDMA_ADDR_TYPE_IPv6, "::1"},
               {DOCA_RDMA_ADDR_TYPE_IPv4, ipv4},        {DOCA_RDMA_ADDR_TYPE_GID, gids[0]},
               {DOCA_RDMA_ADDR_TYPE_IPv6, gids[0]},     {DOCA_RDMA_ADDR_TYPE_GID, gids[1]}};
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        call_at(&client, all[i].type, all[i].text, PORT, 0);
        await(&client, &client.established, i + 1);
        await(&server, &server.established, i + 1);
        has_address(client.latest, all[i].type, all[i].text, PORT);
        has_address(server.latest, DOCA_RDMA_ADDR_TYPE_IPv4, ipv4, PORT);
    }
    side_stop(&client.side);
    OK(doca_rdma_set_connection_request_timeout(client.side.rdma, 30));
    client.side.n_states = 0;
    side_start(&client.side);
    call_at(&client, DOCA_RDMA_ADDR_TYPE_IPv4, "192.0.2.77", PORT, 0); // of nobody
    await(&client, &client.failures, 1);
    call_at(&client, DOCA_RDMA_ADDR_TYPE_IPv4, ipv4, PORT + 1, 0);
    await(&client, &client.failures, 2);
    side_close(&client.side);
    side_close(&server.side);
    return 0;
}

START_TEST(functions_are_called_by_each_address)
{
    one_program(is_called, NULL);
}
END_TEST

// ---- many

static int has_many(struct child *self, void *arg)
{
    const uint16_t many = on_verbs() ? 10 : 100; // a virtual machine has little memory
    struct seen server, client;
    uint32_t id;

    (void)self, (void)arg;
    seen_open(&server, NULL, many, true);
    seen_open(&client, server.side.pe, many + 1, true);
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    for (unsigned i = 0; i < many; i++)
        call_here(&client, i);
    await(&client, &client.established, many);
    await(&server, &server.established, many);
    seen_sends(&client, client.latest, &server);
    OK(doca_rdma_connection_get_id(server.latest, &id));
    ck_assert_uint_lt(id, many);
    call_here(&client, many); // there is no room for it
    await(&client, &client.failures, 1);
    ck_assert_uint_eq(server.requests, many);
    ck_assert_uint_eq(client.data.u64, many);
    side_close(&client.side);
    side_close(&server.side);
    return 0;
}

START_TEST(many_connections_to_one_listener)
{
    one_program(has_many, NULL);
}
END_TEST

// ---- two programs

#define DPU_P0 "03:00.0"

static const char *device_of(const struct daemon *daemon)
{
    return daemon == nodes.dpu ? DPU_P0 : HOST_PF0;
}

struct asking {
    const char *pci;
    bool dies;
};

static int serves(struct child *self, void *arg)
{
    struct seen server;

    seen_open_on(&server, arg, NULL, 2, true);
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    child_tell(self, "listening");
    post_receive(&server.side, NULL);
    await_asleep(&server, &server.established, 1);
    sleep_until(&server.side, 0, 1);
    child_tell(self, "received");
    await_asleep(&server, &server.disconnects, 1);
    child_tell(self, "disconnected");
    child_wait(self, "end");
    side_close(&server.side);
    return 0;
}

static int asks(struct child *self, void *arg)
{
    const struct asking *how = arg;
    struct seen client;

    seen_open_on(&client, how->pci, NULL, 1, true);
    call_here(&client, 0);
    await_asleep(&client, &client.established, 1);
    submit_send_imm(&client.side, client.latest, NULL, htonl(7));
    progress_until(&client.side, 1, 0);
    child_tell(self, "sent");
    child_wait(self, "leave");
    if (how->dies) // without a word
        child_wait(self, "never");
    OK(doca_rdma_connection_disconnect(client.latest));
    await(&client, &client.disconnects, 1);
    side_close(&client.side);
    return 0;
}

static void meet(struct daemon *of_server, struct daemon *of_client, bool dies)
{
    struct asking how = {device_of(of_client), dies};
    struct child *server = start_calling(of_server, "server", serves, (void *)device_of(of_server));
    child_wait(server, "listening");
    struct child *client = start_calling(of_client, "client", asks, &how);
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

static int goes_on_serving(struct child *self, void *arg)
{
    struct seen server;

    (void)arg;
    seen_open(&server, NULL, 1, true);
    OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    child_tell(self, "listening");
    post_receive(&server.side, NULL);
    await(&server, &server.established, 1);
    progress_until(&server.side, 0, 1);
    await(&server, &server.disconnects, 1);
    child_wait(self, "end");
    side_close(&server.side);
    return 0;
}

START_TEST(listeners_survive_a_restart)
{
    struct asking how = {HOST_PF0, false};
    struct daemon *d = daemon_start(&(struct daemon_options){.run = manager_run});
    struct child *server = start_calling(d, "server", goes_on_serving, NULL);

    child_wait(server, "listening");
    manager_restart(d, _i ? SIGKILL : SIGTERM);
    struct child *client = start_calling(d, "client", asks, &how);
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
    TCase *tcase = tcase_create("doca3_rdma_cm");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
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
    suite_add_tcase(suite, tcase);
    TCase *restarts = tcase_create("restarts");
    tcase_add_checked_fixture(restarts, env_setup, env_teardown);
    tcase_add_loop_test(restarts, listeners_survive_a_restart, 0, 2);
    suite_add_tcase(suite, restarts);
    return run_suite(suite);
}

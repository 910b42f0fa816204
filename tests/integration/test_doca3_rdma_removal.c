// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The function of an RDMA connection that was made by address is no longer offered: both sides are
// told, their tasks end, the listener ends, calls under way fail, and the contexts go on. When the
// function is back, programs connect again. Where DOCAD_TEST_FUNCTION names an ibverbs device, that
// device is removed.

#include "cleanup.h"
#include "deadline.h"
#include "env.h"
#include "nodes.h"
#include "rdma_cm_3.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define DPU_P0   "03:00.0"
#define DPU_P1   "03:00.1"
#define HOST_PF1 "0b:00.1"

#define FUNCTION(name, pci) "function \"" name "\" {\n type = pf\n pci = \"" pci "\"\n}\n"

// ---- nodes

static const char *const with[] = {FUNCTION("pf0", HOST_PF0), FUNCTION("p0", DPU_P0)};
static const char *const without[] = {FUNCTION("pf1", HOST_PF1), FUNCTION("p1", DPU_P1)};
static const char *const files[] = {"host.conf", "dpu.conf"};

static void start_nodes(void)
{
    struct path host = temp_file(files[0], with[0]), dpu = temp_file(files[1], with[1]);
    nodes.host = daemon_start(&(struct daemon_options){.role = "host", .config = host.s});
    nodes.dpu = daemon_start(
        &(struct daemon_options){.role = "dpu", .config = dpu.s, .peers = {nodes.host->socket.s}});
    daemon_wait_links(nodes.host, 1);
}

static void offer(int node, const char *const functions[2])
{
    (void)temp_file(files[node], functions[node]);
    ck_assert_int_eq(kill((node ? nodes.dpu : nodes.host)->pid, SIGHUP), 0);
}

static void end_nodes(void)
{
    assert_nothing_left();
    for (int i = 0; i < 2; i++) {
        struct path file = temp_file(files[i], "");
        unlink(file.s);
    }
}

// Where the two sides are, and whose function goes; both sleep, or both poll.
static struct plan {
    int server, client, gone;
    bool asleep;
} plan;

static const struct plan plans[] = {
    {0, 0, 0, false}, {0, 0, 0, true}, // one function
    {0, 1, 0, false}, {0, 1, 0, true}, // the server's
    {1, 0, 0, false}, {1, 0, 0, true}, // the client's
};

static const char *device_of(int node)
{
    return node ? DPU_P0 : HOST_PF0;
}

static struct child *start_server(seen_fn fn)
{
    const struct seen_plan server = {.pci = device_of(plan.server), .max = 2, .listens = true};
    struct child *child =
        seen_start_in(plan.server ? nodes.dpu : nodes.host, "server", &server, fn);
    child_wait(child, "listens");
    return child;
}

static struct child *start_client(seen_fn fn)
{
    struct child *child = seen_start_in(plan.client ? nodes.dpu : nodes.host, "client",
                                        &(struct seen_plan){.pci = device_of(plan.client)}, fn);
    child_wait(child, "met");
    return child;
}

// ---- a connection stands

static void hear(struct seen *s, const unsigned *counter)
{
    if (plan.asleep)
        await_asleep(s, counter, 1);
    else
        await(s, counter, 1);
}

static void assert_goes_on(struct seen *s)
{
    enum doca_ctx_states state;
    OK(doca_ctx_get_state(s->side.ctx, &state));
    ck_assert_int_eq(state, DOCA_CTX_STATE_RUNNING);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_disconnect(s->latest));
    ck_assert_uint_eq(s->disconnects, 1);
    ck_assert_uint_eq(s->failures, 0);
}

// Nothing is sent to it: its receives are the context's, and stay.
static void serves(struct seen *s)
{
    child_tell(s->side.self, "listens");
    hear(s, &s->established);
    child_tell(s->side.self, "met");
    hear(s, &s->disconnects);
    assert_goes_on(s);
    post_receive(&s->side, NULL);
    (void)doca_pe_progress(s->side.pe);
    ck_assert_uint_eq(s->side.receives_failed, 0);
    child_tell(s->side.self, "told");
}

// Its task is never received.
static void asks(struct seen *s)
{
    call_here(s, 1);
    hear(s, &s->established);
    submit_send_imm(&s->side, s->latest, NULL, htonl(7));
    child_tell(s->side.self, "met");
    hear(s, &s->disconnects);
    ck_assert_uint_eq(s->side.failed, 1); // told before
    ck_assert_uint_eq(s->data.u64, 1);
    assert_goes_on(s);
    child_tell(s->side.self, "told");
}

START_TEST(both_sides_are_told)
{
    plan = plans[_i];
    start_nodes();
    for (int round = 0; round < 2; round++) { // it is back
        struct child *server = start_server(serves);
        struct child *client = start_client(asks);
        child_wait(server, "met");
        offer(plan.gone, without);
        child_wait(client, "told");
        child_wait(server, "told");
        child_join(client);
        child_join(server);
        offer(plan.gone, with);
        daemon_wait_logged(plan.gone ? nodes.dpu : nodes.host,
                           plan.gone ? "function p0 is new" : "function pf0 is new");
    }
    end_nodes();
}
END_TEST

// ---- a call is under way

// The program has not decided when its function, or the caller's, goes.
static void decides_too_late(struct seen *s)
{
    s->defers = true;
    child_tell(s->side.self, "listens");
    hear(s, &s->requests);
    child_tell(s->side.self, "met");
    child_wait(s->side.self, "decide");
    doca_error_t r = doca_rdma_connection_accept(s->asks, NULL, 0);
    if (r == DOCA_SUCCESS)
        hear(s, &s->failures);
    else
        ck_assert_int_eq(r, DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_uint_eq(s->established, 0);
    child_tell(s->side.self, "told");
}

static void calls_in_vain(struct seen *s)
{
    call_here(s, 2);
    child_tell(s->side.self, "met");
    hear(s, &s->failures);
    ck_assert_uint_eq(s->data.u64, 2);
    ck_assert_uint_eq(s->established + s->disconnects, 0);
    child_tell(s->side.self, "told");
}

START_TEST(a_call_fails)
{
    plan = plans[_i];
    start_nodes();
    struct child *server = start_server(decides_too_late);
    struct child *client = start_client(calls_in_vain);
    child_wait(server, "met");
    offer(plan.gone, without);
    daemon_wait_logged(plan.gone ? nodes.dpu : nodes.host,
                       plan.gone ? "function p0 is gone" : "function pf0 is gone");
    child_tell(server, "decide");
    child_wait(server, "told");
    child_wait(client, "told");
    child_join(client);
    child_join(server);
    end_nodes();
}
END_TEST

// Nobody listens.
START_TEST(a_call_that_waits_fails)
{
    plan = (struct plan){0, 0, 0, _i};
    start_nodes();
    struct child *client = start_client(calls_in_vain);
    offer(plan.gone, without);
    child_wait(client, "told");
    child_join(client);
    end_nodes();
}
END_TEST

// ---- an ibverbs device

// Ends when nobody uses the device any more.
static int removes(struct child *self, void *arg)
{
    (void)self, (void)arg;
    execlp("rdma", "rdma", "link", "delete", getenv("DOCAD_TEST_FUNCTION"), NULL);
    return 1;
}

// librdmacm tells of it.
START_TEST(a_device_is_removed)
{
    plan = (struct plan){0, 0, 0, _i};
    nodes.host = daemon_start(&(struct daemon_options){.role = "host"});
    struct child *server = start_server(serves);
    struct child *client = start_client(asks);
    child_wait(server, "met");
    struct child *removal = child_start(NULL, "removal", removes, NULL);
    child_wait(client, "told");
    child_wait(server, "told");
    child_join(client);
    child_join(server);
    child_join(removal);
    assert_baseline(nodes.host);
}
END_TEST

// One device is enough for one of these: CK_RUN_CASE says which.
static int run_on_device(void)
{
    Suite *suite = suite_create("doca3_rdma_removal");
    static const char *const names[] = {"polls", "sleeps"};
    for (int i = 0; i < 2; i++) {
        TCase *tcase = tcase_create(names[i]);
        tcase_add_checked_fixture(tcase, env_setup, env_teardown);
        tcase_add_loop_test(tcase, a_device_is_removed, i, i + 1);
        suite_add_tcase(suite, tcase);
    }
    return run_suite(suite);
}

int main(void)
{
    if (on_verbs())
        return run_on_device();
    Suite *suite = suite_create("doca3_rdma_removal");
    TCase *tcase = tcase_create("doca3_rdma_removal");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, both_sides_are_told, 0, ARRAY_SIZE(plans));
    tcase_add_loop_test(tcase, a_call_fails, 0, ARRAY_SIZE(plans));
    tcase_add_loop_test(tcase, a_call_that_waits_fails, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

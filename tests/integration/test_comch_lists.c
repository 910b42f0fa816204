// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docactl shows of Comch: connections, consumers and producers.

#include "comch/comch.h"
#include "comch_path.h"
#include "env.h"
#include "manager.h"
#include "nodes.h"
#include "restarts.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static struct command_result result;

static void consumes(struct receiver *r)
{
    child_tell(r->self, "runs");
    child_wait(r->self, "end");
    receiver_end(r);
    doca_pe_progress(r->end->pe); // tells the other side
    child_tell(r->self, "ended");
}

static void produces(struct sender *s)
{
    child_tell(s->self, "knows it");
    UNTIL(s->end, known.expired == 1);
    sender_end(s);
    child_tell(s->self, "expired");
}

// The first line of the list, or nothing.
static const char *line_of(const struct daemon *daemon, const char *const words[])
{
    command_run(daemon, words, &result);
    ck_assert_msg(result.status == 0, "%s", result.err);
    result.out[strcspn(result.out, "\n")] = '\0';
    return result.out;
}

#define LINE_OF(daemon, ...)                                                                       \
    line_of(daemon, (const char *const[]){"docactl", __VA_ARGS__, "--no-headers", NULL})

static void assert_end(const struct daemon *daemon, const char *kind)
{
    char filter[32];
    unsigned long long channel, of_end, other;
    unsigned consumer;
    char node[64], state[16];
    ck_assert_int_eq(sscanf(LINE_OF(daemon, "channels", "--columns", "id"), "%llu", &channel), 1);
    snprintf(filter, sizeof(filter), "kind=%s", kind);
    const char *line = LINE_OF(daemon, "queues", "--filter", filter, "--columns",
                               "channel_id,consumer,state,peer");
    ck_assert_msg(sscanf(line, "%llu %u %15s %63s %llu", &of_end, &consumer, state, node, &other) ==
                      5,
                  "%s: '%s'", kind, line);
    ck_assert_uint_eq(of_end, channel);
    ck_assert_uint_eq(consumer, 1);
    ck_assert_str_eq(state, "live");
    ck_assert_str_eq(node, daemon == nodes.dpu ? "host" : "dpu");
}

static void assert_ends(void)
{
    assert_end(nodes.dpu, "consumer");
    assert_end(nodes.host, "producers");
    ck_assert_str_eq(LINE_OF(nodes.host, "queues", "--filter", "kind=rdma"), "");
}

static void assert_far_end(const struct daemon *daemon, const char *kind)
{
    char filter[32], state[16], path[16], peer[32];
    unsigned consumer;
    snprintf(filter, sizeof(filter), "kind=%s", kind);
    const char *line =
        LINE_OF(daemon, "queues", "--filter", filter, "--columns", "consumer,state,path,peer");
    ck_assert_msg(sscanf(line, "%u %15s %15s %31s", &consumer, state, path, peer) == 4, "%s: '%s'",
                  kind, line);
    ck_assert_uint_eq(consumer, 1);
    ck_assert_str_eq(state, "live");
    ck_assert_str_eq(path, "relayed");
    ck_assert_str_eq(peer, daemon == nodes.dpu ? "host" : "dpu");
}

// Between machines each consumer has a channel of its own, beside that of the connection.
static unsigned n_channels(const struct daemon *daemon)
{
    static const char *const words[] = {"docactl", "channels",     "--columns",
                                        "id",      "--no-headers", NULL};
    unsigned n = 0;
    command_run(daemon, words, &result);
    ck_assert_msg(result.status == 0, "%s", result.err);
    for (const char *c = result.out; *c; c++)
        n += *c == '\n';
    return n;
}

START_TEST(ends_between_machines)
{
    struct pair pair = pair_start(CONSUMES(consumes), PRODUCES(produces));
    child_wait(pair.server, "runs");
    child_wait(pair.client, "knows it");
    assert_far_end(nodes.dpu, "consumer");
    assert_far_end(nodes.host, "producers");
    ck_assert_uint_eq(n_channels(nodes.host), 2);
    ck_assert_uint_eq(n_channels(nodes.dpu), 2);
    child_tell(pair.server, "end");
    child_wait(pair.server, "ended");
    child_wait(pair.client, "expired");
    ck_assert_uint_eq(n_channels(nodes.host), 1);
    ck_assert_uint_eq(n_channels(nodes.dpu), 1);
    pair_end(&pair);
}
END_TEST

// A docad that is restarted still knows what they are.
START_TEST(ends_of_the_fast_path)
{
    restarted_start(false);
    nodes = restarted_nodes;
    struct pair pair = pair_start(CONSUMES(consumes), PRODUCES(produces));
    child_wait(pair.server, "runs");
    child_wait(pair.client, "knows it");
    assert_ends();
    manager_restart(nodes.dpu, SIGTERM);
    manager_restart(nodes.host, SIGKILL);
    assert_ends();
    child_tell(pair.server, "end");
    child_wait(pair.server, "ended");
    child_wait(pair.client, "expired");
    ck_assert_str_eq(LINE_OF(nodes.dpu, "queues", "--filter", "kind=consumer"), "");
    ck_assert_str_eq(LINE_OF(nodes.host, "queues", "--filter", "kind=producers"), "");
    pair_end(&pair);
    restarted_stop();
}
END_TEST

// ---- clients that wait -------------------------------------------------------------------------

#define AWAITED "missing"

// It has asked again.
static void waits(struct end *e)
{
    const struct comch_end *end = (const struct comch_end *)e->client;

    REFUSED(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(e->ctx));
    child_tell(e->self, "waits");
    PROGRESS_UNTIL(e->pe, end->tries > 2);
    child_tell(e->self, "has asked again");
}

static void waits_and_stops(struct end *e)
{
    waits(e);
    child_wait(e->self, "stop");
    if (doca_ctx_stop(e->ctx) != DOCA_SUCCESS)
        PROGRESS_UNTIL(e->pe, e->state == DOCA_CTX_STATE_IDLE);
    child_tell(e->self, "stopped");
    child_wait(e->self, "end");
}

static void waits_and_joins(struct end *e)
{
    waits(e);
    UNTIL(e, e->state == DOCA_CTX_STATE_RUNNING);
    child_tell(e->self, "joined");
    child_wait(e->self, "leave");
}

static void waits_and_stays(struct end *e)
{
    waits(e);
    end_stay(e);
}

static const struct end_plan awaiting = {.name = AWAITED};

// Returns its number.
static unsigned long long assert_waits(const struct child *client)
{
    char name[32], function[32];
    unsigned long long id, ms;
    unsigned pid;
    const char *line = LINE_OF(nodes.host, "channels", "--filter", "state=waiting", "--columns",
                               "id,pid,side,function,service");

    ck_assert_msg(sscanf(line, "%llu %u client %31s %31s", &id, &pid, function, name) == 4, "'%s'",
                  line);
    ck_assert_uint_eq(pid, (unsigned)client->pid);
    ck_assert_str_eq(function, "pf0");
    ck_assert_str_eq(name, AWAITED);
    ck_assert_uint_eq(n_channels(nodes.host), 1);
    static const char *const json[] = {"docactl", "channels", "--json", NULL};
    command_run(nodes.host, json, &result);
    const char *at = strstr(result.out, "\"waiting_ms\":");
    ck_assert_msg(at && sscanf(at, "\"waiting_ms\":%llu", &ms) == 1, "%s", result.out);
    ck_assert_ptr_nonnull(strstr(result.out, "\"state\":\"waiting\""));
    return id;
}

static struct child *start_waiting(end_fn fn, unsigned long long *id)
{
    struct child *client = end_make_in(&awaiting, "client", fn);

    child_wait(client, "waits");
    *id = assert_waits(client);
    child_wait(client, "has asked again");
    ck_assert_uint_eq(assert_waits(client), *id);
    ck_assert_uint_eq(daemon_metric(nodes.host, "docad_channels"), 0);
    return client;
}

START_TEST(a_client_that_waits_and_stops)
{
    unsigned long long id;
    struct child *client = start_waiting(waits_and_stops, &id);

    child_tell(client, "stop");
    child_wait(client, "stopped");
    ck_assert_uint_eq(n_channels(nodes.host), 0);
    child_tell(client, "end");
    child_join(client);
}
END_TEST

static void serves_until_left(struct end *e)
{
    UNTIL(e, e->left == 1);
}

START_TEST(a_client_that_waits_is_connected)
{
    static const struct end_plan serves = {.name = AWAITED, .serves = true};
    unsigned long long id, joined;
    struct child *client = start_waiting(waits_and_joins, &id);
    struct child *server = end_start_in(&serves, "server", serves_until_left);

    child_wait(client, "joined");
    ck_assert_int_eq(
        sscanf(LINE_OF(nodes.host, "channels", "--filter", "state=connected", "--columns", "id"),
               "%llu", &joined),
        1);
    ck_assert_uint_eq(joined, id);
    ck_assert_uint_eq(n_channels(nodes.host), 1);
    ck_assert_uint_eq(daemon_metric(nodes.host, "docad_channels"), 1);
    child_tell(client, "leave");
    child_join(client);
    child_join(server);
}
END_TEST

START_TEST(a_client_that_waits_and_dies)
{
    unsigned long long id;
    child_kill(start_waiting(waits_and_stays, &id));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("comch_lists");
    TCase *tcase = tcase_create("comch_lists");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, ends_of_the_fast_path);
    suite_add_tcase(suite, tcase);
    tcase_add_test(case_apart(suite), ends_between_machines);
    TCase *near = case_near_shared(suite), *apart = case_apart_shared(suite);
    tcase_add_test(near, a_client_that_waits_and_stops);
    tcase_add_test(near, a_client_that_waits_is_connected);
    tcase_add_test(near, a_client_that_waits_and_dies);
    tcase_add_test(apart, a_client_that_waits_and_stops);
    tcase_add_test(apart, a_client_that_waits_is_connected);
    return run_suite(suite);
}

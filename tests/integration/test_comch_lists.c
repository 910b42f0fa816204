// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docactl shows of Comch: connections, consumers and producers.

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

int main(void)
{
    Suite *suite = suite_create("comch_lists");
    TCase *tcase = tcase_create("comch_lists");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, ends_of_the_fast_path);
    suite_add_tcase(suite, tcase);
    tcase_add_test(case_apart(suite), ends_between_machines);
    return run_suite(suite);
}

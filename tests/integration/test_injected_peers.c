// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad-run --faults: connections that break, for the program and for its peer.

#include "child.h"
#include "nodes.h"
#include "run.h"
#include "text_names.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char docad_run[] = DOCAD_BIN_DIR "/docad-run";
static struct command_result result;

// A program with rules of its own.
static void add_program(const char **argv, size_t *n, const char *rules, const char *const words[2])
{
    const char *const all[] = {docad_run, "--quiet", "--faults", rules, words[0], words[1]};
    for (size_t i = rules ? 0 : 4; i < 6 && all[i]; i++)
        argv[(*n)++] = all[i];
}

// Both programs of a pair, with the rules of each (NULL: none).
static void run_pair(const char *of_host, const char *of_dpu, const char *const host[2],
                     const char *const dpu[2])
{
    const char *argv[32] = {"docad-run", "--quiet", "--pair",    "--first",
                            "dpu",       "--ready", "listening", "--"};
    size_t n = 8;
    add_program(argv, &n, of_host, host);
    argv[n++] = "--";
    add_program(argv, &n, of_dpu, dpu);
    argv[n] = NULL;
    command_run(NULL, argv, &result);
}

static const char *const comch_host[2] = {DROPPED_PEER, "client"};
static const char *const comch_dpu[2] = {DROPPED_PEER, "server"};

START_TEST(comch_is_whole)
{
    run_pair(NULL, NULL, comch_host, comch_dpu);
    ck_assert_msg(result.status == 0, "status %d: %s%s", result.status, result.out, result.err);
    assert_names(result.out, "client: 10 sent, 10 received, done");
}
END_TEST

// Messages are counted in both directions: the third is the second that the client sends.
START_TEST(comch_client_loses_its_server)
{
    static const char line[] = "--- fault 1 injected: message 3 of comch: the peer is dropped, by "
                               "'comch: drop peer after 3 messages' ---";
    struct path trace = temp_path("trace");
    char of_host[160], of_dpu[160];
    snprintf(of_host, sizeof(of_host), "%s.host", trace.s);
    snprintf(of_dpu, sizeof(of_dpu), "%s.dpu", trace.s);
    setenv("DOCAD_TRACE", trace.s, 1);
    run_pair("comch: drop peer after 3 messages", NULL, comch_host, comch_dpu);
    unsetenv("DOCAD_TRACE");
    ck_assert_msg(result.status == 0, "status %d: %s%s", result.status, result.out, result.err);
    assert_names(result.out, "client: 2 sent, 1 received, lost");
    assert_names(result.out, "server: 2 received, 1 left");
    assert_names(result.err, "fault 1: message 3 of comch: the peer is dropped");
    command_run(NULL, (const char *const[]){"/bin/grep", "-c", "-e", line, of_host, NULL}, &result);
    ck_assert_str_eq(result.out, "1\n");
    unlink(of_host);
    unlink(of_dpu);
}
END_TEST

START_TEST(comch_server_loses_its_client)
{
    run_pair(NULL, "comch: drop peer after 5 messages", comch_host, comch_dpu);
    ck_assert_msg(result.status == 0, "status %d: %s%s", result.status, result.out, result.err);
    assert_names(result.out, "lost");
    assert_names(result.out, "server: 3 received, 1 left");
}
END_TEST

// ---- the Comm Channel of DOCA 2.2

static const char *const channel_host[2] = {DOCAD_BIN_DIR "/comm_channel_client", NULL};
static const char *const channel_dpu[2] = {DOCAD_BIN_DIR "/comm_channel_server", NULL};

START_TEST(channel_is_whole)
{
    run_pair(NULL, NULL, channel_host, channel_dpu);
    ck_assert_msg(result.status == 0, "status %d: %s%s", result.status, result.out, result.err);
    assert_names(result.out, "host: received: Message from the server");
}
END_TEST

START_TEST(channel_client_loses_its_server)
{
    run_pair("comm_channel: drop after 1 message", NULL, channel_host, channel_dpu);
    ck_assert_msg(result.status == 1, "status %d: %s%s", result.status, result.out, result.err);
    assert_names(result.err, "DOCA_ERROR_CONNECTION_RESET");
    assert_names(result.err, "message 1 of comm_channel: the peer is dropped");
    ck_assert_ptr_null(strstr(result.out, "host: received"));
}
END_TEST

START_TEST(channel_server_loses_its_client)
{
    run_pair(NULL, "comm_channel: drop after 1 message", channel_host, channel_dpu);
    ck_assert_msg(result.status == 1, "status %d: %s%s", result.status, result.out, result.err);
    assert_names(result.err, "message 1 of comm_channel: the peer is dropped");
    ck_assert_ptr_null(strstr(result.out, "host: received"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("injected_peers");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, comch_is_whole);
    tcase_add_test(tcase, comch_client_loses_its_server);
    tcase_add_test(tcase, comch_server_loses_its_client);
    tcase_add_test(tcase, channel_is_whole);
    tcase_add_test(tcase, channel_client_loses_its_server);
    tcase_add_test(tcase, channel_server_loses_its_client);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

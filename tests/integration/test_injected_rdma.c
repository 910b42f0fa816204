// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad-run --faults: RDMA connections of DOCA 2.2 that share a work queue. This program is also
// the one that docad-run starts.

#include "nodes.h"
#include "rdma_setting.h"
#include "text_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct command_result result;
static char self[4096];

// ---- the program

// Puts the second instance on the work queue of the first.
static void share_queue(const struct peer *first, struct peer *second)
{
    ck_assert_success(doca_ctx_workq_rm(second->ctx, second->workq));
    ck_assert_success(doca_workq_destroy(second->workq));
    second->workq = first->workq;
    ck_assert_success(doca_ctx_workq_add(second->ctx, second->workq));
}

static void close_on_shared(struct peer *second, struct doca_buf *in_flight)
{
    ck_assert_success(doca_ctx_workq_rm(second->ctx, second->workq));
    drop(in_flight);
    ck_assert_success(doca_workq_create(1, &second->workq));
    ck_assert_success(doca_ctx_workq_add(second->ctx, second->workq));
    peer_close(second);
}

static bool twice; // the first writes twice

// The last job that is submitted is the second's, the events are the first's.
START_TEST(write_with_two)
{
    static struct peer first, second, far[2];
    const struct peer_plan plan = {.pci = HOST_PF0};
    struct peer *all[] = {&first, &second, &far[0], &far[1]};
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        peer_open(all[i], &plan);
    share_queue(&first, &second);
    connect_both(&first, &far[0]);
    connect_both(&second, &far[1]);
    struct blob map = peer_export_map(&far[0]);
    peer_import(&first, &map);
    struct doca_buf *to = peer_remote_buf(&first, 0, 64), *from = peer_buf(&first, 0, 64);
    struct doca_buf *room = peer_room(&second, 0, 64);
    for (int i = 0; i <= twice; i++)
        ck_assert_success(peer_try_access(&first, DOCA_RDMA_JOB_WRITE, to, from));
    ck_assert_success(peer_try_recv(&second, room));
    for (int i = 0; i <= twice; i++)
        ck_assert_success(peer_wait(&first));
    printf("first: %d, second: %d\n", peer_state(&first) == DOCA_RDMA_STATE_CONNECTED,
           peer_state(&second) == DOCA_RDMA_STATE_CONNECTED);
    drop(to);
    drop(from);
    close_on_shared(&second, room);
    peer_close(&first);
    peer_close(&far[0]);
    peer_close(&far[1]);
}
END_TEST

// What the helpers of tests assert, they assert in a test.
static int program(void)
{
    Suite *suite = suite_create("program");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, write_with_two);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed;
}

// ---- the tests

static void run(const char *rules, const char *more)
{
    command_run(nodes.host,
                (const char *const[]){"docad-run", "--quiet", "--faults", rules, self, "program",
                                      more, NULL},
                &result);
    ck_assert_msg(result.status == 0, "status %d: %s%s", result.status, result.out, result.err);
}

START_TEST(connection_of_the_event_breaks)
{
    run("rdma: drop peer after 1 operation", NULL);
    assert_names(result.err, "operation 1 of rdma: the peer is dropped");
    assert_names(result.out, "first: 0, second: 1");
}
END_TEST

// The second write was done before the connection broke.
START_TEST(connection_that_has_ended_is_not_dropped)
{
    run("rdma: drop peer, every 1st", "twice");
    assert_names(result.err, "fault 1: operation 1 of rdma: the peer is dropped");
    assert_names(result.err, "fault 2: operation 2 of rdma: not possible");
    assert_names(result.out, "first: 0, second: 1");
}
END_TEST

START_TEST(connections_are_whole)
{
    run("rdma: drop peer after 2 operations", NULL);
    ck_assert_ptr_null(strstr(result.err, "fault"));
    assert_names(result.out, "first: 1, second: 1");
}
END_TEST

int main(int argc, char **argv)
{
    twice = argc > 2 && strcmp(argv[2], "twice") == 0;
    if (argc > 1 && strcmp(argv[1], "program") == 0)
        return program();
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) <= 0)
        return 1;
    Suite *suite = suite_create("injected_rdma");
    TCase *tcase = case_near_shared(suite);
    tcase_add_test(tcase, connection_of_the_event_breaks);
    tcase_add_test(tcase, connection_that_has_ended_is_not_dropped);
    tcase_add_test(tcase, connections_are_whole);
    return run_suite(suite);
}

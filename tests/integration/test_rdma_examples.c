// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The RDMA examples, pair by pair and in either order, on one node and across two; on an
// ibverbs device where DOCAD_TEST_FUNCTION names one.

#include "cleanup.h"
#include "deadline.h"
#include "example_run.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct side {
    const struct daemon *daemon;
    const char *program, *device, *own, *other, *text;
    const char *expected;
};

static int runs(struct child *self, void *arg)
{
    const struct side *s = arg;
    (void)self;
    run_example_well(s->daemon, (const char *const[]){s->program, "-p", s->device, s->own, s->other,
                                                      s->text, NULL});
    // An ibverbs device is also logged.
    const char *out = result.out;
    while (*out == '[' && strchr(out, '\n'))
        out = strchr(out, '\n') + 1;
    ck_assert_str_eq(out, s->expected);
    return 0;
}

static const struct {
    const char *first, *second, *text_of_first, *text_of_second, *says_first, *says_second;
} pairs[] = {
    {"rdma_write_requester", "rdma_write_responder", NULL, NULL, "wrote 14 bytes: Hi DOCA RDMA!\n",
     "found: Hi DOCA RDMA!\n"},
    {"rdma_write_requester", "rdma_write_responder", "other", NULL, "wrote 6 bytes: other\n",
     "found: other\n"},
    {"rdma_read_requester", "rdma_read_responder", NULL, "words",
     "read 256 bytes: words\nthe word was 0\n", "the word is 1\n"},
    {"rdma_send_immediate", "rdma_receive_immediate", NULL, NULL, "sent 14 bytes: Hi DOCA RDMA!\n",
     "received 14 bytes: Hi DOCA RDMA!, immediate 0xABCD\n"},
};

// It has written what the other one waits for.
static void await_file(const char *path)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (access(path, R_OK) != 0)
        ck_assert_msg(deadline_pause(deadline), "%s is not written", path);
}

// The second one begins when the first one waits for it.
static void run_in_turn(struct side *first, struct side *second)
{
    struct child *one = child_start(NULL, "first", runs, first);
    await_file(first->own);
    struct child *other = child_start(NULL, "second", runs, second);
    child_join(one);
    child_join(other);
}

START_TEST(pairs_of_programs)
{
    bool two = _i % 2 == 1, reverse = _i / 2 == 1;
    nodes = node_pair_start();
    const char *verbs = getenv("DOCAD_TEST_FUNCTION");
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        struct path a = temp_path("a"), b = temp_path("b");
        const char *device = verbs ? verbs : "0b:00.0";
        const char *far = verbs ? verbs : two ? "03:00.1" : "pf1";
        struct side first = {
            nodes.host,         pairs[i].first, device, a.s, b.s, pairs[i].text_of_first,
            pairs[i].says_first};
        struct side second = {two ? nodes.dpu : nodes.host, pairs[i].second,     far, b.s, a.s,
                              pairs[i].text_of_second,      pairs[i].says_second};
        run_in_turn(reverse ? &second : &first, reverse ? &first : &second);
        // The next two begin anew.
        ck_assert_int_lt(access(a.s, F_OK), 0);
        ck_assert_int_lt(access(b.s, F_OK), 0);
        assert_baseline(nodes.host);
        assert_baseline(nodes.dpu);
    }
}
END_TEST

static int runs_alone(struct child *self, void *arg)
{
    const struct side *s = arg;
    (void)self;
    freopen("/dev/null", "w", stderr);
    execl(DOCAD_BIN_DIR "/rdma_write_responder", "rdma_write_responder", "-p", s->device, s->own,
          s->other, NULL);
    return 1;
}

// The program that wrote the file was killed, so that it stayed: the other one waits for the next.
START_TEST(a_file_of_a_killed_program)
{
    nodes = node_pair_start();
    struct path a = temp_path("a"), b = temp_path("b");
    struct side first = {nodes.host, "rdma_write_requester",           "0b:00.0", a.s, b.s,
                         NULL,       "wrote 14 bytes: Hi DOCA RDMA!\n"};
    struct side second = {nodes.host, "rdma_write_responder",  "pf1", b.s, a.s,
                          NULL,       "found: Hi DOCA RDMA!\n"};
    struct child *killed = child_start(nodes.host, "killed", runs_alone, &second);
    await_file(b.s);
    child_kill(killed);
    assert_baseline(nodes.host);
    struct child *one = child_start(NULL, "first", runs, &first);
    struct child *other = child_start(NULL, "second", runs, &second);
    child_join(one);
    child_join(other);
}
END_TEST

static Suite *examples_suite(void)
{
    Suite *suite = suite_create("rdma examples");
    TCase *tcase = tcase_create("pairs");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, pairs_of_programs, 0, 4);
    if (!getenv("DOCAD_TEST_FUNCTION")) // an ibverbs device does not know who has ended
        tcase_add_test(tcase, a_file_of_a_killed_program);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return run_suite(examples_suite());
}

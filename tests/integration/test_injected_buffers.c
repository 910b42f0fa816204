// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad-run --faults: messages of Comch's producers and consumers are counted, and break their
// connection; in programs of DOCA 3 and of 2.5.

#include "child.h"
#include "nodes.h"
#include "run.h"
#include "text_names.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const char docad_run[] = DOCAD_BIN_DIR "/docad-run";
static const char *const programs[] = {DROPPED_BUFFERS, DROPPED_BUFFERS_2_5};
static struct command_result result;

// One of the two sides has rules.
static void run_pair(const char *program, const char *side, const char *rules)
{
    const char *argv[32] = {docad_run, "--quiet", "--pair",   "--first",
                            "dpu",     "--ready", "listening"};
    static const char *const roles[] = {"producer", "consumer"}; // of the host, of the DPU
    size_t n = 7;
    for (size_t i = 0; i < 2; i++) {
        argv[n++] = "--";
        if (side && strcmp(side, roles[i]) == 0) {
            argv[n++] = docad_run;
            argv[n++] = "--quiet";
            argv[n++] = "--faults";
            argv[n++] = rules;
        }
        argv[n++] = program;
        argv[n++] = roles[i];
    }
    command_run(NULL, argv, &result);
    ck_assert_msg(result.status == 0, "status %d: %s%s", result.status, result.out, result.err);
}

START_TEST(all_arrive)
{
    run_pair(programs[_i], NULL, NULL);
    assert_names(result.out, "producer: 10 sent, 0 failed, done");
    assert_names(result.out, "consumer: 10 received, 6 failed");
}
END_TEST

// What was sent before the drop arrives.
START_TEST(producer_loses_its_consumer)
{
    run_pair(programs[_i], "producer", "comch: drop peer after 3 messages");
    assert_names(result.err, "fault 1: message 3 of comch: the peer is dropped");
    assert_names(result.out, "producer: 3 sent, 1 failed, lost");
    assert_names(result.out, "consumer: 3 received, 13 failed");
}
END_TEST

// All messages are there before the first is received, and the program gets three of them.
START_TEST(consumer_loses_its_producer)
{
    run_pair(programs[_i], "consumer", "comch: drop peer after 4 messages");
    assert_names(result.err, "fault 1: message 4 of comch: the peer is dropped");
    assert_names(result.out, "producer: 10 sent, 0 failed, lost");
    assert_names(result.out, "consumer: 3 received, 13 failed");
}
END_TEST

// A second fault finds the connection broken, and breaks nothing else.
START_TEST(only_one_breaks_it)
{
    run_pair(programs[_i], "producer", "comch: drop peer, every 2nd");
    assert_names(result.out, "producer: 2 sent, 1 failed, lost");
    ck_assert_ptr_null(strstr(result.err, "fault 2"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("injected_buffers");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, all_arrive, 0, 2);
    tcase_add_loop_test(tcase, producer_loses_its_consumer, 0, 2);
    tcase_add_loop_test(tcase, consumer_loses_its_producer, 0, 2);
    tcase_add_loop_test(tcase, only_one_breaks_it, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

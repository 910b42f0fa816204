// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad-run --faults: calls and tasks of a program fail as rules say.

#include "child.h"
#include "nodes.h"
#include "run.h"
#include "text_names.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct command_result result;
static const char program[] = DOCAD_BIN_DIR "/dma_task";
static const char local_copy[] = DOCAD_BIN_DIR "/dma_local_copy";
static const char exporter[] = DOCAD_BIN_DIR "/file_export";
static const char fetcher[] = DOCAD_BIN_DIR "/file_fetch";
static const char docad_run[] = DOCAD_BIN_DIR "/docad-run";

// dma_task copies by one task, with two buffers.
static int run_with(const char *rules)
{
    command_run(nodes.dpu,
                (const char *const[]){"docad-run", "--quiet", "--faults", rules, program, NULL},
                &result);
    return result.status;
}

static void assert_fine(const char *rules)
{
    ck_assert_msg(run_with(rules) == 0, "%s: status %d: %s", rules, result.status, result.err);
    assert_names(result.out, "Hello");
}

static void assert_fails(const char *rules, const char *error)
{
    ck_assert_msg(run_with(rules) == 1, "%s: status %d: %s", rules, result.status, result.err);
    assert_names(result.err, error);
    ck_assert_str_eq(result.out, "");
}

START_TEST(function_fails)
{
    assert_fails("doca_dma_create: NO_MEMORY", "DOCA_ERROR_NO_MEMORY");
    assert_names(result.err, "doca_dma_create");
    assert_fails("doca_ctx_start: DRIVER", "DOCA_ERROR_DRIVER");
    assert_fails("doca_mmap_*: ANY, once", "DOCA_ERROR_NO_MEMORY");
}
END_TEST

// The path of the memory of counts may lead to another file by now: in another PID namespace, or
// after docad-run has ended.
START_TEST(memory_of_another_size_is_not_used)
{
    struct path path = temp_path("short");
    FILE *file = fopen(path.s, "w");
    ck_assert_ptr_nonnull(file);
    fputs("short", file);
    fclose(file);
    setenv("DOCAD_FAULTS_SHARED", path.s, 1);
    assert_fine("doca_rdma_*: FULL");
    assert_fails("doca_dma_create: NO_MEMORY", "DOCA_ERROR_NO_MEMORY");
    unlink(path.s);
}
END_TEST

START_TEST(only_some_calls_fail)
{
    assert_fails("doca_buf_inventory_buf_get_by_args: FULL, 2nd", "DOCA_ERROR_FULL");
    assert_names(result.err, "2");
    assert_fine("doca_buf_inventory_buf_get_by_args: FULL, 3rd");
    assert_fine("doca_buf_inventory_buf_get_by_args: FULL, after 2");
    assert_fine("doca_rdma_*: FULL");
}
END_TEST

// What the program calls counts, and not what the library itself calls for that.
START_TEST(task_fails)
{
    assert_fails("dma.memcpy: IO_FAILED", "DOCA_ERROR_IO_FAILED");
    assert_names(result.err, "dma.memcpy");
    assert_fails("dma.*: NOT_PERMITTED", "DOCA_ERROR_NOT_PERMITTED");
    assert_fine("dma.memcpy: IO_FAILED, 2nd");
    assert_fine("sha.hash: IO_FAILED");
}
END_TEST

// Of a work queue.
START_TEST(job_fails)
{
    static const char *const rules[] = {"dma.job: NOT_FOUND", "dma.job: NOT_FOUND, 2nd"};
    for (int i = 0; i < 2; i++) {
        command_run(
            nodes.dpu,
            (const char *const[]){"docad-run", "--quiet", "--faults", rules[i], local_copy, NULL},
            &result);
        ck_assert_msg(result.status == !i, "%s: status %d: %s", rules[i], result.status,
                      result.err);
    }
    ck_assert_str_eq(result.out, "copied 12 bytes: Hello, DMA!\n");
}
END_TEST

// A sleep may be longer than was asked for, and is not shorter.
START_TEST(call_takes_longer)
{
    command_run(nodes.dpu,
                (const char *const[]){"docad-run", "--quiet", "--trace", "--faults",
                                      "doca_pe_create: delay 20ms", program, NULL},
                &result);
    ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.err);
    const char *call = strstr(result.err, " doca_pe_create("),
               *took = call ? strchr(call, '<') : NULL;
    ck_assert_ptr_nonnull(took);
    char *unit;
    double number = strtod(took + 1, &unit);
    double ms = strncmp(unit, "ms", 2) == 0  ? number
                : strncmp(unit, "s", 1) == 0 ? 1e3 * number
                                             : 0;
    ck_assert_msg(ms >= 20, "%.20s", took);
    while (waitpid(-1, NULL, 0) > 0)
        ; // the writer of the trace has no other parent
}
END_TEST

START_TEST(trace_shows_what_was_injected)
{
    command_run(nodes.dpu,
                (const char *const[]){"docad-run", "--quiet", "--trace", "--faults",
                                      "dma.memcpy: TIME_OUT", program, NULL},
                &result);
    ck_assert_int_eq(result.status, 1);
    ck_assert_ptr_nonnull(strstr(result.err, "completed: DOCA_ERROR_TIME_OUT"));
    ck_assert_ptr_nonnull(strstr(result.err, "= DOCA_ERROR_TIME_OUT (injected)"));
    ck_assert_ptr_nonnull(strstr(result.err, "--- fault 1 injected: completion 1 of dma.memcpy: "
                                             "DOCA_ERROR_TIME_OUT, by 'dma.memcpy: TIME_OUT' ---"));
    while (waitpid(-1, NULL, 0) > 0)
        ;
}
END_TEST

// Each with its number and its rule, in both formats.
START_TEST(trace_has_every_kind)
{
    static const char rules[] = "doca_pe_create: delay 1us; dma.memcpy: IO_FAILED, 2nd, fatal; "
                                "dma.memcpy: stall until signal, 1st; doca_dma_create: ANY, 2nd";
    static const char *const lines[] = {
        "--- fault 1 injected: call 1 of doca_pe_create: delayed by 1000 ns, by 'doca_pe_create: "
        "delay 1us' ---",
        "--- fault 2 injected: completion 1 of dma.memcpy: waits for SIGUSR2 for process ",
        "--- fault 3 injected: completion 2 of dma.memcpy: DOCA_ERROR_IO_FAILED, and the context "
        "stops, by 'dma.memcpy: IO_FAILED, 2nd, fatal' ---"};
    static const char json[] = "\"cat\":\"fault\",\"name\":\"fault 3\",\"args\":{\"place\":"
                               "\"completion 2 of dma.memcpy\",\"happened\":";
    for (int i = 0; i < 2; i++) {
        command_run(nodes.dpu,
                    (const char *const[]){"docad-run", "--quiet", "--trace", "--trace-format",
                                          i ? "json" : "text", "--faults", rules, FAULTED_TASKS,
                                          "SIGUSR2", NULL},
                    &result);
        ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.err);
        for (size_t k = 0; !i && k < sizeof(lines) / sizeof(lines[0]); k++)
            ck_assert_msg(strstr(result.err, lines[k]), "%s: %s", lines[k], result.err);
        ck_assert(!i || strstr(result.err, json));
        while (waitpid(-1, NULL, 0) > 0)
            ;
    }
}
END_TEST

START_TEST(rules_in_a_file)
{
    struct path file = temp_file("rules", "# what fails\n"
                                          "doca_pe_create: delay 1us\n"
                                          "dma.memcpy: AGAIN, 1 times; doca_sha_*: EMPTY\n");
    assert_fails(file.s, "DOCA_ERROR_AGAIN");
    unlink(file.s);
}
END_TEST

START_TEST(wrong_rules)
{
    static const char *const wrong[][2] = {
        {"doca_dma_creat: NO_MEMORY", "doca_dma_create"},
        {"dma.memcopy: IO_FAILED", "dma.memcpy"},
        {"dma.memcpy: IO_FAILDE", "--faults, line 1"},
        {"doca_pe_create: NO_MEMROY", "--faults, line 1"},
        {"doca_pe_progress: NO_MEMORY", "returns no error"},
        {"doca_task_free: NO_MEMORY", "returns no error"},
        {"doca_buf_inventory_buf_get_by_data: AGAIN", "doca_buf_inventory_buf_get_by_args"},
        {"doca_log: AGAIN", "variable arguments"},
        {"dma.memcpy IO_FAILED", "dma.memcpy IO_FAILED"}, // not a file either
        {"", "rules"},
        {"comch: drop peer after 3 imports", "messages"},
        {"export: revoke after 3 imports", "docad.conf"}, // there are no nodes to do it
        {"dma.memcpy: AGAIN; link: down for 2 s", "link: down for 2 s"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_msg(run_with(wrong[i][0]) == 2, "%s: status %d", wrong[i][0], result.status);
        assert_names(result.err, wrong[i][1]);
        ck_assert_str_eq(result.out, "");
    }
}
END_TEST

// Both programs of a pair get the rules.
START_TEST(pair_has_faults)
{
    const char *const argv[] = {"docad-run", "--quiet", "--faults", "doca_mmap_start: DRIVER",
                                "--pair",    "--",      program,    "--",
                                program,     NULL};
    command_run(NULL, argv, &result);
    ck_assert_int_eq(result.status, 1);
    assert_names(result.err, "DOCA_ERROR_DRIVER");
}
END_TEST

// docad does these, on nodes of the pair.
static void copy_file(const char *rules)
{
    struct path original = temp_file("original", "bytes of the host\n"), copy = temp_path("copy");
    const char *const argv[] = {"docad-run", "--quiet",  "--faults", rules,      "--first", "host",
                                "--ready",   "exported", "--until",  "dpu",      "--pair",  "--",
                                exporter,    "-n",       "faults",   original.s, "--",      fetcher,
                                "-n",        "faults",   "-o",       copy.s,     NULL};
    command_run(NULL, argv, &result);
    unlink(original.s);
    unlink(copy.s);
}

START_TEST(nodes_of_a_pair_have_faults)
{
    copy_file("import: NOT_PERMITTED, 9th");
    ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.err);
    copy_file("import: NOT_PERMITTED, 1st");
    ck_assert_int_ne(result.status, 0);
    assert_names(result.err, "DOCA_ERROR_NOT_PERMITTED");
    ck_assert_ptr_nonnull(strstr(result.err, "dpu docad: "));
    assert_names(result.err, "import: NOT_PERMITTED, 1st");
    // A docad-run in it has the rules from the environment, and leaves those to the nodes.
    command_run(NULL,
                (const char *const[]){"docad-run", "--quiet", "--faults",
                                      "link: down, 999th; dma.*: AGAIN", "--host-only", docad_run,
                                      "--quiet", program, NULL},
                &result);
    ck_assert_int_eq(result.status, 1);
    assert_names(result.err, "DOCA_ERROR_AGAIN");
    copy_file("export: revoke after 1 import");
    ck_assert_ptr_nonnull(strstr(result.err, "host docad: "));
    assert_names(result.err, "export: revoke after 1 import");
}
END_TEST

// Each program of a pair has a trace of its own.
START_TEST(pair_has_traces)
{
    static const char *const ends[] = {".host", ".dpu"};
    struct path trace = temp_path("trace");
    char option[160];
    snprintf(option, sizeof(option), "--trace=%s", trace.s);
    command_run(NULL,
                (const char *const[]){"docad-run", "--quiet", option, "--pair", "--", program, "--",
                                      local_copy, NULL},
                &result);
    ck_assert_msg(result.status == 0, "%s", result.err);
    for (int i = 0; i < 2; i++) {
        char name[160];
        static struct command_result found;
        snprintf(name, sizeof(name), "%s%s", trace.s, ends[i]);
        command_run(NULL, (const char *const[]){"/bin/grep", "-c", "doca_dma_create(", name, NULL},
                    &found);
        ck_assert_str_eq(found.out, "1\n");
        unlink(name);
    }
}
END_TEST

// ---- tasks that take their context down

static void run_tasks(const char *rules)
{
    command_run(
        nodes.dpu,
        (const char *const[]){"docad-run", "--quiet", "--faults", rules, FAULTED_TASKS, NULL},
        &result);
    ck_assert_msg(result.status == 0, "%s: status %d: %s%s", rules, result.status, result.out,
                  result.err);
}

// The workbench remembers the status of 1024 failed tasks. No more can fail, and the trace says so.
START_TEST(tasks_that_cannot_fail)
{
    struct path trace = temp_path("trace");
    char option[160];
    snprintf(option, sizeof(option), "--trace=%s", trace.s);
    command_run(nodes.dpu,
                (const char *const[]){"docad-run", "--quiet", option, "--faults",
                                      "dma.memcpy: IO_FAILED", FAULTED_TASKS, "keep", NULL},
                &result);
    ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.err);
    while (waitpid(-1, NULL, 0) > 0)
        ; // the writer of the trace
    ck_assert_ptr_null(strstr(result.out, "task 1024:"));
    ck_assert_ptr_nonnull(strstr(result.out, "task 1025: DOCA_SUCCESS\ntask 1026: DOCA_SUCCESS\n"));
    command_run(nodes.dpu,
                (const char *const[]){"/bin/grep", "-o",
                                      "completion .* of dma.memcpy: not possible", trace.s, NULL},
                &result);
    ck_assert_str_eq(result.out, "completion 1025 of dma.memcpy: not possible\n"
                                 "completion 1026 of dma.memcpy: not possible\n");
    unlink(trace.s);
}
END_TEST

// The other tasks are flushed, and the context can be started again.
START_TEST(fatal_task)
{
    run_tasks("dma.memcpy: IO_FAILED, 3rd, fatal");
    ck_assert_str_eq(result.out, "context: RUNNING\n"
                                 "task 1: DOCA_SUCCESS\n"
                                 "task 2: DOCA_SUCCESS\n"
                                 "context: STOPPING\n"
                                 "task 3: DOCA_ERROR_IO_FAILED\n"
                                 "task 4: DOCA_ERROR_SHUTDOWN\n"
                                 "task 5: DOCA_ERROR_SHUTDOWN\n"
                                 "context: IDLE\n"
                                 "context: RUNNING\n"
                                 "task 6: DOCA_SUCCESS\n"
                                 "context: STOPPING\n"
                                 "context: IDLE\n");
    assert_names(result.err, "the context stops");
}
END_TEST

START_TEST(task_that_is_not_fatal)
{
    run_tasks("dma.memcpy: IO_FAILED, 3rd");
    assert_names(result.out, "task 3: DOCA_ERROR_IO_FAILED");
    assert_names(result.out, "task 4: DOCA_SUCCESS");
    ck_assert_ptr_null(strstr(result.out, "task 6"));
}
END_TEST

// As what a card could not do: an over-long copy of this profile.
START_TEST(fatal_task_is_like_one_of_a_card)
{
    static char injected[2048];
    run_tasks("dma.memcpy: IO_FAILED, 1st, fatal");
    snprintf(injected, sizeof(injected), "%.2000s", result.out);
    struct path card = temp_file("tiny.conf", "dma.max_buf_size = 1M\nover_limit_fails = yes\n");
    setenv("DOCAD_CARD", card.s, 1);
    command_run(nodes.dpu, (const char *const[]){FAULTED_TASKS, "long", NULL}, &result);
    ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.err);
    ck_assert_str_eq(result.out, injected);
    unlink(card.s);
}
END_TEST

// ---- waiting for a signal

// The program sends it to itself before: it is pending when the program begins to wait. Without
// the rule it ends the program.
START_TEST(stalls_until_a_signal)
{
    static const char *const signals[][2] = {{"signal", "SIGUSR2"}, {"USR1", "SIGUSR1"}};
    for (int i = 0; i < 2; i++) {
        char rules[128];
        snprintf(rules, sizeof(rules), "dma.memcpy: stall until %s, 2nd; *: delay 1ns, once",
                 signals[i][0]);
        command_run(nodes.dpu,
                    (const char *const[]){"docad-run", "--quiet", "--faults", rules, FAULTED_TASKS,
                                          signals[i][1], NULL},
                    &result);
        ck_assert_msg(result.status == 0, "%s: status %d: %s", rules, result.status, result.err);
        assert_names(result.out, "task 5: DOCA_SUCCESS");
        assert_names(result.err, signals[i][1]);
        assert_names(result.err, "completion 2 of dma.memcpy");
        command_run(nodes.dpu, (const char *const[]){FAULTED_TASKS, signals[i][1], NULL}, &result);
        ck_assert_int_ge(result.status, 128);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("injected");
    TCase *tcase = case_near_shared(suite);
    tcase_add_test(tcase, function_fails);
    tcase_add_test(tcase, memory_of_another_size_is_not_used);
    tcase_add_test(tcase, only_some_calls_fail);
    tcase_add_test(tcase, task_fails);
    tcase_add_test(tcase, job_fails);
    tcase_add_test(tcase, call_takes_longer);
    tcase_add_test(tcase, trace_shows_what_was_injected);
    tcase_add_test(tcase, trace_has_every_kind);
    tcase_add_test(tcase, rules_in_a_file);
    tcase_add_test(tcase, wrong_rules);
    tcase_add_test(tcase, pair_has_faults);
    tcase_add_test(tcase, nodes_of_a_pair_have_faults);
    tcase_add_test(tcase, pair_has_traces);
    tcase_add_test(tcase, tasks_that_cannot_fail);
    tcase_add_test(tcase, fatal_task);
    tcase_add_test(tcase, task_that_is_not_fatal);
    tcase_add_test(tcase, fatal_task_is_like_one_of_a_card);
    tcase_add_test(tcase, stalls_until_a_signal);
    return run_suite(suite);
}

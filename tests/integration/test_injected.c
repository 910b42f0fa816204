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
    while (waitpid(-1, NULL, 0) > 0)
        ;
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
        {"dma.memcpy: IO_FAILDE", "IO_FAILED"},
        {"dma.memcpy IO_FAILED", "dma.memcpy IO_FAILED"}, // not a file either
        {"", "rules"},
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

// ---- sweeps

static int sweep(const char *swept)
{
    command_run(nodes.dpu,
                (const char *const[]){"docad-run", "--quiet", "--limit", "5", "--faults", "sweep",
                                      swept, NULL},
                &result);
    return result.status;
}

START_TEST(sweep_finds_what_is_wrong)
{
    ck_assert_msg(sweep(FAULTY_PROGRAM) == 1, "status %d: %s%s", result.status, result.out,
                  result.err);
    assert_names(result.out, "doca_mmap_create, call 1, NO_MEMORY: status 0");
    assert_names(result.out, "doca_buf_inventory_create, call 1, NO_MEMORY: ended by signal 6");
    assert_names(result.out, "doca_buf_inventory_start, call 1, DRIVER: has not ended after 5 s");
    assert_names(result.out, "7 runs with a fault: 1 hung, 1 crashed, 1 ended with status 0");
    ck_assert_ptr_null(strstr(result.out, "doca_pe_create"));
}
END_TEST

// One that reports each error, also that of a task: dma_task.
START_TEST(sweep_of_a_program_that_is_right)
{
    int status = sweep(program);
    ck_assert_msg(status == 0, "status %d: %s%s", status, result.out, result.err);
    assert_names(result.out, "0 hung, 0 crashed");
    ck_assert_ptr_null(strstr(result.out, "dma.memcpy"));
}
END_TEST

START_TEST(sweep_needs_a_program_that_works)
{
    ck_assert_int_eq(sweep("/bin/false"), 1);
    ck_assert_int_eq(sweep("/nowhere/program"), 127);
    command_run(NULL,
                (const char *const[]){"docad-run", "--faults", "sweep", "--pair", "--", program,
                                      "--", program, NULL},
                &result);
    ck_assert_int_eq(result.status, 2);
    command_run(NULL, (const char *const[]){"docad-run", "--limit", "5", program, NULL}, &result);
    ck_assert_int_eq(result.status, 2);
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
    tcase_add_test(tcase, rules_in_a_file);
    tcase_add_test(tcase, wrong_rules);
    tcase_add_test(tcase, pair_has_faults);
    tcase_add_test(tcase, pair_has_traces);
    tcase_add_test(tcase, sweep_finds_what_is_wrong);
    tcase_add_test(tcase, sweep_of_a_program_that_is_right);
    tcase_add_test(tcase, sweep_needs_a_program_that_works);
    return run_suite(suite);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad-run --faults sweep: each call of a program fails once.

#include "child.h"
#include "nodes.h"
#include "run.h"
#include "text_names.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

// A run that takes longer hangs. With sanitizers, on a loaded machine, a run takes some seconds.
#define LIMIT      "60"
#define LIMIT_HUNG "20" // of the program one of whose runs does

static struct command_result result;
static const char program[] = DOCAD_BIN_DIR "/dma_task";

static int sweep(const char *swept, const char *limit)
{
    command_run(nodes.dpu,
                (const char *const[]){"docad-run", "--quiet", "--limit", limit, "--faults", "sweep",
                                      swept, NULL},
                &result);
    return result.status;
}

START_TEST(sweep_finds_what_is_wrong)
{
    ck_assert_msg(sweep(FAULTY_PROGRAM, LIMIT_HUNG) == 1, "status %d: %s%s", result.status,
                  result.out, result.err);
    assert_names(result.out, "doca_mmap_create, call 1, NO_MEMORY: status 0");
    assert_names(result.out, "doca_buf_inventory_create, call 1, NO_MEMORY: ended by signal 6");
    assert_names(result.out,
                 "doca_buf_inventory_start, call 1, DRIVER: has not ended after " LIMIT_HUNG " s");
    assert_names(result.out, "7 runs with a fault: 1 hung, 1 crashed, 1 ended with status 0");
    ck_assert_ptr_null(strstr(result.out, "doca_pe_create, call"));
}
END_TEST

// By a signal that ends a program of its own, whose status docad-run passes on as 128 and its
// number.
START_TEST(sweep_finds_a_killed_program)
{
    command_run(NULL,
                (const char *const[]){"docad-run", "--quiet", "--limit", LIMIT_HUNG, "--faults",
                                      "sweep", "--dpu-only", FAULTY_PROGRAM, "killed", NULL},
                &result);
    ck_assert_msg(result.status == 1, "status %d: %s%s", result.status, result.out, result.err);
    assert_names(result.out, "doca_mmap_create, call 1, NO_MEMORY: ended by signal 9");
    assert_names(result.out, "('doca_mmap_create: ANY, 1st')");
    assert_names(result.out, "7 runs with a fault: 1 hung, 2 crashed, 0 ended with status 0");
}
END_TEST

// One that reports each error, also that of a task: dma_task.
START_TEST(sweep_of_a_program_that_is_right)
{
    int status = sweep(CAREFUL_PROGRAM, LIMIT);
    ck_assert_msg(status == 0, "status %d: %s%s", status, result.out, result.err);
    assert_names(result.out,
                 "9 runs with a fault: 0 hung, 0 crashed, 0 ended with status 0, 0 leaked");
}
END_TEST

// It reports each error, and leaves what it has made to docad: by the place where that was made.
START_TEST(sweep_of_a_program_that_destroys_nothing)
{
    int status = sweep(program, LIMIT);
    ck_assert_msg(status == 1, "status %d: %s%s", status, result.out, result.err);
    assert_names(result.out, "0 hung, 0 crashed, 1 ended with status 0");
    assert_names(result.out, "mmap made by doca_mmap_create() at dma_task");
    assert_names(result.out, "dma.memcpy, call 1, IO_FAILED: leaked");
}
END_TEST

// A buffer that is not given back keeps its inventory and its map.
START_TEST(sweep_of_destructions_that_are_refused)
{
    command_run(nodes.dpu,
                (const char *const[]){"docad-run", "--quiet", "--limit", LIMIT, "--faults", "sweep",
                                      CAREFUL_PROGRAM, "buffers", NULL},
                &result);
    ck_assert_msg(result.status == 0, "status %d: %s%s", result.status, result.out, result.err);
    assert_names(result.out,
                 "13 runs with a fault: 0 hung, 0 crashed, 0 ended with status 0, 0 leaked");
}
END_TEST

// After one of the errors.
START_TEST(sweep_finds_a_leak)
{
    command_run(nodes.dpu,
                (const char *const[]){"docad-run", "--quiet", "--limit", LIMIT, "--faults", "sweep",
                                      CAREFUL_PROGRAM, "leaky", NULL},
                &result);
    ck_assert_msg(result.status == 1, "status %d: %s%s", result.status, result.out, result.err);
    assert_names(result.out, "doca_buf_inventory_create, call 1, NO_MEMORY: leaked 1 object");
    assert_names(result.out,
                 "leaked in 1 run, first in doca_buf_inventory_create, call 1, NO_MEMORY: "
                 "mmap made by doca_mmap_create() at careful_program");
    assert_names(result.out,
                 "9 runs with a fault: 0 hung, 0 crashed, 0 ended with status 0, 1 leaked");
}
END_TEST

// Each side of a pair by itself, on nodes of its own.
START_TEST(sweep_of_a_pair)
{
    command_run(NULL,
                (const char *const[]){"docad-run", "--quiet", "--limit", LIMIT, "--faults", "sweep",
                                      "--pair", "--", CAREFUL_PROGRAM, "--", CAREFUL_PROGRAM,
                                      "leaky", NULL},
                &result);
    ck_assert_msg(result.status == 1, "status %d: %s%s", result.status, result.out, result.err);
    assert_names(result.out,
                 "18 runs with a fault: 0 hung, 0 crashed, 0 ended with status 0, 1 leaked");
    assert_names(result.out, "dpu: doca_buf_inventory_create, call 1, NO_MEMORY: leaked 1 object");
    ck_assert_ptr_null(strstr(result.out, "host: "));
}
END_TEST

START_TEST(sweep_of_one_program_on_nodes)
{
    command_run(NULL,
                (const char *const[]){"docad-run", "--quiet", "--limit", LIMIT, "--faults", "sweep",
                                      "--dpu-only", CAREFUL_PROGRAM, NULL},
                &result);
    ck_assert_msg(result.status == 0, "status %d: %s%s", result.status, result.out, result.err);
    assert_names(result.out, "9 runs with a fault");
}
END_TEST

START_TEST(sweep_needs_a_program_that_works)
{
    ck_assert_int_eq(sweep("/bin/false", LIMIT), 1);
    ck_assert_int_eq(sweep("/nowhere/program", LIMIT), 127);
    command_run(NULL,
                (const char *const[]){"docad-run", "--quiet", "--limit", LIMIT, "--faults", "sweep",
                                      "--pair", "--", "/bin/true", "--", "/bin/false", NULL},
                &result);
    ck_assert_int_eq(result.status, 1);
    command_run(NULL, (const char *const[]){"docad-run", "--limit", "5", program, NULL}, &result);
    ck_assert_int_eq(result.status, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("injected_sweep");
    TCase *tcase = case_near_shared(suite);
    tcase_add_test(tcase, sweep_finds_what_is_wrong);
    tcase_add_test(tcase, sweep_finds_a_killed_program);
    tcase_add_test(tcase, sweep_of_a_program_that_is_right);
    tcase_add_test(tcase, sweep_of_a_program_that_destroys_nothing);
    tcase_add_test(tcase, sweep_of_destructions_that_are_refused);
    tcase_add_test(tcase, sweep_finds_a_leak);
    tcase_add_test(tcase, sweep_of_a_pair);
    tcase_add_test(tcase, sweep_of_one_program_on_nodes);
    tcase_add_test(tcase, sweep_needs_a_program_that_works);
    return run_suite(suite);
}

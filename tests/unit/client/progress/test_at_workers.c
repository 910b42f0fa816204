// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks of each computing library that are at workers while the context stops, the process forks,
// or a graph waits for them.

#include "../worker_watch.h"
#include "computing.h"
#include "unit.h"
#include "workers/workers.h"

#include <doca_ctx.h>
#include <doca_graph.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE ((size_t)1 << 20) // all libraries hand this over
#define ROOM (SIZE + ((size_t)1 << 16))

#define OK(call) ck_assert_int_eq((call), DOCA_SUCCESS)

static const struct computing *with;
static struct doca_pe *pe;
static struct doca_ctx *lib_ctx;
static uint8_t *source, expected[ROOM];
static size_t n_source, n_expected;

// The tasks: what they write, and how often they were said to have ended.
static uint8_t *results[COMPUTING_TASKS];
static struct doca_mmap source_map, result_maps[COMPUTING_TASKS];
static struct doca_buf *src, *dst[COMPUTING_TASKS];
static struct doca_task *tasks[COMPUTING_TASKS];
static unsigned n_over, ends[COMPUTING_TASKS];

static enum doca_ctx_states states[8];
static unsigned n_states;

static void over(struct doca_task *task)
{
    n_over++;
    for (unsigned i = 0; i < COMPUTING_TASKS; i++)
        ends[i] += tasks[i] == task;
}

static void changed(const union doca_data data, struct doca_ctx *changed_ctx,
                    enum doca_ctx_states before, enum doca_ctx_states next)
{
    (void)data;
    (void)before;
    ck_assert_ptr_eq(changed_ctx, lib_ctx);
    ck_assert_uint_lt(n_states, 8);
    states[n_states++] = next;
}

static enum doca_ctx_states state(void)
{
    enum doca_ctx_states now;
    OK(doca_ctx_get_state(lib_ctx, &now));
    return now;
}

static void open_with(const struct computing *computing_with, int workers)
{
    with = computing_with;
    OK(doca_pe_create(&pe));
    lib_ctx = with->open();
    OK(doca_pe_connect_ctx(pe, lib_ctx));
    OK(doca_ctx_set_state_changed_cb(lib_ctx, changed));
    workers_set_most(workers);
    OK(doca_ctx_start(lib_ctx));
    if (with->begin)
        with->begin();
    n_states = n_over = 0;
    memset(ends, 0, sizeof(ends));
}

static void close_all(void)
{
    if (with->end)
        with->end();
    if (state() == DOCA_CTX_STATE_RUNNING)
        OK(doca_ctx_stop(lib_ctx));
    OK(with->close());
    OK(doca_pe_destroy(pe));
}

// What the first n tasks read and write.
static void take_tasks(unsigned n)
{
    source_map = local_map(source, ROOM);
    src = buffer(&source_map, source, n_source, n_source);
    for (unsigned i = 0; i < n; i++) {
        memset(results[i], 0xee, ROOM);
        result_maps[i] = local_map(results[i], ROOM);
        dst[i] = buffer(&result_maps[i], results[i], ROOM, 0);
        tasks[i] = with->task(src, dst[i]);
    }
}

static void give_tasks_back(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        doca_task_free(tasks[i]);
        drop(dst[i]);
    }
    drop(src);
}

// What the task makes of `source` where there are no workers.
static void make_expected(const struct computing *of)
{
    open_with(of, 0);
    take_tasks(1);
    OK(doca_task_submit(tasks[0]));
    while (!n_over)
        doca_pe_progress(pe);
    OK(doca_task_get_status(tasks[0]));
    n_expected = dst[0]->data_len;
    memcpy(expected, results[0], n_expected);
    give_tasks_back(1);
    close_all();
}

// What any encoder makes about half as large, and no more: that is still handed over.
static void fill_source(void)
{
    uint32_t x = 4;

    for (size_t i = 0; i < SIZE; i++) {
        x = x * 1103515245 + 12345;
        source[i] = x >> 16 & 15;
    }
}

// One worker, which has begun the first of n tasks and got no further than to its source.
static void begin(const struct computing *of, unsigned n)
{
    computing_over = over;
    setup(); // buffers come from there
    source = watched_pages(ROOM);
    for (unsigned i = 0; i < COMPUTING_TASKS; i++)
        results[i] = watched_pages(ROOM);
    fill_source();
    n_source = SIZE;
    if (of->input) {
        make_expected(of->input);
        memcpy(source, expected, n_expected);
        n_source = n_expected;
        ck_assert_uint_gt(n_source, SIZE / 4);
    }
    make_expected(of);
    open_with(of, 1);
    take_tasks(n);
    gate_shut(source, ROOM);
}

static void end(void)
{
    close_all();
    munmap(source, ROOM);
    for (unsigned i = 0; i < COMPUTING_TASKS; i++)
        munmap(results[i], ROOM);
    teardown();
}

static void assert_done(unsigned i)
{
    OK(doca_task_get_status(tasks[i]));
    ck_assert_uint_eq(ends[i], 1);
    ck_assert_uint_eq(dst[i]->data_len, n_expected);
    ck_assert_mem_eq(results[i], expected, n_expected);
}

static bool untouched(unsigned i)
{
    for (size_t at = 0; at < ROOM; at++)
        if (results[i][at] != 0xee)
            return false;
    return dst[i]->data_len == 0;
}

// ---- stopping ----------------------------------------------------------------------------

START_TEST(a_stop_waits_for_what_is_computed)
{
    begin(&computing[_i], 4);
    OK(doca_task_submit(tasks[0]));
    gate_wait();
    OK(doca_task_submit(tasks[1]));
    OK(doca_task_submit(tasks[2]));
    doca_ctx_flush_tasks(lib_ctx);
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert_uint_eq(n_over, 0); // only progress calls the program
    ck_assert_int_ne(with->close(), DOCA_SUCCESS);
    ck_assert_int_ne(doca_task_submit(tasks[3]), DOCA_SUCCESS);
    for (unsigned i = 0; i < 20; i++)
        doca_pe_progress(pe);
    ck_assert_uint_eq(ends[0], 0);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_STOPPING);
    gate_open();
    while (state() != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(pe);
    // From here on nothing touches the memory.
    uint8_t *pages[] = {source, results[0], results[1], results[2]};
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(mprotect(pages[i], ROOM, PROT_NONE), 0);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    OK(doca_ctx_start(lib_ctx));
    OK(doca_ctx_stop(lib_ctx));
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(mprotect(pages[i], ROOM, PROT_READ | PROT_WRITE), 0);

    ck_assert_uint_eq(n_over, 3);
    assert_done(0);
    for (unsigned i = 1; i < 3; i++) {
        ck_assert_uint_eq(ends[i], 1);
        ck_assert_int_eq(doca_task_get_status(tasks[i]), DOCA_ERROR_SHUTDOWN);
        ck_assert(untouched(i));
    }
    ck_assert_uint_ge(n_states, 2);
    ck_assert_int_eq(states[0], DOCA_CTX_STATE_STOPPING);
    ck_assert_int_eq(states[1], DOCA_CTX_STATE_IDLE);
    give_tasks_back(4);
    end();
}
END_TEST

START_TEST(a_flush_loses_nothing)
{
    begin(&computing[_i], 3);
    OK(doca_task_submit(tasks[0]));
    gate_wait();
    OK(doca_task_submit(tasks[1]));
    OK(doca_task_submit(tasks[2]));
    doca_ctx_flush_tasks(lib_ctx);
    ck_assert_uint_eq(n_over, 0);
    gate_open();
    while (n_over < 3)
        doca_pe_progress(pe);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_RUNNING);
    for (unsigned i = 0; i < 3; i++)
        assert_done(i);
    give_tasks_back(3);
    end();
}
END_TEST

// ---- fork --------------------------------------------------------------------------------

#ifndef __SANITIZE_THREAD__ // it allows no threads in the child of a process with threads
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__ % 200 + 1;                                                             \
    } while (0)

// In the child: the tasks of the parent fail, and others are computed.
static int in_the_child(void)
{
    gate_open();
    while (n_over < 2)
        doca_pe_progress(pe);
    for (unsigned i = 0; i < 2; i++) {
        MUST(ends[i] == 1);
        MUST(doca_task_get_status(tasks[i]) == DOCA_ERROR_BAD_STATE);
        MUST(untouched(i));
    }
    MUST(doca_task_submit(tasks[2]) == DOCA_SUCCESS);
    while (n_over < 3)
        doca_pe_progress(pe);
    MUST(doca_task_get_status(tasks[2]) == DOCA_SUCCESS);
    MUST(dst[2]->data_len == n_expected);
    MUST(memcmp(results[2], expected, n_expected) == 0);
    MUST(ends[0] == 1 && ends[1] == 1 && ends[2] == 1);
    give_tasks_back(3);
    if (with->end)
        with->end();
    MUST(doca_ctx_stop(lib_ctx) == DOCA_SUCCESS);
    MUST(with->close() == DOCA_SUCCESS);
    return 0;
}

START_TEST(a_child_is_told)
{
    int status;

    begin(&computing[_i], 3);
    OK(doca_task_submit(tasks[0]));
    gate_wait();
    OK(doca_task_submit(tasks[1]));
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        _exit(in_the_child());
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0); // or a line, see MUST()
    ck_assert_uint_eq(n_over, 0);
    gate_open();
    while (n_over < 2)
        doca_pe_progress(pe);
    assert_done(0);
    assert_done(1);
    ck_assert(untouched(2));
    give_tasks_back(3);
    end();
}
END_TEST
#endif

// ---- graphs ------------------------------------------------------------------------------

static unsigned n_called, n_graphs_done, n_graphs_failed;

static doca_error_t call(void *cookie)
{
    ck_assert_ptr_eq(cookie, tasks[0]);
    assert_done(0); // though no callback was called
    n_called++;
    return DOCA_SUCCESS;
}

static void graph_done(struct doca_graph_instance *instance, union doca_data data,
                       union doca_data graph_data)
{
    (void)instance;
    (void)data;
    (void)graph_data;
    n_graphs_done++;
}

static void graph_failed(struct doca_graph_instance *instance, union doca_data data,
                         union doca_data graph_data)
{
    (void)instance;
    (void)data;
    (void)graph_data;
    n_graphs_failed++;
}

static struct doca_graph *graph;
static struct doca_graph_instance *instance;

// A task, and then a call.
static void open_graph(void)
{
    struct doca_graph_node *nodes[2];

    n_called = n_graphs_done = n_graphs_failed = 0;
    OK(doca_graph_create(pe, &graph));
    OK(doca_graph_set_conf(graph, graph_done, graph_failed, 1));
    OK(doca_graph_node_create_from_ctx(graph, lib_ctx, &nodes[0]));
    OK(doca_graph_node_create_from_user(graph, call, &nodes[1]));
    OK(doca_graph_add_dependency(graph, nodes[0], nodes[1]));
    OK(doca_graph_start(graph));
    OK(doca_graph_instance_create(graph, &instance));
    OK(doca_graph_instance_set_ctx_node_data(instance, nodes[0], tasks[0]));
    OK(doca_graph_instance_set_user_node_data(instance, nodes[1], tasks[0]));
    OK(doca_graph_instance_submit(instance));
}

static void close_graph(void)
{
    OK(doca_graph_instance_destroy(instance));
    OK(doca_graph_stop(graph));
    OK(doca_graph_destroy(graph));
}

START_TEST(a_graph_waits_for_its_task)
{
    begin(&computing[_i], 1);
    open_graph();
    while (!gate_reached())
        doca_pe_progress(pe);
    for (unsigned i = 0; i < 20; i++)
        doca_pe_progress(pe);
    ck_assert_uint_eq(n_called + n_graphs_done + n_graphs_failed, 0);
    gate_open();
    ends[0] = 1; // a graph's tasks call nobody
    while (!n_graphs_done)
        doca_pe_progress(pe);
    ck_assert_uint_eq(n_called, 1);
    ck_assert_uint_eq(n_graphs_failed, 0);
    ck_assert_uint_eq(n_over, 0);
    assert_done(0);
    close_graph();
    give_tasks_back(1);
    end();
}
END_TEST

// The task that is computed ends as it would; nothing follows once the context does not run.
START_TEST(a_stop_under_a_graph)
{
    begin(&computing[_i], 2);
    open_graph();
    while (!gate_reached())
        doca_pe_progress(pe);
    OK(doca_task_submit(tasks[1])); // another one, which no worker has begun
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    for (unsigned i = 0; i < 20; i++)
        doca_pe_progress(pe);
    ck_assert_uint_eq(n_called + n_graphs_done + n_graphs_failed, 0);
    gate_open();
    ends[0] = 1;
    while (!n_graphs_done && !n_graphs_failed)
        doca_pe_progress(pe);
    while (state() != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(pe);
    assert_done(0);
    ck_assert_uint_eq(n_called, n_graphs_done);
    ck_assert_uint_eq(n_over, 1);
    ck_assert_int_eq(doca_task_get_status(tasks[1]), DOCA_ERROR_SHUTDOWN);
    ck_assert(untouched(1));
    close_graph();
    give_tasks_back(2);
    end();
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("at_workers");

    tcase_add_loop_test(tcase, a_stop_waits_for_what_is_computed, 0, n_computing);
    tcase_add_loop_test(tcase, a_flush_loses_nothing, 0, n_computing);
#ifndef __SANITIZE_THREAD__
    tcase_add_loop_test(tcase, a_child_is_told, 0, n_computing);
#endif
    tcase_add_loop_test(tcase, a_graph_waits_for_its_task, 0, n_computing);
    tcase_add_loop_test(tcase, a_stop_under_a_graph, 0, n_computing);
    return unit_run_case("at_workers", tcase);
}

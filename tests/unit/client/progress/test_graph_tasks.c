// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Graphs of DOCA 3: the order of nodes, how instances end, and what is refused.

#include "../log_capture.h"
#include "fake_kind.h"
#include "text_names.h"
#include "unit.h"

#include <doca_graph.h>
#include <poll.h>
#include <string.h>

static struct doca_pe *pe;
static struct fake *fake;
static struct doca_graph *graph;
static char order[64];
static unsigned n_done, n_failed;
static doca_error_t user_result;
static struct doca_graph_instance *submit_again;

static doca_error_t user_node(void *cookie)
{
    strcat(order, cookie);
    return user_result;
}

static void done(struct doca_graph_instance *instance, union doca_data data,
                 union doca_data graph_data)
{
    ck_assert_uint_eq(data.u64, 11);
    ck_assert_uint_eq(graph_data.u64, 22);
    n_done++;
    if (instance == submit_again) {
        submit_again = NULL;
        ck_assert_int_eq(doca_graph_instance_submit(instance), DOCA_SUCCESS);
    }
}

static void failed(struct doca_graph_instance *instance, union doca_data data,
                   union doca_data graph_data)
{
    (void)instance;
    ck_assert_uint_eq(data.u64, 11);
    ck_assert_uint_eq(graph_data.u64, 22);
    n_failed++;
}

static struct doca_graph *new_graph(void)
{
    struct doca_graph *made;
    ck_assert_int_eq(doca_graph_create(pe, &made), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_set_conf(made, done, failed, 2), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_set_user_data(made, (union doca_data){.u64 = 22}), DOCA_SUCCESS);
    return made;
}

static void setup(void)
{
    fake_reset();
    order[0] = '\0';
    n_done = n_failed = 0;
    user_result = DOCA_SUCCESS;
    submit_again = NULL;
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    fake = fake_new_started(pe, 8);
    graph = new_graph();
}

static void end_graph(struct doca_graph *ended)
{
    ck_assert_int_eq(doca_graph_stop(ended), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_destroy(ended), DOCA_SUCCESS);
}

static void teardown(void)
{
    if (graph)
        end_graph(graph);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    fake_free(fake);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
}

static void progress_all(void)
{
    while (doca_pe_progress(pe))
        ;
}

static struct doca_graph_node *ctx_node(struct doca_graph *in)
{
    struct doca_graph_node *node;
    ck_assert_int_eq(doca_graph_node_create_from_ctx(in, &fake->ctx, &node), DOCA_SUCCESS);
    return node;
}

static struct doca_graph_node *call_node(struct doca_graph *in)
{
    struct doca_graph_node *node;
    ck_assert_int_eq(doca_graph_node_create_from_user(in, user_node, &node), DOCA_SUCCESS);
    return node;
}

static void depend(struct doca_graph *in, struct doca_graph_node *from, struct doca_graph_node *to)
{
    ck_assert_int_eq(doca_graph_add_dependency(in, from, to), DOCA_SUCCESS);
}

static struct doca_graph_instance *new_instance(struct doca_graph *of)
{
    struct doca_graph_instance *instance;
    ck_assert_int_eq(doca_graph_instance_create(of, &instance), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_instance_set_user_data(instance, (union doca_data){.u64 = 11}),
                     DOCA_SUCCESS);
    return instance;
}

static void give(struct doca_graph_instance *instance, struct doca_graph_node *node,
                 struct doca_task *task)
{
    ck_assert_int_eq(doca_graph_instance_set_ctx_node_data(instance, node, task), DOCA_SUCCESS);
}

static void name(struct doca_graph_instance *instance, struct doca_graph_node *node,
                 const char *letter)
{
    ck_assert_int_eq(doca_graph_instance_set_user_node_data(instance, node, (void *)letter),
                     DOCA_SUCCESS);
}

static void run(struct doca_graph_instance *instance)
{
    ck_assert_int_eq(doca_graph_instance_submit(instance), DOCA_SUCCESS);
    progress_all();
}

static void end(struct doca_graph_instance *instance)
{
    ck_assert_int_eq(doca_graph_instance_destroy(instance), DOCA_SUCCESS);
}

// ---- a context that takes no task now ----------------------------------------------------------

static struct fake *full;

// A second context, which takes tasks when the test lets it.
static void make_full(void)
{
    fake_settings.prepare = DOCA_ERROR_AGAIN;
    fake_settings.takes_all = &fake->ctx;
    full = fake_new_started(pe, 2);
}

static void free_full(void)
{
    ck_assert_int_eq(doca_ctx_stop(&full->ctx), DOCA_SUCCESS);
    fake_free(full);
}

static struct doca_graph_node *full_node(void)
{
    struct doca_graph_node *node;
    ck_assert_int_eq(doca_graph_node_create_from_ctx(graph, &full->ctx, &node), DOCA_SUCCESS);
    return node;
}

static bool wakes(void)
{
    struct pollfd handle = {.events = POLLIN};
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_get_notification_handle(pe, &handle.fd), DOCA_SUCCESS);
    bool readable = poll(&handle, 1, 0) == 1;
    ck_assert_int_eq(doca_pe_clear_notification(pe, handle.fd), DOCA_SUCCESS);
    return readable;
}

START_TEST(a_node_waits_until_its_context_takes_tasks)
{
    make_full();
    struct doca_graph_node *before = call_node(graph), *node = full_node(),
                           *after = call_node(graph), *aside = ctx_node(graph);
    depend(graph, before, node);
    depend(graph, node, after);
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    struct doca_graph_instance *instance = new_instance(graph);
    struct doca_task *task = fake_task(full, FAKE_PLAIN, FAKE_DONE, 1),
                     *other = fake_task(fake, FAKE_PLAIN, FAKE_DONE, 2);
    name(instance, before, "B");
    give(instance, node, task);
    name(instance, after, "A");
    give(instance, aside, other);
    for (int round = 1; round <= 2; round++) {
        fake_settings.prepare = DOCA_ERROR_AGAIN;
        order[0] = '\0';
        run(instance); // ends, although the node waits
        ck_assert_str_eq(order, "B");
        ck_assert_uint_eq(doca_pe_progress(pe), 0);
        ck_assert_int_eq(doca_graph_instance_submit(instance), DOCA_ERROR_IN_USE);
        ck_assert(wakes()); // nothing else will
        fake_submit(fake, FAKE_PLAIN, FAKE_DONE, 3);
        progress_all();
        ck_assert_uint_eq(strlen(fake_log), (size_t)round); // other tasks go on
        fake_settings.prepare = DOCA_SUCCESS;
        progress_all();
        ck_assert_str_eq(order, "BA");
        ck_assert_uint_eq(n_done, round);
        ck_assert(!wakes());
    }
    ck_assert_uint_eq(n_failed, 0);
    doca_task_free(task);
    doca_task_free(other);
    end(instance);
    free_full();
}
END_TEST

START_TEST(a_node_that_waits_ends_with_its_context)
{
    make_full();
    struct doca_graph_node *node = full_node();
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    struct doca_graph_instance *instance = new_instance(graph);
    struct doca_task *task = fake_task(full, FAKE_PLAIN, FAKE_DONE, 1);
    give(instance, node, task);
    run(instance);
    ck_assert_uint_eq(n_failed, 0);
    ck_assert_int_eq(doca_ctx_stop(&full->ctx), DOCA_SUCCESS);
    progress_all();
    ck_assert_uint_eq(n_failed, 1);
    doca_task_free(task);
    end(instance);
    free_full();
}
END_TEST

START_TEST(a_node_that_waits_ends_with_its_instance)
{
    make_full();
    struct doca_graph_node *node = full_node(), *bad = ctx_node(graph);
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    struct doca_graph_instance *instance = new_instance(graph);
    struct doca_task *task = fake_task(full, FAKE_PLAIN, FAKE_DONE, 1),
                     *fails = fake_task(fake, FAKE_PLAIN, FAKE_FAILS, 2);
    give(instance, node, task);
    give(instance, bad, fails);
    run(instance);
    ck_assert_uint_eq(n_failed, 1);
    fake_settings.prepare = DOCA_SUCCESS;
    progress_all();
    ck_assert_uint_eq(n_done, 0);
    ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS); // it is the program's
    progress_all();
    ck_assert_str_eq(fake_log, "A");
    doca_task_free(task);
    doca_task_free(fails);
    end(instance);
    free_full();
}
END_TEST

// ---- order -------------------------------------------------------------------------------

START_TEST(a_diamond_of_tasks_and_calls)
{
    struct doca_graph_node *top = ctx_node(graph), *left = call_node(graph),
                           *right = ctx_node(graph), *bottom = call_node(graph);
    depend(graph, top, left);
    depend(graph, top, right);
    depend(graph, left, bottom);
    depend(graph, right, bottom);
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    struct doca_graph_instance *instance = new_instance(graph);
    struct doca_task *first = fake_task(fake, FAKE_PLAIN, FAKE_WAITS, 1),
                     *second = fake_task(fake, FAKE_PLAIN, FAKE_DONE, 2);
    give(instance, top, first);
    give(instance, right, second);
    name(instance, left, "L");
    name(instance, bottom, "B");
    run(instance);
    ck_assert_str_eq(order, "");
    ck_assert_int_eq(doca_task_get_status(first), DOCA_ERROR_IN_PROGRESS);
    ck_assert_uint_eq(doca_task_get_user_data(first).u64, 1); // the program's, also meanwhile
    ck_assert_int_eq(doca_task_submit(first), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_graph_instance_submit(instance), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_graph_instance_destroy(instance), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_graph_instance_set_ctx_node_data(instance, top, second),
                     DOCA_ERROR_BAD_STATE);
    fake_let_go = true;
    progress_all();
    ck_assert_str_eq(order, "LB");
    ck_assert_uint_eq(n_done, 1);
    // The tasks' own callbacks are not called, and what they had is theirs again.
    ck_assert_str_eq(fake_log, "");
    ck_assert_uint_eq(doca_task_get_user_data(first).u64, 1);
    // Again, from its own callback.
    submit_again = instance;
    run(instance);
    ck_assert_str_eq(order, "LBLBLB");
    ck_assert_uint_eq(n_done, 3);
    doca_task_free(first);
    doca_task_free(second);
    end(instance);
}
END_TEST

START_TEST(one_call_of_the_program_at_a_time)
{
    struct doca_graph_node *calls[3], *task_node = ctx_node(graph);
    for (int i = 0; i < 3; i++) {
        calls[i] = call_node(graph);
        if (i)
            depend(graph, calls[i - 1], calls[i]);
    }
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    struct doca_graph_instance *instance = new_instance(graph);
    struct doca_task *task = fake_task(fake, FAKE_PLAIN, FAKE_DONE, 1);
    give(instance, task_node, task);
    for (int i = 0; i < 3; i++)
        name(instance, calls[i], "c");
    ck_assert_int_eq(doca_graph_instance_submit(instance), DOCA_SUCCESS);
    ck_assert_str_eq(order, ""); // not before progress
    for (size_t before = 0; doca_pe_progress(pe);) {
        ck_assert_uint_le(strlen(order), before + 1);
        before = strlen(order);
    }
    ck_assert_str_eq(order, "ccc");
    ck_assert_uint_eq(n_done, 1);
    doca_task_free(task);
    end(instance);
}
END_TEST

// ---- failure -----------------------------------------------------------------------------

START_TEST(nothing_starts_after_a_failure)
{
    struct doca_graph_node *bad = ctx_node(graph), *other = ctx_node(graph),
                           *after = call_node(graph);
    depend(graph, bad, after);
    depend(graph, other, after);
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    struct doca_graph_instance *instance = new_instance(graph);
    struct doca_task *fails = fake_task(fake, FAKE_PLAIN, FAKE_FAILS, 1),
                     *waits = fake_task(fake, FAKE_PLAIN, FAKE_WAITS, 2);
    give(instance, bad, fails);
    give(instance, other, waits);
    name(instance, after, "A");
    run(instance);
    ck_assert_uint_eq(n_failed, 0); // the other node is under way
    fake_let_go = true;
    progress_all();
    ck_assert_uint_eq(n_failed, 1);
    ck_assert_uint_eq(n_done, 0);
    ck_assert_str_eq(order, "");
    ck_assert_int_eq(doca_task_get_status(fails), DOCA_ERROR_IO_FAILED);
    fake_set_way(fails, FAKE_DONE);
    user_result = DOCA_ERROR_TIME_OUT;
    run(instance);
    ck_assert_str_eq(order, "A");
    ck_assert_uint_eq(n_failed, 2); // a call fails, too
    doca_task_free(fails);
    doca_task_free(waits);
    end(instance);
}
END_TEST

START_TEST(a_context_that_stops_fails_the_instance)
{
    struct doca_graph_node *node = ctx_node(graph);
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    struct doca_graph_instance *instance = new_instance(graph);
    struct doca_task *task = fake_task(fake, FAKE_PLAIN, FAKE_WAITS, 1);
    give(instance, node, task);
    run(instance);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_ERROR_IN_PROGRESS);
    progress_all();
    ck_assert_uint_eq(n_failed, 1);
    ck_assert_int_eq(fake_state_of(fake), DOCA_CTX_STATE_IDLE);
    ck_assert_int_eq(doca_graph_instance_submit(instance), DOCA_ERROR_INVALID_VALUE);
    doca_task_free(task);
    end(instance);
}
END_TEST

START_TEST(a_task_that_is_gone_fails_the_instance)
{
    struct doca_graph_node *first = ctx_node(graph), *second = ctx_node(graph);
    depend(graph, first, second);
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    struct doca_graph_instance *instance = new_instance(graph);
    struct doca_task *waits = fake_task(fake, FAKE_PLAIN, FAKE_WAITS, 1),
                     *gone = fake_task(fake, FAKE_PLAIN, FAKE_DONE, 2);
    struct doca_log_backend *backend;
    int lines = log_sink();
    ck_assert_int_eq(doca_log_backend_create_with_fd_sdk(lines, &backend), DOCA_SUCCESS);
    give(instance, first, waits);
    give(instance, second, gone);
    run(instance);
    doca_task_free(gone);
    fake_let_go = true;
    progress_all();
    ck_assert_uint_eq(n_failed, 1);
    ck_assert(text_names(log_text(lines), "freed")); // and not only that its state is bad
    doca_task_free(waits);
    end(instance);
}
END_TEST

START_TEST(a_fatal_task_stops_its_context)
{
    struct doca_graph_node *node = ctx_node(graph);
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    struct doca_graph_instance *instance = new_instance(graph);
    struct doca_task *task = fake_task(fake, FAKE_FATAL, FAKE_FAILS, 1);
    give(instance, node, task);
    run(instance);
    ck_assert_uint_eq(n_failed, 1);
    ck_assert_int_eq(fake_state_of(fake), DOCA_CTX_STATE_IDLE);
    doca_task_free(task);
    end(instance);
}
END_TEST

// ---- graphs in graphs --------------------------------------------------------------------

START_TEST(sub_graphs)
{
    struct doca_graph *outer = new_graph();
    struct doca_graph_node *inner_task = ctx_node(graph), *inner_call = call_node(graph), *sub;
    depend(graph, inner_task, inner_call);
    ck_assert_int_eq(doca_graph_node_create_from_graph(outer, graph, &sub), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_node_create_from_graph(outer, outer, &sub),
                     DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_graph_node_create_from_graph(outer, graph, &sub), DOCA_SUCCESS);
    struct doca_graph_node *after = call_node(outer);
    depend(outer, sub, after);
    ck_assert_int_eq(doca_graph_start(outer), DOCA_SUCCESS);
    struct doca_graph_instance *whole = new_instance(outer), *part = new_instance(graph);
    struct doca_task *task = fake_task(fake, FAKE_PLAIN, FAKE_DONE, 1);
    give(part, inner_task, task);
    name(part, inner_call, "i");
    name(whole, after, "o");
    ck_assert_int_eq(doca_graph_instance_submit(whole), DOCA_ERROR_INVALID_VALUE); // no data
    ck_assert_int_eq(doca_graph_instance_set_sub_graph_node_data(whole, sub, part), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_instance_submit(part), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_graph_instance_destroy(part), DOCA_ERROR_IN_USE);
    run(whole);
    ck_assert_str_eq(order, "io");
    ck_assert_uint_eq(n_done, 1);
    fake_set_way(task, FAKE_FAILS);
    run(whole);
    ck_assert_str_eq(order, "io");
    ck_assert_uint_eq(n_failed, 1);
    doca_task_free(task);
    end(whole);
    end(part);
    ck_assert_int_eq(doca_graph_destroy(graph), DOCA_ERROR_BAD_STATE);
    end_graph(outer);
}
END_TEST

// ---- what is refused ---------------------------------------------------------------------

START_TEST(states_and_limits)
{
    struct doca_graph_instance *none = NULL;
    struct doca_graph *bare;

    ck_assert_int_eq(doca_graph_start(graph), DOCA_ERROR_BAD_STATE); // no context node
    struct doca_graph_node *a = ctx_node(graph), *b = call_node(graph);
    depend(graph, a, b);
    ck_assert_int_eq(doca_graph_add_dependency(graph, b, a), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_graph_instance_create(graph, &none), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_start(graph), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_graph_set_conf(graph, done, failed, 1), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_graph_set_user_data(graph, (union doca_data){0}), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_graph_add_dependency(graph, a, b), DOCA_ERROR_BAD_STATE);
    struct doca_graph_instance *first = new_instance(graph), *second = new_instance(graph);
    ck_assert_int_eq(doca_graph_instance_create(graph, &none), DOCA_ERROR_NO_MEMORY);
    ck_assert_int_eq(doca_graph_stop(graph), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_ERROR_IN_USE);
    end(first);
    end(second);
    ck_assert_int_eq(doca_graph_destroy(graph), DOCA_ERROR_BAD_STATE); // started
    // Without callbacks, or with a context that does not run.
    ck_assert_int_eq(doca_graph_create(pe, &bare), DOCA_SUCCESS);
    ctx_node(bare);
    ck_assert_int_eq(doca_graph_start(bare), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_graph_set_conf(bare, done, failed, 1), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(&fake->ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_start(bare), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_graph_stop(bare), DOCA_SUCCESS); // has nothing to do
    ck_assert_int_eq(doca_graph_destroy(bare), DOCA_SUCCESS);
}
END_TEST

START_TEST(data_of_others)
{
    struct fake *stranger = fake_new_started(pe, 1);
    struct doca_graph *outer = new_graph(), *other = new_graph();
    struct doca_graph_node *inner_task = ctx_node(graph), *other_task = ctx_node(other), *sub;
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_start(other), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_node_create_from_graph(outer, graph, &sub), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_start(outer), DOCA_SUCCESS);
    struct doca_graph_instance *whole = new_instance(outer), *part = new_instance(graph),
                               *foreign = new_instance(other);
    struct doca_task *task = fake_task(fake, FAKE_PLAIN, FAKE_WAITS, 1),
                     *strange = fake_task(stranger, FAKE_PLAIN, FAKE_DONE, 2);
    ck_assert_int_eq(doca_graph_instance_set_ctx_node_data(part, inner_task, strange),
                     DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_graph_instance_set_ctx_node_data(part, other_task, task),
                     DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_graph_instance_set_sub_graph_node_data(whole, sub, foreign),
                     DOCA_ERROR_NOT_PERMITTED);
    give(part, inner_task, task);
    run(part);
    ck_assert_int_eq(doca_graph_instance_set_sub_graph_node_data(whole, sub, part),
                     DOCA_ERROR_NOT_PERMITTED); // in flight
    fake_let_go = true;
    progress_all();
    ck_assert_int_eq(doca_graph_instance_set_sub_graph_node_data(whole, sub, part), DOCA_SUCCESS);
    doca_task_free(task);
    doca_task_free(strange);
    end(whole);
    end(part);
    end(foreign);
    end_graph(outer);
    end_graph(other);
    ck_assert_int_eq(doca_ctx_stop(&stranger->ctx), DOCA_SUCCESS);
    fake_free(stranger);
}
END_TEST

START_TEST(null_is_refused)
{
    struct doca_graph *none = NULL;
    struct doca_graph_node *node = ctx_node(graph);
    struct doca_graph_instance *instance = NULL;
    union doca_data data;

    ck_assert_int_eq(doca_graph_create(NULL, &none), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_create(pe, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_set_conf(graph, NULL, failed, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_set_conf(graph, done, failed, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_get_user_data(graph, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_get_user_data(graph, &data), DOCA_SUCCESS);
    ck_assert_uint_eq(data.u64, 22);
    ck_assert_int_eq(doca_graph_node_create_from_ctx(graph, NULL, &node), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_node_create_from_user(graph, NULL, &node),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_node_create_from_graph(graph, NULL, &node),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_add_dependency(graph, node, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_start(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_stop(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_instance_create(NULL, &instance), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_instance_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_instance_submit(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_start(graph), DOCA_SUCCESS);
    instance = new_instance(graph);
    ck_assert_int_eq(doca_graph_instance_get_user_data(instance, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_instance_set_ctx_node_data(instance, node, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_instance_set_user_node_data(instance, NULL, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_graph_instance_set_user_node_data(instance, node, NULL),
                     DOCA_ERROR_INVALID_VALUE); // of another kind
    ck_assert_int_eq(doca_graph_instance_set_sub_graph_node_data(instance, node, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    end(instance);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("graph_tasks");
    tcase_add_checked_fixture(tcase, setup, teardown);
    const TTest *const tests[] = {
        a_node_waits_until_its_context_takes_tasks,
        a_node_that_waits_ends_with_its_context,
        a_node_that_waits_ends_with_its_instance,
        a_diamond_of_tasks_and_calls,
        one_call_of_the_program_at_a_time,
        nothing_starts_after_a_failure,
        a_context_that_stops_fails_the_instance,
        a_task_that_is_gone_fails_the_instance,
        a_fatal_task_stops_its_context,
        sub_graphs,
        states_and_limits,
        data_of_others,
        null_is_refused,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    return unit_run_case("graph_tasks", tcase);
}

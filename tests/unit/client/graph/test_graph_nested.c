// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Instances that run: sub-graphs, places in the work queue, full contexts, many at a time,
// event-driven mode.

#include "fake_graph.h"
#include "unit.h"

#include <poll.h>

// ---- sub-graphs ------------------------------------------------------------------------------

// outer: first -> sub -> last
struct nested {
    struct test inner;
    struct doca_graph *graph;
    struct doca_graph_node *first, *sub, *last;
    struct doca_graph_instance *instance;
    struct fake_job before, after;
    struct doca_event event;
};

static void nested_start(struct nested *t)
{
    TEST_START(&t->inner, "ccu", {0, 2}, {1, 2});
    t->before = fake_ctx_job(&fake, 20);
    t->after = fake_ctx_job(&fake, 21);
    WORKS(doca_graph_create(&t->graph));
    WORKS(doca_graph_ctx_node_create(t->graph, FAKE_JOB, &fake.ctx, &t->first));
    WORKS(doca_graph_sub_graph_node_create(t->graph, t->inner.graph, &t->sub));
    WORKS(doca_graph_ctx_node_create(t->graph, FAKE_JOB, &fake.ctx, &t->last));
    WORKS(doca_graph_add_dependency(t->graph, t->first, t->sub));
    WORKS(doca_graph_add_dependency(t->graph, t->sub, t->last));
    WORKS(doca_graph_start(t->graph));
    WORKS(doca_graph_workq_add(t->graph, workq));
    WORKS(doca_graph_instance_create(t->graph, &t->instance));
    WORKS(doca_graph_instance_set_ctx_node_data(t->instance, t->first, &t->before.base, NULL));
    WORKS(doca_graph_instance_set_ctx_node_data(t->instance, t->last, &t->after.base, NULL));
    ck_assert_int_eq(doca_workq_graph_submit(workq, t->instance, (union doca_data){0}),
                     DOCA_ERROR_INVALID_VALUE); // the sub-graph node has no data
    WORKS(doca_graph_instance_set_sub_graph_node_data(t->instance, t->sub, t->inner.instance,
                                                      &t->event));
}

static void nested_end(struct nested *t)
{
    WORKS(doca_graph_instance_destroy(t->instance));
    WORKS(doca_graph_workq_rm(t->graph, workq));
    WORKS(doca_graph_destroy(t->graph));
    test_end(&t->inner);
}

START_TEST(sub_graphs)
{
    struct nested t;
    union doca_data result;
    uint64_t id;
    setup();
    nested_start(&t);
    ck_assert_int_eq(doca_workq_graph_submit(workq, t.inner.instance, (union doca_data){0}),
                     DOCA_ERROR_IN_USE);
    for (int round = 0; round < 3; round++) {
        fake_executed = 0;
        submit(t.instance, 7);
        ck_assert_int_eq(doca_graph_instance_set_ctx_node_data(t.inner.instance, t.inner.nodes[0],
                                                               &t.inner.jobs[0].base, NULL),
                         DOCA_ERROR_BAD_STATE); // in flight with the outer one
        WORKS(wait_for(&id, NULL));
        ck_assert_uint_eq(id, 7);
        ck_assert_uint_eq(fake_executed, 5);
        ck_assert(fake_order[0] == 20 && fake_order[3] == 2 && fake_order[4] == 21);
        WORKS(doca_graph_instance_node_get_result(t.instance, t.sub, &result));
        ck_assert_uint_eq(result.u64, DOCA_SUCCESS);
        ck_assert_int_eq(t.event.type, DOCA_GRAPH_JOB);
    }
    assert_places(64);
    nested_end(&t);
    teardown();
}
END_TEST

START_TEST(failures_in_sub_graphs)
{
    const struct doca_graph_node *failed[3];
    struct nested t;
    uint32_t n = 3;
    setup();
    nested_start(&t);
    t.inner.jobs[1].ends = DOCA_ERROR_NOT_CONNECTED;
    t.inner.jobs[0].waits = true;
    submit(t.instance, 7);
    poll_some(); // for the other one that is in flight
    fake_let_go[0] = true;
    ck_assert_int_eq(wait_for(NULL, NULL), DOCA_ERROR_NOT_CONNECTED);
    ck_assert_uint_eq(t.event.result.u64, DOCA_ERROR_NOT_CONNECTED);
    assert_failed(&t.inner, 1);
    ck_assert_int_eq(state_of(&t.inner, 0), COMPLETED);
    ck_assert_int_eq(state_of(&t.inner, 2), NOT_STARTED);
    WORKS(doca_graph_instance_get_failed_nodes(t.instance, failed, &n));
    ck_assert(n == 1 && failed[0] == t.sub);
    ck_assert_uint_eq(fake_executed, 3);
    assert_places(64);
    t.inner.jobs[1].ends = DOCA_SUCCESS;
    submit(t.instance, 7);
    WORKS(wait_for(NULL, NULL));
    nested_end(&t);
    teardown();
}
END_TEST

// ---- places, and full contexts -----------------------------------------------------------------

START_TEST(places_in_the_queue)
{
    struct fake_job job;
    struct doca_event ev;
    struct nested t;
    setup_mode(5, false); // 4 context nodes in all, and one
    nested_start(&t);
    job = fake_ctx_job(&fake, 30);
    for (int round = 0; round < 3; round++) {
        WORKS(doca_workq_submit(workq, &job.base));
        // A refusal changes nothing: no place is taken, and the results of the last run stay.
        ck_assert_int_eq(doca_workq_graph_submit(workq, t.instance, (union doca_data){0}),
                         DOCA_ERROR_NO_MEMORY);
        ck_assert_int_eq(state_of(&t.inner, 0), round ? COMPLETED : NOT_STARTED);
        WORKS(doca_workq_progress_retrieve(workq, &ev, 0));
        assert_places(5);
        submit(t.instance, 1);
        ck_assert_int_eq(doca_workq_submit(workq, &job.base), DOCA_ERROR_NO_MEMORY);
        WORKS(wait_for(NULL, NULL));
    }
    assert_places(5);
    nested_end(&t);
    teardown();
}
END_TEST

START_TEST(a_full_context_delays)
{
    struct test t;
    setup();
    TEST_START(&t, "ccccccu", {0, 6}, {1, 6}, {2, 6}, {3, 6}, {4, 6}, {5, 6});
    for (unsigned i = 0; i < 6; i++)
        t.jobs[i].waits = true;
    fake.room = 2;
    submit(t.instance, 1);
    for (unsigned i = 0; i < 6; i += 2) {
        poll_some();
        ck_assert_uint_eq(fake_executed, i + 2);
        ck_assert_int_eq(state_of(&t, i), STARTED);
        ck_assert(i == 4 || state_of(&t, i + 2) == NOT_STARTED);
        fake_let_go[i] = fake_let_go[i + 1] = true;
    }
    WORKS(wait_for(NULL, NULL));
    ck_assert_uint_gt(fake.delayed, 0);
    for (unsigned i = 0; i < 6; i++)
        ck_assert_uint_eq(fake_order[i], i); // no one overtakes
    test_end(&t);
    teardown();
}
END_TEST

// Full for the time of a plain job, which has nothing to do with the instance.
START_TEST(a_context_filled_by_others)
{
    struct doca_event ev;
    struct fake_job job;
    struct test t;
    setup();
    test_start(&t, "cc", NULL, 0);
    fake.room = 1;
    job = fake_ctx_job(&fake, 60);
    job.waits = true;
    WORKS(doca_workq_submit(workq, &job.base));
    submit(t.instance, 1);
    poll_some();
    ck_assert_uint_eq(fake_executed, 1);
    fake_let_go[60] = true;
    WORKS(doca_workq_progress_retrieve(workq, &ev, 0));
    ck_assert_int_eq(ev.type, FAKE_JOB);
    WORKS(wait_for(NULL, NULL));
    test_end(&t);
    teardown();
}
END_TEST

static unsigned calls;

static doca_error_t count(void *cookie, struct doca_event *ev)
{
    ck_assert(!cookie && !ev);
    calls++;
    return DOCA_SUCCESS;
}

START_TEST(many_instances_at_a_time)
{
    enum { N = 16 };
    struct doca_graph_instance *instances[N];
    struct doca_graph *graph;
    struct doca_graph_node *nodes[3];
    struct fake_job job;
    unsigned seen[N] = {0};
    uint64_t id;
    setup_mode(N * 3, false);
    job = fake_ctx_job(&fake, 1);
    WORKS(doca_graph_create(&graph));
    for (size_t i = 0; i < 2; i++)
        WORKS(doca_graph_ctx_node_create(graph, FAKE_JOB, &fake.ctx, &nodes[i]));
    WORKS(doca_graph_user_node_create(graph, count, &nodes[2]));
    for (size_t i = 0; i < 2; i++)
        WORKS(doca_graph_add_dependency(graph, nodes[i], nodes[2]));
    WORKS(doca_graph_start(graph));
    WORKS(doca_graph_workq_add(graph, workq));
    for (size_t i = 0; i < N; i++) {
        WORKS(doca_graph_instance_create(graph, &instances[i]));
        for (unsigned j = 0; j < 2; j++)
            WORKS(doca_graph_instance_set_ctx_node_data(instances[i], nodes[j], &job.base, NULL));
    }
    calls = 0;
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < N; i++)
            submit(instances[i], i);
        for (size_t i = 0; i < N; i++) {
            WORKS(wait_for(&id, NULL));
            ck_assert_uint_lt(id, N);
            seen[id]++;
        }
    }
    ck_assert_uint_eq(calls, 2 * N);
    for (size_t i = 0; i < N; i++) {
        ck_assert_uint_eq(seen[i], 2);
        WORKS(doca_graph_instance_destroy(instances[i]));
    }
    assert_places(N * 3);
    WORKS(doca_graph_workq_rm(graph, workq));
    WORKS(doca_graph_destroy(graph));
    teardown();
}
END_TEST

// ---- event-driven mode ------------------------------------------------------------------------

static bool readable(doca_event_handle_t handle)
{
    struct pollfd p = {.fd = handle, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static unsigned callbacks_called(void)
{
    unsigned n = 0;
    for (size_t i = 0; i < NODES_MAX; i++)
        n += cookies[i].calls;
    return n;
}

START_TEST(the_event_handle)
{
    doca_event_handle_t handle;
    struct doca_event ev;
    struct test t;
    doca_error_t r = DOCA_ERROR_AGAIN;
    setup_mode(64, true);
    WORKS(doca_workq_get_event_handle(workq, &handle));
    TEST_START(&t, "cuucuc", {0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5});
    WORKS(doca_workq_event_handle_arm(workq));
    ck_assert(!readable(handle));
    submit(t.instance, 1); // while armed
    ck_assert(readable(handle));
    for (unsigned n = 0; r == DOCA_ERROR_AGAIN; n++) {
        ck_assert_uint_lt(n, 20);
        unsigned before = callbacks_called();
        WORKS(doca_workq_event_handle_arm(workq));
        ck_assert_uint_eq(callbacks_called(), before); // not now
        ck_assert(readable(handle));
        WORKS(doca_workq_event_handle_clear(workq, handle));
        r = doca_workq_progress_retrieve(workq, &ev, 0);
    }
    WORKS(r);
    WORKS((doca_error_t)ev.result.u64);
    ck_assert_uint_eq(callbacks_called(), 3);
    // A node that waits lets the program sleep.
    t.jobs[3].waits = true;
    submit(t.instance, 1);
    poll_some();
    WORKS(doca_workq_event_handle_arm(workq));
    ck_assert(!readable(handle));
    fake_let_go[3] = true;
    WORKS(wait_for(NULL, NULL));
    test_end(&t);
    teardown();
}
END_TEST

// A job that a context puts off waits for nobody else: whoever sleeps would sleep for ever.
START_TEST(a_job_put_off)
{
    doca_event_handle_t handle;
    struct doca_event ev;
    struct test t;
    setup_mode(64, true);
    WORKS(doca_workq_get_event_handle(workq, &handle));
    test_start(&t, "c", NULL, 0);
    t.jobs[0].later = true;
    submit(t.instance, 1);
    WORKS(doca_workq_event_handle_arm(workq)); // the job is executed, and put off
    ck_assert_uint_eq(fake_executed, 1);
    ck_assert(readable(handle));
    WORKS(doca_workq_event_handle_clear(workq, handle));
    WORKS(doca_workq_progress_retrieve(workq, &ev, 0));
    WORKS((doca_error_t)ev.result.u64);
    test_end(&t);
    teardown();
}
END_TEST

UNIT_MAIN("graph_nested", sub_graphs, failures_in_sub_graphs, places_in_the_queue,
          a_full_context_delays, a_context_filled_by_others, many_instances_at_a_time,
          the_event_handle, a_job_put_off)

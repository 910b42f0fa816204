// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Instances that run: order, callbacks, results, failures.

#include "fake_graph.h"
#include "unit.h"

// ---- order -------------------------------------------------------------------------------

START_TEST(one_node)
{
    struct test t;
    uint64_t id;
    setup();
    test_start(&t, "c", NULL, 0);
    for (uint64_t i = 0; i < 3; i++) {
        submit(t.instance, 40 + i);
        WORKS(wait_for(&id, NULL));
        ck_assert_uint_eq(id, 40 + i);
        ck_assert_int_eq(t.events[0].type, FAKE_JOB);
        ck_assert_uint_eq(t.events[0].user_data.u64, 0);
        ck_assert_uint_eq(result_of(&t, 0), DOCA_SUCCESS);
    }
    assert_places(64);
    test_end(&t);
    teardown();
}
END_TEST

// Two jobs beside each other between one before and one after, then a callback.
START_TEST(a_diamond)
{
    struct test t;
    unsigned again;
    setup();
    TEST_START(&t, "ccccu", {0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4});
    for (int round = 0; round < 3; round++) { // and again
        fake_executed = 0;
        submit(t.instance, 1);
        WORKS(wait_for(NULL, &again));
        ck_assert_uint_ge(again, 4); // one for each node but the last
        ck_assert_uint_eq(fake_executed, 5);
        ck_assert(fake_order[0] == 0 && fake_order[1] + fake_order[2] == 3 && fake_order[3] == 3 &&
                  fake_order[4] == 4);
        for (unsigned i = 0; i < 5; i++) {
            ck_assert_int_eq(state_of(&t, i), COMPLETED);
            ck_assert_uint_eq(result_of(&t, i), DOCA_SUCCESS);
        }
    }
    ck_assert_uint_eq(cookies[4].calls, 3);
    assert_places(64);
    test_end(&t);
    teardown();
}
END_TEST

START_TEST(nodes_wait_for_each_of_theirs)
{
    struct test t;
    setup();
    TEST_START(&t, "cccc", {0, 3}, {1, 3}, {2, 3});
    for (unsigned i = 0; i < 3; i++)
        t.jobs[i].waits = true;
    submit(t.instance, 1);
    poll_some();
    ck_assert_uint_eq(fake_executed, 3); // all of them beside each other
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(state_of(&t, i), STARTED);
        ck_assert_int_eq(state_of(&t, 3), NOT_STARTED);
        union doca_data result;
        ck_assert_int_eq(doca_graph_instance_node_get_result(t.instance, t.nodes[i], &result),
                         DOCA_ERROR_BAD_STATE);
        fake_let_go[i] = true;
        if (i < 2)
            poll_some();
    }
    WORKS(wait_for(NULL, NULL));
    ck_assert_uint_eq(fake_order[3], 3);
    test_end(&t);
    teardown();
}
END_TEST

// A callback changes the job of a node that comes later.
static void make_it_fail(struct test *t)
{
    t->jobs[2].ends = DOCA_ERROR_TIME_OUT;
}

START_TEST(callbacks_change_jobs)
{
    struct test t;
    setup();
    TEST_START(&t, "cuc", {0, 1}, {1, 2});
    WORKS(run(&t));
    cookies[1].also = make_it_fail;
    ck_assert_int_eq(run(&t), DOCA_ERROR_TIME_OUT);
    test_end(&t);
    teardown();
}
END_TEST

// Callbacks submit to the queue that they run in.
static struct test *second;

static void submit_more(struct test *t)
{
    struct fake_job job = fake_ctx_job(&fake, 50);
    (void)t;
    WORKS(doca_workq_submit(workq, &job.base));
    submit(second->instance, 2);
}

START_TEST(callbacks_submit)
{
    struct test t, t2;
    struct doca_event ev;
    unsigned seen = 0;
    setup();
    test_start(&t2, "c", NULL, 0);
    second = &t2;
    TEST_START(&t, "cuc", {0, 1}, {1, 2});
    cookies[1].also = submit_more;
    submit(t.instance, 1);
    for (unsigned polls = 0; seen < 3; polls++) {
        doca_error_t r = doca_workq_progress_retrieve(workq, &ev, 0);
        ck_assert_uint_lt(polls, 1000);
        seen += r == DOCA_SUCCESS;
        ck_assert(r == DOCA_SUCCESS || r == DOCA_ERROR_AGAIN);
    }
    test_end(&t);
    test_end(&t2);
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

START_TEST(callbacks_without_data)
{
    struct doca_graph *graph;
    struct doca_graph_node *node, *user;
    struct doca_graph_instance *instance;
    struct fake_job job;
    setup();
    job = fake_ctx_job(&fake, 1);
    WORKS(doca_graph_create(&graph));
    WORKS(doca_graph_ctx_node_create(graph, FAKE_JOB, &fake.ctx, &node));
    WORKS(doca_graph_user_node_create(graph, count, &user));
    WORKS(doca_graph_start(graph));
    WORKS(doca_graph_workq_add(graph, workq));
    WORKS(doca_graph_instance_create(graph, &instance));
    WORKS(doca_graph_instance_set_ctx_node_data(instance, node, &job.base, NULL));
    submit(instance, 1);
    WORKS(wait_for(NULL, NULL));
    ck_assert_uint_eq(calls, 1);
    WORKS(doca_graph_instance_destroy(instance));
    WORKS(doca_graph_workq_rm(graph, workq));
    WORKS(doca_graph_destroy(graph));
    teardown();
}
END_TEST

// Plain jobs and instances share the queue, each in its turn.
START_TEST(beside_plain_jobs)
{
    struct fake_job job;
    struct doca_event ev;
    struct test t;
    unsigned plain = 0, instances = 0;
    setup();
    job = fake_ctx_job(&fake, 70);
    TEST_START(&t, "cuc", {0, 1}, {1, 2});
    WORKS(doca_workq_submit(workq, &job.base));
    submit(t.instance, 1);
    WORKS(doca_workq_submit(workq, &job.base));
    for (unsigned polls = 0; plain + instances < 3; polls++) {
        ck_assert_uint_lt(polls, 100);
        if (doca_workq_progress_retrieve(workq, &ev, 0) == DOCA_SUCCESS) {
            plain += ev.type == FAKE_JOB;
            instances += ev.type == DOCA_GRAPH_JOB;
        }
    }
    ck_assert(plain == 2 && instances == 1);
    test_end(&t);
    teardown();
}
END_TEST

// ---- failures -----------------------------------------------------------------------------

START_TEST(a_failure_ends_the_instance)
{
    struct test t;
    setup();
    TEST_START(&t, "ccucc", {0, 1}, {1, 2}, {2, 3}, {3, 4});
    // any one of them may fail
    for (unsigned i = 0; i < 5; i++) {
        t.jobs[i].ends = t.returns[i] = DOCA_ERROR_IO_FAILED;
        ck_assert_int_eq(run(&t), DOCA_ERROR_IO_FAILED);
        assert_failed(&t, i);
        ck_assert_uint_eq(result_of(&t, i), DOCA_ERROR_IO_FAILED);
        ck_assert(t.user[i] || t.events[i].result.u64 == DOCA_ERROR_IO_FAILED);
        for (unsigned j = 0; j < 5; j++)
            ck_assert(j == i || state_of(&t, j) == (j < i ? COMPLETED : NOT_STARTED));
        t.jobs[i].ends = t.returns[i] = DOCA_SUCCESS;
        assert_places(64);
    }
    WORKS(run(&t));
    test_end(&t);
    teardown();
}
END_TEST

// Nodes that wait for no other node are not started any more, either.
START_TEST(after_a_failure_nothing_starts)
{
    struct test t;
    setup();
    test_start(&t, "cucc", NULL, 0);
    t.jobs[0].ends = DOCA_ERROR_IO_FAILED;
    ck_assert_int_eq(run(&t), DOCA_ERROR_IO_FAILED);
    assert_failed(&t, 0);
    ck_assert_uint_eq(fake_executed, 1);
    for (unsigned i = 1; i < 4; i++)
        ck_assert_int_eq(state_of(&t, i), NOT_STARTED);
    assert_places(64);
    test_end(&t);
    teardown();
}
END_TEST

// A node of a failed instance is ready while another one is awaited.
START_TEST(nothing_starts_while_others_are_awaited)
{
    struct test t;
    setup();
    test_start(&t, "cccc", NULL, 0);
    t.jobs[0].waits = true;
    t.jobs[1].ends = DOCA_ERROR_IO_FAILED;
    submit(t.instance, 1);
    poll_some();
    ck_assert_uint_eq(fake_executed, 2);
    fake_let_go[0] = true;
    ck_assert_int_eq(wait_for(NULL, NULL), DOCA_ERROR_IO_FAILED);
    ck_assert_uint_eq(fake_executed, 2);
    assert_places(64);
    test_end(&t);
    teardown();
}
END_TEST

START_TEST(nodes_in_flight_are_awaited)
{
    const struct doca_graph_node *failed[NODES_MAX];
    struct test t;
    uint32_t n;
    setup();
    TEST_START(&t, "cccccc", {0, 3}, {1, 4}, {2, 5});
    t.jobs[0].waits = t.jobs[1].waits = t.jobs[2].waits = true;
    t.jobs[0].ends = DOCA_ERROR_CONNECTION_RESET;
    t.jobs[1].ends = DOCA_ERROR_TIME_OUT;
    submit(t.instance, 1);
    poll_some();
    fake_let_go[0] = true;
    poll_some();
    ck_assert_int_eq(state_of(&t, 0), FAILED);
    fake_let_go[2] = true;
    poll_some();
    ck_assert_int_eq(state_of(&t, 2), COMPLETED);
    ck_assert_int_eq(state_of(&t, 5), NOT_STARTED);
    ck_assert_int_eq(state_of(&t, 1), STARTED);
    fake_let_go[1] = true;
    ck_assert_int_eq(wait_for(NULL, NULL), DOCA_ERROR_CONNECTION_RESET); // the first
    WORKS(doca_graph_instance_get_num_failed_nodes(t.instance, &n));
    ck_assert_uint_eq(n, 2);
    n = 1; // room for one
    failed[1] = NULL;
    WORKS(doca_graph_instance_get_failed_nodes(t.instance, failed, &n));
    ck_assert(n == 1 && failed[0] == t.nodes[0] && !failed[1]);
    n = 0;
    WORKS(doca_graph_instance_get_failed_nodes(t.instance, failed, &n));
    ck_assert_uint_eq(n, 0);
    ck_assert_uint_eq(fake_executed, 3);
    assert_places(64);
    // and it runs again as if nothing had been
    t.jobs[0].ends = t.jobs[1].ends = DOCA_SUCCESS;
    WORKS(run(&t));
    WORKS(doca_graph_instance_get_num_failed_nodes(t.instance, &n));
    ck_assert_uint_eq(n, 0);
    test_end(&t);
    teardown();
}
END_TEST

START_TEST(refused_jobs_fail_their_node)
{
    struct test t;
    setup();
    TEST_START(&t, "ccc", {0, 1}, {1, 2});
    t.jobs[1].refused = DOCA_ERROR_BAD_STATE;
    ck_assert_int_eq(run(&t), DOCA_ERROR_BAD_STATE);
    assert_failed(&t, 1);
    ck_assert_uint_eq(t.events[1].result.u64, DOCA_ERROR_BAD_STATE);
    t.jobs[1].refused = DOCA_SUCCESS;
    // changed after it was set as data
    t.jobs[1].base.type++;
    ck_assert_int_eq(run(&t), DOCA_ERROR_INVALID_VALUE);
    t.jobs[1].base.type--;
    t.jobs[1].base.flags = 1;
    ck_assert_int_eq(run(&t), DOCA_ERROR_INVALID_VALUE);
    t.jobs[1].base.flags = 0;
    t.jobs[1].base.ctx = NULL;
    ck_assert_int_eq(run(&t), DOCA_ERROR_INVALID_VALUE);
    t.jobs[1].base.ctx = &fake.ctx;
    WORKS(run(&t));
    assert_places(64);
    test_end(&t);
    teardown();
}
END_TEST

UNIT_MAIN("graph_run", one_node, a_diamond, nodes_wait_for_each_of_theirs, callbacks_change_jobs,
          callbacks_submit, callbacks_without_data, beside_plain_jobs, a_failure_ends_the_instance,
          after_a_failure_nothing_starts, nothing_starts_while_others_are_awaited,
          nodes_in_flight_are_awaited, refused_jobs_fail_their_node)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fake_graph.h"

#include <string.h>

struct fake_ctx fake;
struct doca_workq *workq;

void setup_mode(uint32_t depth, bool event_driven)
{
    memset(fake_let_go, 0, sizeof(fake_let_go));
    fake_executed = 0;
    fake_ctx_start(&fake);
    ck_assert_int_eq(doca_workq_create(depth, &workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(workq, event_driven), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(&fake.ctx, workq), DOCA_SUCCESS);
}

void setup(void)
{
    setup_mode(64, false);
}

void teardown(void)
{
    ck_assert_int_eq(doca_ctx_workq_rm(&fake.ctx, workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_destroy(workq), DOCA_SUCCESS);
    fake_ctx_stop(&fake);
}

struct cookie cookies[NODES_MAX];

static doca_error_t called(void *cookie, struct doca_event *ev)
{
    struct cookie *c = cookie;
    struct test *t = c->test;
    enum doca_graph_instance_node_state state;

    WORKS(doca_graph_instance_node_get_state(t->instance, t->nodes[c->id], &state));
    ck_assert_int_eq(state, DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED);
    ck_assert_ptr_eq(ev, &t->events[c->id]);
    fake_order[fake_executed++] = c->id;
    c->calls++;
    if (c->also)
        c->also(t);
    return t->returns[c->id];
}

void test_start(struct test *t, const char *kinds, const unsigned (*edges)[2], size_t n_edges)
{
    memset(t, 0, sizeof(*t));
    t->n = strlen(kinds);
    WORKS(doca_graph_create(&t->graph));
    for (unsigned i = 0; i < t->n; i++) {
        t->user[i] = kinds[i] == 'u';
        t->jobs[i] = fake_ctx_job(&fake, i);
        if (t->user[i])
            WORKS(doca_graph_user_node_create(t->graph, called, &t->nodes[i]));
        else
            WORKS(doca_graph_ctx_node_create(t->graph, FAKE_JOB, &fake.ctx, &t->nodes[i]));
    }
    for (size_t i = 0; i < n_edges; i++)
        WORKS(doca_graph_add_dependency(t->graph, t->nodes[edges[i][0]], t->nodes[edges[i][1]]));
    WORKS(doca_graph_start(t->graph));
    WORKS(doca_graph_workq_add(t->graph, workq));
    WORKS(doca_graph_instance_create(t->graph, &t->instance));
    for (unsigned i = 0; i < t->n; i++) {
        cookies[i] = (struct cookie){.test = t, .id = i};
        if (t->user[i])
            WORKS(doca_graph_instance_set_user_node_data(t->instance, t->nodes[i], &cookies[i],
                                                         &t->events[i]));
        else
            WORKS(doca_graph_instance_set_ctx_node_data(t->instance, t->nodes[i], &t->jobs[i].base,
                                                        &t->events[i]));
    }
}

void test_end(struct test *t)
{
    WORKS(doca_graph_instance_destroy(t->instance));
    WORKS(doca_graph_workq_rm(t->graph, workq));
    WORKS(doca_graph_stop(t->graph));
    WORKS(doca_graph_destroy(t->graph));
}

void submit(struct doca_graph_instance *instance, uint64_t id)
{
    WORKS(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = id}));
}

doca_error_t wait_for(uint64_t *id, unsigned *again)
{
    struct doca_event ev = {0};
    unsigned n = 0;
    doca_error_t r;

    while ((r = doca_workq_progress_retrieve(workq, &ev, 0)) == DOCA_ERROR_AGAIN)
        ck_assert_uint_lt(++n, 100000);
    ck_assert_int_eq(r, DOCA_SUCCESS);
    ck_assert_int_eq(ev.type, DOCA_GRAPH_JOB);
    if (id)
        *id = ev.user_data.u64;
    if (again)
        *again = n;
    return (doca_error_t)ev.result.u64;
}

doca_error_t run(struct test *t)
{
    submit(t->instance, 1);
    return wait_for(NULL, NULL);
}

void poll_some(void)
{
    struct doca_event ev;
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(doca_workq_progress_retrieve(workq, &ev, 0), DOCA_ERROR_AGAIN);
}

enum doca_graph_instance_node_state state_of(struct test *t, unsigned node)
{
    enum doca_graph_instance_node_state state;
    WORKS(doca_graph_instance_node_get_state(t->instance, t->nodes[node], &state));
    return state;
}

uint64_t result_of(struct test *t, unsigned node)
{
    union doca_data result;
    WORKS(doca_graph_instance_node_get_result(t->instance, t->nodes[node], &result));
    return result.u64;
}

void assert_places(unsigned n)
{
    struct fake_job job = fake_ctx_job(&fake, 99);
    struct doca_event ev;
    for (unsigned i = 0; i < n; i++)
        WORKS(doca_workq_submit(workq, &job.base));
    ck_assert_int_eq(doca_workq_submit(workq, &job.base), DOCA_ERROR_NO_MEMORY);
    for (unsigned i = 0; i < n; i++)
        WORKS(doca_workq_progress_retrieve(workq, &ev, 0));
}

void assert_failed(struct test *t, unsigned node)
{
    const struct doca_graph_node *failed[NODES_MAX];
    uint32_t n;
    WORKS(doca_graph_instance_get_num_failed_nodes(t->instance, &n));
    ck_assert_uint_eq(n, 1);
    n = NODES_MAX;
    WORKS(doca_graph_instance_get_failed_nodes(t->instance, failed, &n));
    ck_assert_uint_eq(n, 1);
    ck_assert_ptr_eq(failed[0], t->nodes[node]);
    ck_assert_int_eq(state_of(t, node), FAILED);
}

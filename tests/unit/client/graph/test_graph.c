// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Graphs and instances as they are made and taken apart: every refusal, in every state.

#include "fake_ctx.h"
#include "unit.h"

#include <doca_graph.h>

static struct fake_ctx fake, other;
static struct doca_workq *workq;
static struct doca_graph *graph;
static struct doca_graph_node *ctx_node, *user_node;

static doca_error_t nothing(void *cookie, struct doca_event *ev)
{
    (void)cookie, (void)ev;
    return DOCA_SUCCESS;
}

static void setup(void)
{
    fake_ctx_start(&fake);
    fake_ctx_start(&other);
    ck_assert_int_eq(doca_workq_create(8, &workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(&fake.ctx, workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_create(&graph), DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_ctx_node_create(graph, FAKE_JOB, &fake.ctx, &ctx_node),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_graph_user_node_create(graph, nothing, &user_node), DOCA_SUCCESS);
}

static void teardown(void)
{
    ck_assert_int_eq(doca_graph_destroy(graph), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_rm(&fake.ctx, workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_destroy(workq), DOCA_SUCCESS);
    fake_ctx_stop(&fake);
    fake_ctx_stop(&other);
}

#define REFUSED(code, call) ck_assert_int_eq(call, DOCA_ERROR_##code)
#define WORKS(call)         ck_assert_int_eq(call, DOCA_SUCCESS)

START_TEST(null_arguments)
{
    struct doca_graph_node *node = NULL;
    struct doca_graph_instance *instance, *none = NULL;
    const struct doca_graph_node *failed[1];
    struct fake_job job = fake_ctx_job(&fake, 1);
    enum doca_graph_instance_node_state state;
    union doca_data data = {0};
    struct doca_event ev;
    uint32_t n = 1;
    setup();
    REFUSED(INVALID_VALUE, doca_graph_create(NULL));
    REFUSED(INVALID_VALUE, doca_graph_destroy(NULL));
    REFUSED(INVALID_VALUE, doca_graph_ctx_node_create(NULL, FAKE_JOB, &fake.ctx, &node));
    REFUSED(INVALID_VALUE, doca_graph_ctx_node_create(graph, FAKE_JOB, NULL, &node));
    REFUSED(INVALID_VALUE, doca_graph_ctx_node_create(graph, FAKE_JOB, &fake.ctx, NULL));
    REFUSED(INVALID_VALUE, doca_graph_user_node_create(NULL, nothing, &node));
    REFUSED(INVALID_VALUE, doca_graph_user_node_create(graph, NULL, &node));
    REFUSED(INVALID_VALUE, doca_graph_user_node_create(graph, nothing, NULL));
    REFUSED(INVALID_VALUE, doca_graph_sub_graph_node_create(NULL, graph, &node));
    REFUSED(INVALID_VALUE, doca_graph_sub_graph_node_create(graph, NULL, &node));
    REFUSED(INVALID_VALUE, doca_graph_sub_graph_node_create(graph, graph, NULL));
    REFUSED(INVALID_VALUE, doca_graph_add_dependency(NULL, ctx_node, user_node));
    REFUSED(INVALID_VALUE, doca_graph_add_dependency(graph, NULL, user_node));
    REFUSED(INVALID_VALUE, doca_graph_add_dependency(graph, ctx_node, NULL));
    REFUSED(INVALID_VALUE, doca_graph_start(NULL));
    REFUSED(INVALID_VALUE, doca_graph_stop(NULL));
    WORKS(doca_graph_start(graph));
    REFUSED(INVALID_VALUE, doca_graph_workq_add(NULL, workq));
    REFUSED(INVALID_VALUE, doca_graph_workq_add(graph, NULL));
    REFUSED(INVALID_VALUE, doca_graph_workq_rm(NULL, workq));
    REFUSED(INVALID_VALUE, doca_graph_workq_rm(graph, NULL));
    REFUSED(INVALID_VALUE, doca_graph_instance_create(NULL, &none));
    REFUSED(INVALID_VALUE, doca_graph_instance_create(graph, NULL));
    REFUSED(INVALID_VALUE, doca_graph_instance_destroy(NULL));
    WORKS(doca_graph_instance_create(graph, &instance));
    REFUSED(INVALID_VALUE, doca_graph_instance_set_ctx_node_data(NULL, ctx_node, &job.base, &ev));
    REFUSED(INVALID_VALUE, doca_graph_instance_set_ctx_node_data(instance, NULL, &job.base, &ev));
    REFUSED(INVALID_VALUE, doca_graph_instance_set_ctx_node_data(instance, ctx_node, NULL, &ev));
    REFUSED(INVALID_VALUE, doca_graph_instance_set_user_node_data(NULL, user_node, NULL, NULL));
    REFUSED(INVALID_VALUE, doca_graph_instance_set_user_node_data(instance, NULL, NULL, NULL));
    REFUSED(INVALID_VALUE,
            doca_graph_instance_set_sub_graph_node_data(NULL, user_node, instance, NULL));
    REFUSED(INVALID_VALUE,
            doca_graph_instance_set_sub_graph_node_data(instance, NULL, instance, NULL));
    REFUSED(INVALID_VALUE,
            doca_graph_instance_set_sub_graph_node_data(instance, user_node, NULL, NULL));
    REFUSED(INVALID_VALUE, doca_workq_graph_submit(NULL, instance, data));
    REFUSED(INVALID_VALUE, doca_workq_graph_submit(workq, NULL, data));
    REFUSED(INVALID_VALUE, doca_graph_instance_get_num_failed_nodes(NULL, &n));
    REFUSED(INVALID_VALUE, doca_graph_instance_get_num_failed_nodes(instance, NULL));
    REFUSED(INVALID_VALUE, doca_graph_instance_get_failed_nodes(NULL, failed, &n));
    REFUSED(INVALID_VALUE, doca_graph_instance_get_failed_nodes(instance, NULL, &n));
    REFUSED(INVALID_VALUE, doca_graph_instance_get_failed_nodes(instance, failed, NULL));
    REFUSED(INVALID_VALUE, doca_graph_instance_node_get_state(NULL, ctx_node, &state));
    REFUSED(INVALID_VALUE, doca_graph_instance_node_get_state(instance, NULL, &state));
    REFUSED(INVALID_VALUE, doca_graph_instance_node_get_state(instance, ctx_node, NULL));
    REFUSED(INVALID_VALUE, doca_graph_instance_node_get_result(NULL, ctx_node, &data));
    REFUSED(INVALID_VALUE, doca_graph_instance_node_get_result(instance, NULL, &data));
    REFUSED(INVALID_VALUE, doca_graph_instance_node_get_result(instance, ctx_node, NULL));
    ck_assert(!node && !none && n == 1);
    WORKS(doca_graph_instance_destroy(instance));
    teardown();
}
END_TEST

START_TEST(states_of_a_graph)
{
    struct doca_graph_node *node = NULL;
    struct doca_graph_instance *instance = NULL;
    setup();
    REFUSED(BAD_STATE, doca_graph_stop(graph));
    REFUSED(BAD_STATE, doca_graph_workq_add(graph, workq));
    REFUSED(BAD_STATE, doca_graph_workq_rm(graph, workq));
    REFUSED(BAD_STATE, doca_graph_instance_create(graph, &instance));
    WORKS(doca_graph_start(graph));
    REFUSED(BAD_STATE, doca_graph_start(graph));
    REFUSED(BAD_STATE, doca_graph_ctx_node_create(graph, FAKE_JOB, &fake.ctx, &node));
    REFUSED(BAD_STATE, doca_graph_user_node_create(graph, nothing, &node));
    REFUSED(BAD_STATE, doca_graph_add_dependency(graph, ctx_node, user_node));
    REFUSED(INVALID_VALUE, doca_graph_workq_rm(graph, workq));
    WORKS(doca_graph_workq_add(graph, workq));
    REFUSED(INVALID_VALUE, doca_graph_workq_add(graph, workq));
    REFUSED(NOT_PERMITTED, doca_graph_stop(graph));
    REFUSED(NOT_PERMITTED, doca_graph_destroy(graph));
    REFUSED(IN_USE, doca_workq_destroy(workq));
    WORKS(doca_graph_workq_rm(graph, workq));
    WORKS(doca_graph_instance_create(graph, &instance));
    REFUSED(NOT_PERMITTED, doca_graph_stop(graph));
    REFUSED(NOT_PERMITTED, doca_graph_destroy(graph));
    WORKS(doca_graph_instance_destroy(instance));
    WORKS(doca_graph_stop(graph));
    ck_assert_ptr_null(node);
    // A stopped graph can be added to; a started one can be destroyed.
    WORKS(doca_graph_user_node_create(graph, nothing, &node));
    WORKS(doca_graph_add_dependency(graph, ctx_node, node));
    WORKS(doca_graph_start(graph));
    teardown();
}
END_TEST

START_TEST(what_a_graph_needs)
{
    struct doca_graph *empty;
    struct doca_graph_node *node;
    setup();
    WORKS(doca_graph_create(&empty));
    REFUSED(INVALID_VALUE, doca_graph_start(empty));
    WORKS(doca_graph_user_node_create(empty, nothing, &node));
    REFUSED(INVALID_VALUE, doca_graph_start(empty)); // callbacks do not make a graph
    WORKS(doca_graph_ctx_node_create(empty, FAKE_JOB, &other.ctx, &node));
    WORKS(doca_ctx_stop(&other.ctx));
    REFUSED(BAD_STATE, doca_graph_start(empty));
    WORKS(doca_ctx_start(&other.ctx));
    WORKS(doca_graph_start(empty));
    REFUSED(BAD_STATE, doca_graph_workq_add(empty, workq)); // without the other context
    WORKS(doca_graph_destroy(empty));
    // A sub-graph with a context node is enough.
    WORKS(doca_graph_create(&empty));
    REFUSED(BAD_STATE, doca_graph_sub_graph_node_create(empty, graph, &node)); // not started
    WORKS(doca_graph_start(graph));
    WORKS(doca_graph_sub_graph_node_create(empty, graph, &node));
    WORKS(doca_graph_start(empty));
    REFUSED(NOT_PERMITTED, doca_graph_stop(graph));
    REFUSED(NOT_PERMITTED, doca_graph_destroy(graph));
    WORKS(doca_graph_workq_add(empty, workq)); // the sub-graph need not be on it
    WORKS(doca_graph_workq_rm(empty, workq));
    WORKS(doca_graph_destroy(empty));
    WORKS(doca_graph_stop(graph));
    teardown();
}
END_TEST

START_TEST(contexts_of_sub_graphs)
{
    struct doca_graph *outer, *inner;
    struct doca_graph_node *node;
    setup();
    WORKS(doca_graph_create(&inner));
    WORKS(doca_graph_create(&outer));
    WORKS(doca_graph_ctx_node_create(inner, FAKE_JOB, &other.ctx, &node));
    WORKS(doca_graph_start(inner));
    WORKS(doca_graph_sub_graph_node_create(outer, inner, &node));
    WORKS(doca_graph_start(outer));
    REFUSED(BAD_STATE, doca_graph_workq_add(outer, workq));
    WORKS(doca_ctx_workq_add(&other.ctx, workq));
    WORKS(doca_graph_workq_add(outer, workq));
    WORKS(doca_graph_workq_rm(outer, workq));
    WORKS(doca_ctx_workq_rm(&other.ctx, workq));
    WORKS(doca_graph_destroy(outer));
    WORKS(doca_graph_destroy(inner));
    teardown();
}
END_TEST

START_TEST(cycles)
{
    enum { N = 1000 };
    static struct doca_graph_node *chain[N];
    struct doca_graph *second;
    struct doca_graph_node *foreign;
    setup();
    REFUSED(NOT_PERMITTED, doca_graph_add_dependency(graph, ctx_node, ctx_node));
    WORKS(doca_graph_add_dependency(graph, ctx_node, user_node));
    WORKS(doca_graph_add_dependency(graph, ctx_node, user_node)); // adding it twice changes nothing
    REFUSED(NOT_PERMITTED, doca_graph_add_dependency(graph, user_node, ctx_node));
    for (size_t i = 0; i < N; i++) {
        WORKS(doca_graph_user_node_create(graph, nothing, &chain[i]));
        WORKS(doca_graph_add_dependency(graph, i ? chain[i - 1] : user_node, chain[i]));
    }
    REFUSED(NOT_PERMITTED, doca_graph_add_dependency(graph, chain[N - 1], ctx_node));
    REFUSED(NOT_PERMITTED, doca_graph_add_dependency(graph, chain[N - 1], chain[0]));
    WORKS(doca_graph_add_dependency(graph, ctx_node, chain[N - 1])); // a shortcut is not a circle
    // A node can depend on another in two ways.
    WORKS(doca_graph_add_dependency(graph, chain[3], chain[500]));
    REFUSED(NOT_PERMITTED, doca_graph_add_dependency(graph, chain[500], chain[3]));
    REFUSED(NOT_PERMITTED, doca_graph_sub_graph_node_create(graph, graph, &foreign));
    WORKS(doca_graph_create(&second));
    WORKS(doca_graph_user_node_create(second, nothing, &foreign));
    REFUSED(NOT_PERMITTED, doca_graph_add_dependency(graph, foreign, user_node));
    REFUSED(NOT_PERMITTED, doca_graph_add_dependency(graph, user_node, foreign));
    REFUSED(NOT_PERMITTED, doca_graph_add_dependency(second, user_node, ctx_node));
    WORKS(doca_graph_destroy(second));
    teardown();
}
END_TEST

START_TEST(graphs_in_graphs_have_an_end)
{
    struct doca_graph *nested[20];
    struct doca_graph_node *node = NULL;
    unsigned n = 0;
    doca_error_t r;
    setup();
    WORKS(doca_graph_start(graph));
    for (struct doca_graph *inner = graph;; inner = nested[n++]) {
        ck_assert_uint_lt(n, 20);
        WORKS(doca_graph_create(&nested[n]));
        r = doca_graph_sub_graph_node_create(nested[n], inner, &node);
        if (r != DOCA_SUCCESS)
            break;
        WORKS(doca_graph_start(nested[n]));
    }
    ck_assert_int_eq(r, DOCA_ERROR_NO_MEMORY);
    ck_assert_uint_eq(n, 16);
    // From outside to inside, or not at all.
    REFUSED(NOT_PERMITTED, doca_graph_destroy(nested[0]));
    for (unsigned i = n + 1; i-- > 0;)
        WORKS(doca_graph_destroy(nested[i]));
    teardown();
}
END_TEST

START_TEST(data_of_instances)
{
    struct doca_graph *outer;
    struct doca_graph_node *sub_node, *second;
    struct doca_graph_instance *inner, *inner2, *instance, *instance2;
    struct fake_job job = fake_ctx_job(&fake, 1), wrong = fake_ctx_job(&other, 1);
    enum doca_graph_instance_node_state state;
    union doca_data result;
    setup();
    WORKS(doca_graph_start(graph));
    WORKS(doca_graph_create(&outer));
    WORKS(doca_graph_sub_graph_node_create(outer, graph, &sub_node));
    WORKS(doca_graph_sub_graph_node_create(outer, graph, &second));
    WORKS(doca_graph_start(outer));
    WORKS(doca_graph_instance_create(graph, &inner));
    WORKS(doca_graph_instance_create(graph, &inner2));
    WORKS(doca_graph_instance_create(outer, &instance));
    WORKS(doca_graph_instance_create(outer, &instance2));
    // Nodes of another graph, of another kind.
    REFUSED(NOT_PERMITTED,
            doca_graph_instance_set_ctx_node_data(instance, ctx_node, &job.base, NULL));
    REFUSED(NOT_PERMITTED, doca_graph_instance_set_user_node_data(instance, user_node, NULL, NULL));
    REFUSED(NOT_PERMITTED,
            doca_graph_instance_set_sub_graph_node_data(inner, sub_node, inner2, NULL));
    REFUSED(NOT_PERMITTED, doca_graph_instance_node_get_state(instance, ctx_node, &state));
    REFUSED(NOT_PERMITTED, doca_graph_instance_node_get_result(instance, ctx_node, &result));
    REFUSED(INVALID_VALUE,
            doca_graph_instance_set_ctx_node_data(inner, user_node, &job.base, NULL));
    REFUSED(INVALID_VALUE, doca_graph_instance_set_user_node_data(inner, ctx_node, NULL, NULL));
    REFUSED(INVALID_VALUE,
            doca_graph_instance_set_sub_graph_node_data(inner, ctx_node, inner2, NULL));
    REFUSED(INVALID_VALUE, doca_graph_instance_set_user_node_data(instance, sub_node, NULL, NULL));
    // Jobs of another context, of another type.
    REFUSED(INVALID_VALUE,
            doca_graph_instance_set_ctx_node_data(inner, ctx_node, &wrong.base, NULL));
    job.base.type++;
    REFUSED(INVALID_VALUE, doca_graph_instance_set_ctx_node_data(inner, ctx_node, &job.base, NULL));
    job.base.type--;
    WORKS(doca_graph_instance_set_ctx_node_data(inner, ctx_node, &job.base, NULL));
    // Instances of another graph, and those that are taken.
    REFUSED(INVALID_VALUE,
            doca_graph_instance_set_sub_graph_node_data(instance, sub_node, instance2, NULL));
    WORKS(doca_graph_instance_set_sub_graph_node_data(instance, sub_node, inner, NULL));
    WORKS(doca_graph_instance_set_sub_graph_node_data(instance, sub_node, inner, NULL));
    REFUSED(NOT_PERMITTED,
            doca_graph_instance_set_sub_graph_node_data(instance, second, inner, NULL));
    REFUSED(NOT_PERMITTED,
            doca_graph_instance_set_sub_graph_node_data(instance2, sub_node, inner, NULL));
    REFUSED(NOT_PERMITTED, doca_graph_instance_destroy(inner));
    // Another one takes its place.
    WORKS(doca_graph_instance_set_sub_graph_node_data(instance, sub_node, inner2, NULL));
    WORKS(doca_graph_instance_set_sub_graph_node_data(instance2, sub_node, inner, NULL));
    WORKS(doca_graph_instance_destroy(instance2));
    WORKS(doca_graph_instance_destroy(inner));
    REFUSED(NOT_PERMITTED, doca_graph_instance_destroy(inner2));
    WORKS(doca_graph_instance_destroy(instance));
    WORKS(doca_graph_instance_destroy(inner2));
    WORKS(doca_graph_destroy(outer));
    teardown();
}
END_TEST

START_TEST(before_the_first_submission)
{
    struct doca_graph_instance *instance;
    enum doca_graph_instance_node_state state = 77;
    const struct doca_graph_node *failed[2];
    union doca_data result = {.u64 = 77};
    uint32_t n = 77;
    setup();
    WORKS(doca_graph_start(graph));
    WORKS(doca_graph_instance_create(graph, &instance));
    REFUSED(BAD_STATE, doca_graph_instance_node_get_result(instance, ctx_node, &result));
    ck_assert_uint_eq(result.u64, 77);
    WORKS(doca_graph_instance_node_get_state(instance, ctx_node, &state));
    ck_assert_int_eq(state, DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED);
    WORKS(doca_graph_instance_get_num_failed_nodes(instance, &n));
    ck_assert_uint_eq(n, 0);
    n = 2;
    WORKS(doca_graph_instance_get_failed_nodes(instance, failed, &n));
    ck_assert_uint_eq(n, 0);
    WORKS(doca_graph_instance_destroy(instance));
    teardown();
}
END_TEST

START_TEST(refused_submissions)
{
    struct doca_graph_instance *instance;
    struct fake_job job = fake_ctx_job(&fake, 1);
    union doca_data data = {0};
    struct doca_event ev;
    setup();
    WORKS(doca_graph_start(graph));
    WORKS(doca_graph_instance_create(graph, &instance));
    REFUSED(INVALID_VALUE, doca_workq_graph_submit(workq, instance, data)); // not on it
    WORKS(doca_graph_workq_add(graph, workq));
    REFUSED(INVALID_VALUE, doca_workq_graph_submit(workq, instance, data)); // no data
    WORKS(doca_graph_instance_set_ctx_node_data(instance, ctx_node, &job.base, NULL));
    // Graphs and contexts may be removed in any order; what is missing is noticed.
    WORKS(doca_ctx_workq_rm(&fake.ctx, workq));
    REFUSED(INVALID_VALUE, doca_workq_graph_submit(workq, instance, data));
    WORKS(doca_ctx_workq_add(&fake.ctx, workq));
    REFUSED(AGAIN, doca_workq_progress_retrieve(workq, &ev, 0));
    // The graph's own context takes no plain jobs.
    struct doca_job plain = {.type = DOCA_GRAPH_JOB, .ctx = (struct doca_ctx *)graph};
    REFUSED(INVALID_VALUE, doca_workq_submit(workq, &plain));
    WORKS(doca_workq_graph_submit(workq, instance, data));
    REFUSED(IN_USE, doca_workq_graph_submit(workq, instance, data));
    REFUSED(IN_USE, doca_graph_workq_rm(graph, workq));
    REFUSED(IN_USE, doca_ctx_workq_rm(&fake.ctx, workq));
    REFUSED(NOT_PERMITTED, doca_graph_instance_destroy(instance));
    REFUSED(BAD_STATE, doca_graph_instance_set_ctx_node_data(instance, ctx_node, &job.base, NULL));
    REFUSED(BAD_STATE, doca_graph_instance_set_user_node_data(instance, user_node, NULL, NULL));
    while (doca_workq_progress_retrieve(workq, &ev, 0) == DOCA_ERROR_AGAIN)
        ;
    ck_assert_int_eq(ev.type, DOCA_GRAPH_JOB);
    WORKS(doca_graph_workq_rm(graph, workq));
    WORKS(doca_graph_instance_destroy(instance));
    teardown();
}
END_TEST

// ---- out of memory --------------------------------------------------------------------------

static unsigned left = UINT_MAX; // allocations until there is no memory; Check uses malloc()

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);

static bool there_is_memory(void)
{
    return left && left--;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return there_is_memory() ? __real_calloc(n, size) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return there_is_memory() ? __real_aligned_alloc(alignment, size) : NULL;
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
    return there_is_memory() ? __real_reallocarray(p, n, size) : NULL;
}

#define WITHOUT_MEMORY(call)                                                                       \
    do {                                                                                           \
        left = 0;                                                                                  \
        doca_error_t r = (call);                                                                   \
        left = UINT_MAX;                                                                           \
        ck_assert_int_eq(r, DOCA_ERROR_NO_MEMORY);                                                 \
        ck_assert_int_eq(call, DOCA_SUCCESS);                                                      \
    } while (0)

START_TEST(out_of_memory)
{
    struct doca_graph *outer;
    struct doca_graph_node *node;
    struct doca_graph_instance *instance;
    setup();
    WITHOUT_MEMORY(doca_graph_add_dependency(graph, ctx_node, user_node));
    WORKS(doca_graph_start(graph));
    WITHOUT_MEMORY(doca_graph_workq_add(graph, workq));
    WITHOUT_MEMORY(doca_graph_create(&outer));
    WITHOUT_MEMORY(doca_graph_ctx_node_create(outer, FAKE_JOB, &fake.ctx, &node));
    WITHOUT_MEMORY(doca_graph_user_node_create(outer, nothing, &node));
    WITHOUT_MEMORY(doca_graph_sub_graph_node_create(outer, graph, &node));
    WITHOUT_MEMORY(doca_graph_instance_create(graph, &instance));
    WORKS(doca_graph_destroy(outer)); // once: what failed left nothing behind
    WORKS(doca_graph_instance_destroy(instance));
    WORKS(doca_graph_workq_rm(graph, workq));
    teardown();
}
END_TEST

UNIT_MAIN("graph", null_arguments, states_of_a_graph, what_a_graph_needs, contexts_of_sub_graphs,
          cycles, graphs_in_graphs_have_an_end, data_of_instances, before_the_first_submission,
          refused_submissions, out_of_memory)

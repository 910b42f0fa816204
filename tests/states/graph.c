// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Graphs of a copy, then a callback, then another graph; and instances of them.

#include "task_world.h"

#include <doca_graph.h>
#include <string.h>

static struct {
    struct doca_dma *dma;
    struct doca_graph *graph, *sub_graph;
    struct doca_graph_node *copy, *call, *sub;
    struct doca_graph_instance *instance, *other, *sub_instance;
    unsigned in_flight;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_dma_as_ctx(w.dma);
}

// ---- what each generation does in its own way

#if GENERATION == 3
static void copied(struct doca_dma_task_memcpy *task, union doca_data data,
                   union doca_data ctx_data)
{
    (void)task;
    (void)data;
    (void)ctx_data;
    ck_abort_msg("a task of a graph has called back on its own");
}

static void over(struct doca_graph_instance *instance, union doca_data data,
                 union doca_data graph_data)
{
    (void)instance;
    (void)data;
    (void)graph_data;
    w.in_flight--;
}

static void failed(struct doca_graph_instance *instance, union doca_data data,
                   union doca_data graph_data)
{
    (void)instance;
    (void)data;
    (void)graph_data;
    ck_abort_msg("the graph has failed");
}

static doca_error_t called(void *cookie)
{
    (void)cookie;
    return DOCA_SUCCESS;
}

static void run_context(void)
{
    const union doca_data data = {.u64 = 1};
    ck_assert_success(doca_pe_connect_ctx(tw.pe, ctx()));
    ck_assert_success(doca_dma_task_memcpy_set_conf(w.dma, copied, copied, 2));
    ck_assert_success(doca_ctx_start(ctx()));
    for (unsigned i = 0; i < 2; i++) {
        struct doca_dma_task_memcpy *task;
        ck_assert_success(doca_dma_task_memcpy_alloc_init(w.dma, tw.src, tw.dst, data, &task));
        tw.tasks[i] = doca_dma_task_memcpy_as_task(task);
    }
}

static void stop_context(void)
{
    for (unsigned i = 0; i < 2; i++)
        doca_task_free(tw.tasks[i]);
    ck_assert_success(doca_ctx_stop(ctx()));
}

static struct doca_graph *graph_new(void)
{
    struct doca_graph *graph;
    ck_assert_success(doca_graph_create(tw.pe, &graph));
    ck_assert_success(doca_graph_set_conf(graph, over, failed, 2));
    return graph;
}

static struct doca_graph_node *copy_new(struct doca_graph *graph)
{
    struct doca_graph_node *node;
    ck_assert_success(doca_graph_node_create_from_ctx(graph, ctx(), &node));
    return node;
}

static void set_copy(struct doca_graph_instance *instance, struct doca_graph_node *node)
{
    ck_assert_success(doca_graph_instance_set_ctx_node_data(instance, node,
                                                            tw.tasks[instance == w.sub_instance]));
}

static void set_sub_graph(void)
{
    ck_assert_success(
        doca_graph_instance_set_sub_graph_node_data(w.instance, w.sub, w.sub_instance));
}

static void submit(void)
{
    ck_assert_success(doca_graph_instance_submit(w.instance));
    w.in_flight++;
}

static void drain(void)
{
    while (w.in_flight)
        (void)doca_pe_progress(tw.pe);
}

static void end_graph(struct doca_graph *graph)
{
    ck_assert_success(doca_graph_stop(graph));
    ck_assert_success(doca_graph_destroy(graph));
}
#else
static struct doca_dma_job_memcpy job;

static doca_error_t called(void *cookie, struct doca_event *ev)
{
    (void)cookie;
    (void)ev;
    return DOCA_SUCCESS;
}

static void run_context(void)
{
    ck_assert_success(doca_ctx_start(ctx()));
    ck_assert_success(doca_ctx_workq_add(ctx(), tw.workq));
    job = (struct doca_dma_job_memcpy){.base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx()},
                                       .dst_buff = tw.dst,
                                       .src_buff = tw.src};
}

static void stop_context(void)
{
    ck_assert_success(doca_ctx_workq_rm(ctx(), tw.workq));
}

static struct doca_graph *graph_new(void)
{
    struct doca_graph *graph;
    ck_assert_success(doca_graph_create(&graph));
    return graph;
}

static struct doca_graph_node *copy_new(struct doca_graph *graph)
{
    struct doca_graph_node *node;
    ck_assert_success(doca_graph_ctx_node_create(graph, DOCA_DMA_JOB_MEMCPY, ctx(), &node));
    return node;
}

static void set_copy(struct doca_graph_instance *instance, struct doca_graph_node *node)
{
    ck_assert_success(doca_graph_instance_set_ctx_node_data(instance, node, &job.base, NULL));
}

static void set_sub_graph(void)
{
    ck_assert_success(
        doca_graph_instance_set_sub_graph_node_data(w.instance, w.sub, w.sub_instance, NULL));
}

static void submit(void)
{
    ck_assert_success(doca_workq_graph_submit(tw.workq, w.instance, (union doca_data){.u64 = 1}));
    w.in_flight++;
}

// Exactly the events that are owed.
static void drain(void)
{
    struct doca_event event = {0};
    for (; w.in_flight; w.in_flight--) {
        doca_error_t r;
        while ((r = doca_workq_progress_retrieve(tw.workq, &event, 0)) == DOCA_ERROR_AGAIN)
            ;
        ck_assert_success(r);
        ck_assert_int_eq(event.type, DOCA_GRAPH_JOB);
        ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
    }
    ck_assert_error(doca_workq_progress_retrieve(tw.workq, &event, 0), DOCA_ERROR_AGAIN);
}

static void end_graph(struct doca_graph *graph)
{
    doca_graph_workq_rm(graph, tw.workq); // refused where it was not added
    ck_assert_success(doca_graph_destroy(graph));
}
#endif

// ---- the states

enum { EMPTY, DESCRIBED, STARTED_GRAPH, QUEUED, READY, RUNS, COMPLETE, FULL, STOPPED_GRAPH };

// Started, with an instance that can be run.
static void make_sub_graph(void)
{
    w.sub_graph = graph_new();
    struct doca_graph_node *node = copy_new(w.sub_graph);
    ck_assert_success(doca_graph_start(w.sub_graph));
    ck_assert_success(doca_graph_instance_create(w.sub_graph, &w.sub_instance));
    set_copy(w.sub_instance, node);
}

static void describe(void)
{
    w.copy = copy_new(w.graph);
    ck_assert_success(doca_graph_node_create_from_user(w.graph, called, &w.call));
    ck_assert_success(doca_graph_node_create_from_graph(w.graph, w.sub_graph, &w.sub));
    ck_assert_success(doca_graph_add_dependency(w.graph, w.copy, w.call));
    ck_assert_success(doca_graph_add_dependency(w.graph, w.call, w.sub));
}

static void make_instance(void)
{
    ck_assert_success(doca_graph_instance_create(w.graph, &w.instance));
    set_copy(w.instance, w.copy);
    set_sub_graph();
}

static void make(void)
{
    task_world_make();
    ck_assert_success(doca_buf_set_data(tw.src, tw.memory, 8)); // room for many runs
    w.dma = dma_new(tw.dev);
    run_context();
    make_sub_graph();
    w.graph = graph_new();
}

static void enter(unsigned state)
{
    make();
    if (state >= DESCRIBED)
        describe();
    if (state >= STARTED_GRAPH)
        ck_assert_success(doca_graph_start(w.graph));
    if (state == STOPPED_GRAPH) {
        ck_assert_success(doca_graph_stop(w.graph));
        return;
    }
    OF_2_2(if (state >= QUEUED) ck_assert_success(doca_graph_workq_add(w.graph, tw.workq));)
    if (state >= READY)
        make_instance();
    if (state == RUNS || state == COMPLETE)
        submit();
    if (state == COMPLETE)
        drain();
    if (state == FULL)
        ck_assert_success(doca_graph_instance_create(w.graph, &w.other));
}

static void leave(void)
{
    drain();
    if (w.instance)
        ck_assert_success(doca_graph_instance_destroy(w.instance));
    if (w.other)
        ck_assert_success(doca_graph_instance_destroy(w.other));
    if (w.graph)
        end_graph(w.graph);
    ck_assert_success(doca_graph_instance_destroy(w.sub_instance));
    end_graph(w.sub_graph);
    stop_context();
    ck_assert_success(doca_dma_destroy(w.dma));
    task_world_end();
    memset(&w, 0, sizeof(w));
}

// ---- arguments

static enum given argue_node(const char *function, uint64_t *value)
{
    if (strstr(function, "_node_create"))
        return GIVEN_NONE;
    if (same(function, "doca_graph_instance_set_user_node_data"))
        return GIVE_OBJECT(w.call);
    if (same(function, "doca_graph_instance_set_sub_graph_node_data"))
        return GIVE_OBJECT(w.sub);
    return GIVE_OBJECT(w.copy);
}

static enum given argue_object(const char *param, uint64_t *value)
{
    if (same(param, EITHER("workq", "pe")))
        return GIVE(EITHER(tw.workq, tw.pe));
    if (same(param, "from"))
        return GIVE_OBJECT(w.copy);
    if (same(param, "to"))
        return GIVE_OBJECT(w.call);
    if (same(param, "ctx"))
        return GIVE(ctx());
    if (same(param, EITHER("job", "task")))
        return GIVE(EITHER(&job, tw.tasks[0]));
    if (same(param, "cb"))
        return GIVE(called);
    OF_3(if (same(param, "graph_completion_cb")) return GIVE(over);)
    OF_3(if (same(param, "graph_error_cb")) return GIVE(failed);)
    if (same(param, "sub_graph"))
        return GIVE(w.sub_graph);
    return same(param, "sub_graph_instance") ? GIVE(w.sub_instance) : GIVEN_NONE;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "graph"))
        return GIVE(w.graph);
    if (same(param, "graph_instance"))
        return GIVE_OBJECT(w.instance);
    if (same(param, "node"))
        return argue_node(function, value);
    *value = EITHER(DOCA_DMA_JOB_MEMCPY, 2);
    if (EITHER(same(param, "user_data"), strstr(function, "_set_user_data")) ||
        same(param, "job_type") || same(param, "num_instances"))
        return GIVEN;
    return argue_object(param, value);
}

static void succeeded(const char *function, const uint64_t *a)
{
    (void)a;
    if (same(function, FN(doca_graph_instance_submit)))
        w.in_flight++;
}

// ---- the table

// While nodes may be added.
#define OPEN(empty, code) empty, code, STATE, STATE, STATE, STATE, STATE, STATE, code
// While there is an instance.
#define WITH(ready, runs, complete)                                                                \
    ABSENT, ABSENT, ABSENT, ABSENT, ready, runs, complete, ready, ABSENT
#define NO_END  EITHER(PERMIT, STATE)
#define NO_STOP EITHER(PERMIT, IN_USE)
#define RESTS   EITHER(STATE, OK)

static const struct row rows[] = {
    // empty, described, started, on a work queue, with an instance, which is in flight, or
    // complete; as many as there may be; stopped
    {"doca_graph_create", ANY(OK)},
    {"doca_graph_destroy", {OK, OK, EITHER(OK, STATE), NO_END, NO_END, NO_END, NO_END, NO_END, OK}},
    {FN(doca_graph_node_create_from_ctx), {OPEN(OK, OK)}},
    {FN(doca_graph_node_create_from_user), {OPEN(OK, OK)}},
    {FN(doca_graph_node_create_from_graph), {OPEN(OK, OK)}},
    {"doca_graph_add_dependency", {OPEN(ABSENT, OK)}},
    {"doca_graph_start", {OPEN(EITHER(INVALID, STATE), OK)}},
    {"doca_graph_stop", {RESTS, RESTS, OK, NO_STOP, NO_STOP, NO_STOP, NO_STOP, NO_STOP, RESTS}},
    {"doca_graph_instance_create", {STATE, STATE, OK, OK, OK, OK, OK, NO_MEM, STATE}},
    {"doca_graph_instance_destroy", {WITH(OK, NO_STOP, OK)}},
    {"doca_graph_instance_set_ctx_node_data", {WITH(OK, STATE, OK)}, EITHER("ev", NULL)},
    {"doca_graph_instance_set_user_node_data",
     {WITH(OK, STATE, OK)},
     EITHER("cookie ev", "cookie")},
    {"doca_graph_instance_set_sub_graph_node_data", {WITH(OK, STATE, OK)}, EITHER("ev", NULL)},
    {FN(doca_graph_instance_submit), {WITH(OK, IN_USE, OK)}},

    ROW_OF_2_2("doca_graph_workq_add",
               {STATE, STATE, OK, INVALID, INVALID, INVALID, INVALID, INVALID, STATE}),
    ROW_OF_2_2("doca_graph_workq_rm", {STATE, STATE, INVALID, OK, OK, IN_USE, OK, OK, STATE}),
    ROW_OF_2_2("doca_graph_instance_get_num_failed_nodes", {WITH(OK, OK, OK)}),
    ROW_OF_2_2("doca_graph_instance_get_failed_nodes", {WITH(OK, OK, OK)}),
    ROW_OF_2_2("doca_graph_instance_node_get_state", {WITH(OK, OK, OK)}),
    ROW_OF_2_2("doca_graph_instance_node_get_result", {WITH(STATE, STATE, OK)}),

    ROW_OF_3("doca_graph_set_conf", {OPEN(OK, OK)}),
    ROW_OF_3("doca_graph_set_user_data", {OPEN(OK, OK)}),
    ROW_OF_3("doca_graph_get_user_data", ANY(OK)),
    ROW_OF_3("doca_graph_instance_set_user_data", {WITH(OK, IN_USE, OK)}),
    ROW_OF_3("doca_graph_instance_get_user_data", {WITH(OK, OK, OK)}),
};

GROUP(graphs) = {
    .name = "graph",
    .states = {"empty", "described", "started", EITHER("on a work queue", ""), "with an instance",
               "with an instance in flight", "with a complete instance",
               EITHER("", "with all its instances"), "stopped"},
    ROWS(rows),
    .probe = EITHER("doca_graph_workq_rm", "doca_graph_stop"),
    .enter = enter,
    .leave = leave,
    .argument = argue,
    LIFETIMES({"doca_graph_create", "doca_graph_destroy", &w.graph},
              {"doca_graph_instance_create", "doca_graph_instance_destroy", &w.instance}),
    .succeeded = succeeded,
};

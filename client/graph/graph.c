// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_graph: nodes and dependencies, and the life of a graph.

#include "graph.h"

#include "cleanup.h"
#include "core/refused.h"
#include "work/workq.h"

#include <stdatomic.h>

static doca_error_t no_plain_jobs(struct work_item *item, const void *job)
{
    (void)job;
    item->refusal = "a graph takes no jobs; see doca_workq_graph_submit()";
    return DOCA_ERROR_INVALID_VALUE;
}

static const struct ctx_ops ops = {
    .name = "graph",
    .event_driven = true,
    .attach = graph_attach,
    .detach = graph_detach,
    .work = {.library = WORK_LIBRARY_GRAPH,
             .prepare = no_plain_jobs,
             .execute = graph_execute,
             .progress = graph_execute,
             .finish = graph_finish},
};

#define LOCKED(graph, call)                                                                        \
    do {                                                                                           \
        struct errtext err = {0};                                                                  \
        pthread_mutex_lock(&(graph)->ctx.lock);                                                    \
        doca_error_t result = (call);                                                              \
        pthread_mutex_unlock(&(graph)->ctx.lock);                                                  \
        return report(__func__, result, &err);                                                     \
    } while (0)

// ---- lifetime -----------------------------------------------------------------------------

doca_error_t doca_graph_create(struct doca_graph **graph)
{
    struct errtext err;

    if (!graph)
        return REFUSED_NULL(graph);
    cleanup_free struct doca_graph *made = calloc(1, sizeof(*made));
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    doca_error_t r = ctx_init(&made->ctx, &ops, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    plan_init(&made->plan);
    *graph = steal_ptr(made);
    return DOCA_SUCCESS;
}

// Checks that nothing refers to the graph.
static doca_error_t check_unused(struct doca_graph *graph, struct errtext *err)
{
    uint32_t n;

    if (graph->ctx.n_workqs)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the graph is on %u work queues; remove it from them first",
                           graph->ctx.n_workqs);
    const char *by = plan_in_use(&graph->plan, &n);
    if (by)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED, "%u %s", n, by);
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_destroy(struct doca_graph *graph)
{
    struct errtext err;

    if (!graph)
        return REFUSED_NULL(graph);
    if (!alive_now(&graph->ctx.alive))
        return refused(__func__, ENDED_ALREADY);
    pthread_mutex_lock(&graph->ctx.lock);
    doca_error_t r = check_unused(graph, &err);
    pthread_mutex_unlock(&graph->ctx.lock);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    plan_fini(&graph->plan);
    ctx_fini(&graph->ctx, &err);
    free(graph);
    return DOCA_SUCCESS;
}

static doca_error_t check_contexts(const struct doca_graph *graph, struct errtext *err)
{
    struct doca_graph_node *node;

    list_for_each (node, &graph->plan.nodes, in_plan) {
        if (node->kind != NODE_CTX)
            continue;
        struct doca_ctx *ctx = (struct doca_ctx *)node->ctx;
        pthread_mutex_lock(&ctx->lock);
        bool started = ctx->started;
        pthread_mutex_unlock(&ctx->lock);
        if (!started)
            return errtext_set(err, DOCA_ERROR_BAD_STATE,
                               "the %s context of a node is not started; start it first",
                               ctx->ops->name);
    }
    return DOCA_SUCCESS;
}

static doca_error_t start(struct doca_graph *graph, struct errtext *err)
{
    doca_error_t r = plan_may_start(&graph->plan, DOCA_ERROR_INVALID_VALUE, err);
    if (r == DOCA_SUCCESS)
        r = check_contexts(graph, err);
    if (r == DOCA_SUCCESS)
        graph->ctx.started = graph->plan.started = true;
    return r;
}

doca_error_t doca_graph_start(struct doca_graph *graph)
{
    if (!graph)
        return REFUSED_NULL(graph);
    LOCKED(graph, start(graph, &err));
}

static doca_error_t stop(struct doca_graph *graph, struct errtext *err)
{
    if (!graph->ctx.started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the graph is not started");
    doca_error_t r = check_unused(graph, err);
    if (r == DOCA_SUCCESS)
        graph->ctx.started = graph->plan.started = false;
    return r;
}

doca_error_t doca_graph_stop(struct doca_graph *graph)
{
    if (!graph)
        return REFUSED_NULL(graph);
    LOCKED(graph, stop(graph, &err));
}

// ---- nodes ----------------------------------------------------------------------------------

doca_error_t doca_graph_ctx_node_create(struct doca_graph *graph, int job_type,
                                        const struct doca_ctx *ctx, struct doca_graph_node **node)
{
    if (!graph || !ctx || !node)
        return REFUSED_NULL(graph, ctx, node);
    struct doca_graph_node made = {.kind = NODE_CTX, .job_type = job_type, .ctx = ctx};
    LOCKED(graph, plan_add_node(&graph->plan, &made, node, &err));
}

doca_error_t doca_graph_user_node_create(struct doca_graph *graph, doca_graph_user_node_cb_t cb,
                                         struct doca_graph_node **node)
{
    if (!graph || !cb || !node)
        return REFUSED_NULL(graph, cb, node);
    struct doca_graph_node made = {.kind = NODE_USER, .callback = (void (*)(void))cb};
    LOCKED(graph, plan_add_node(&graph->plan, &made, node, &err));
}

// In the order of their addresses, to avoid a deadlock of two threads.
static void lock_both(struct doca_graph *a, struct doca_graph *b)
{
    pthread_mutex_lock(a < b ? &a->ctx.lock : &b->ctx.lock);
    pthread_mutex_lock(a < b ? &b->ctx.lock : &a->ctx.lock);
}

doca_error_t doca_graph_sub_graph_node_create(struct doca_graph *graph,
                                              struct doca_graph *sub_graph,
                                              struct doca_graph_node **node)
{
    struct errtext err;

    if (!graph || !sub_graph || !node)
        return REFUSED_NULL(graph, sub_graph, node);
    struct doca_graph_node made = {.kind = NODE_SUB_GRAPH, .sub = &sub_graph->plan};
    if (graph == sub_graph)
        return report(
            __func__,
            errtext_set(&err, DOCA_ERROR_NOT_PERMITTED, "a graph cannot be a sub-graph of itself"),
            &err);
    lock_both(graph, sub_graph); // so that the sub-graph is not stopped in between
    doca_error_t r = plan_add_node(&graph->plan, &made, node, &err);
    pthread_mutex_unlock(&sub_graph->ctx.lock);
    pthread_mutex_unlock(&graph->ctx.lock);
    return report(__func__, r, &err);
}

// ---- dependencies -----------------------------------------------------------------------------

doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                       struct doca_graph_node *to)
{
    if (!graph || !from || !to)
        return REFUSED_NULL(graph, from, to);
    LOCKED(graph, plan_add_dependency(&graph->plan, from, to, &err));
}

// ---- work queues --------------------------------------------------------------------------------

static bool has_contexts(const struct doca_graph *graph, struct doca_workq *workq)
{
    struct doca_graph_node *node;

    list_for_each (node, &graph->plan.nodes, in_plan) {
        if (node->kind == NODE_CTX && !workq_link(workq, node->ctx))
            return false;
        if (node->kind == NODE_SUB_GRAPH && !has_contexts(graph_of(node->sub), workq))
            return false;
    }
    return true;
}

static doca_error_t workq_add(struct doca_graph *graph, struct doca_workq *workq,
                              struct errtext *err)
{
    if (!graph->ctx.started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the graph is not started; start it first");
    if (workq_link(workq, &graph->ctx))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the work queue has the graph already");
    if (!has_contexts(graph, workq))
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the work queue was not added to the contexts of all nodes");
    doca_error_t r = workq_attach(workq, &graph->ctx, err);
    if (r == DOCA_SUCCESS)
        graph->ctx.n_workqs++;
    return r;
}

doca_error_t doca_graph_workq_add(struct doca_graph *graph, struct doca_workq *workq)
{
    if (!graph || !workq)
        return REFUSED_NULL(graph, workq);
    LOCKED(graph, workq_add(graph, workq, &err));
}

static doca_error_t workq_rm(struct doca_graph *graph, struct doca_workq *workq,
                             struct errtext *err)
{
    if (!graph->ctx.started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the graph is not started");
    if (!workq_link(workq, &graph->ctx))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the work queue does not have the graph");
    doca_error_t r = workq_detach(workq, &graph->ctx, err);
    if (r == DOCA_SUCCESS)
        graph->ctx.n_workqs--;
    return r;
}

doca_error_t doca_graph_workq_rm(struct doca_graph *graph, struct doca_workq *workq)
{
    if (!graph || !workq)
        return REFUSED_NULL(graph, workq);
    LOCKED(graph, workq_rm(graph, workq, &err));
}

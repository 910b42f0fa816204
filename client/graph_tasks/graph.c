// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca_graph: nodes, and the life of a graph.

#include "graph_tasks.h"

#include "core/refused.h"

#include <stdlib.h>

// ---- lifetime ----------------------------------------------------------------------------

doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph)
{
    if (!pe || !graph)
        return REFUSED_NULL(pe, graph);
    struct doca_graph *made = calloc(1, sizeof(*made));
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    plan_init(&made->plan);
    made->pe = pe;
    pe->n_contexts++;
    alive_begin(&made->alive);
    *graph = made;
    return DOCA_SUCCESS;
}

// Checks that nothing refers to the graph.
static doca_error_t check_unused(struct doca_graph *graph, doca_error_t code, struct errtext *err)
{
    uint32_t n;

    const char *by = plan_in_use(&graph->plan, &n);
    return by ? errtext_set(err, code, "%u %s", n, by) : DOCA_SUCCESS;
}

doca_error_t doca_graph_destroy(struct doca_graph *graph)
{
    struct errtext err;

    if (!graph)
        return REFUSED_NULL(graph);
    if (!alive_now(&graph->alive))
        return refused(__func__, ENDED_ALREADY);
    doca_error_t r = check_unused(graph, DOCA_ERROR_BAD_STATE, &err);
    if (r == DOCA_SUCCESS && graph->plan.started)
        r = errtext_set(&err, DOCA_ERROR_BAD_STATE,
                        "the graph is started; call doca_graph_stop() first");
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    plan_fini(&graph->plan);
    graph->pe->n_contexts--;
    alive_end(&graph->alive);
    free(graph);
    return DOCA_SUCCESS;
}

static doca_error_t check_contexts(const struct doca_graph *graph, struct errtext *err)
{
    const struct doca_graph_node *node;

    list_for_each (node, &graph->plan.nodes, in_plan) {
        if (node->kind == NODE_CTX && node->ctx->state != DOCA_CTX_STATE_RUNNING)
            return errtext_set(err, DOCA_ERROR_BAD_STATE,
                               "the %s context of a node does not run; start it first",
                               node->ctx->kind->name);
        if (node->kind == NODE_CTX && node->ctx->pe != graph->pe)
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "the %s context of a node is connected to another engine than the "
                               "graph",
                               node->ctx->kind->name);
    }
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_start(struct doca_graph *graph)
{
    struct errtext err;

    if (!graph)
        return REFUSED_NULL(graph);
    doca_error_t r = plan_may_start(&graph->plan, DOCA_ERROR_BAD_STATE, &err);
    if (r == DOCA_SUCCESS && !graph->max_instances)
        r = errtext_set(&err, DOCA_ERROR_BAD_STATE,
                        "the graph has no callbacks; call doca_graph_set_conf() first");
    if (r == DOCA_SUCCESS)
        r = check_contexts(graph, &err);
    if (r == DOCA_SUCCESS)
        graph->plan.started = true;
    return report(__func__, r, &err);
}

doca_error_t doca_graph_stop(struct doca_graph *graph)
{
    struct errtext err;

    if (!graph)
        return REFUSED_NULL(graph);
    if (!graph->plan.started)
        return DOCA_SUCCESS;
    doca_error_t r = check_unused(graph, DOCA_ERROR_IN_USE, &err);
    if (r == DOCA_SUCCESS)
        graph->plan.started = false;
    return report(__func__, r, &err);
}

// ---- settings ----------------------------------------------------------------------------

static doca_error_t check_stopped(const char *function, const struct doca_graph *graph)
{
    if (!graph->plan.started)
        return DOCA_SUCCESS;
    return report_why(function, DOCA_ERROR_BAD_STATE, "the graph is started; stop it first");
}

doca_error_t doca_graph_set_conf(struct doca_graph *graph,
                                 doca_graph_completion_cb_t graph_completion_cb,
                                 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances)
{
    if (!graph || !graph_completion_cb || !graph_error_cb || !num_instances)
        return REFUSED_NULL(graph, graph_completion_cb, graph_error_cb, num_instances);
    doca_error_t r = check_stopped(__func__, graph);
    if (r != DOCA_SUCCESS)
        return r;
    graph->done = graph_completion_cb;
    graph->failed = graph_error_cb;
    graph->max_instances = num_instances;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data)
{
    if (!graph)
        return REFUSED_NULL(graph);
    doca_error_t r = check_stopped(__func__, graph);
    if (r == DOCA_SUCCESS)
        graph->user_data = user_data;
    return r;
}

doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data)
{
    if (!graph || !user_data)
        return REFUSED_NULL(graph, user_data);
    *user_data = graph->user_data;
    return DOCA_SUCCESS;
}

// ---- nodes -------------------------------------------------------------------------------

doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
                                             struct doca_graph_node **node)
{
    struct errtext err;

    if (!graph || !ctx || !node)
        return REFUSED_NULL(graph, ctx, node);
    const struct doca_graph_node made = {.kind = NODE_CTX, .ctx = ctx};
    return report(__func__, plan_add_node(&graph->plan, &made, node, &err), &err);
}

doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
                                              doca_graph_user_node_cb_t cb,
                                              struct doca_graph_node **node)
{
    struct errtext err;

    if (!graph || !cb || !node)
        return REFUSED_NULL(graph, cb, node);
    const struct doca_graph_node made = {.kind = NODE_USER, .callback = (void (*)(void))cb};
    return report(__func__, plan_add_node(&graph->plan, &made, node, &err), &err);
}

doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
                                               struct doca_graph *sub_graph,
                                               struct doca_graph_node **node)
{
    struct errtext err;

    if (!graph || !sub_graph || !node)
        return REFUSED_NULL(graph, sub_graph, node);
    if (graph->pe != sub_graph->pe)
        return refused(__func__, "the sub-graph belongs to another engine");
    const struct doca_graph_node made = {.kind = NODE_SUB_GRAPH, .sub = &sub_graph->plan};
    return report(__func__, plan_add_node(&graph->plan, &made, node, &err), &err);
}

doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                       struct doca_graph_node *to)
{
    struct errtext err;

    if (!graph || !from || !to)
        return REFUSED_NULL(graph, from, to);
    return report(__func__, plan_add_dependency(&graph->plan, from, to, &err), &err);
}

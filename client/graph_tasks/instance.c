// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Instances: a graph's nodes with data.

#include "graph_tasks.h"

#include "core/refused.h"

#include <stdlib.h>

// ---- lifetime ----------------------------------------------------------------------------

static struct doca_graph_instance *instance_new(struct doca_graph *graph)
{
    const struct doca_graph_node *node;
    struct doca_graph_instance *instance =
        calloc(1, sizeof(*instance) + graph->plan.n_nodes * sizeof(instance->runs[0]));

    if (!instance)
        return NULL;
    instance->graph = graph;
    instance->progress.deliver = instance_progress;
    list_for_each (node, &graph->plan.nodes, in_plan)
        instance->runs[node->index] =
            (struct node_run){.owner.done = instance_task_done, .node = node, .instance = instance};
    return instance;
}

doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
                                        struct doca_graph_instance **graph_instance)
{
    struct errtext err;

    if (!graph || !graph_instance)
        return REFUSED_NULL(graph, graph_instance);
    // The caller does not see the number of instances, so const does not cover it.
    struct doca_graph *counted = (struct doca_graph *)graph;
    if (!graph->plan.started)
        return report_why(__func__, DOCA_ERROR_BAD_STATE,
                          "the graph is not started; start it first");
    if (atomic_load(&counted->plan.n_instances) == graph->max_instances)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_NO_MEMORY,
                                  "the graph has %u instances, as many as doca_graph_set_conf() "
                                  "said",
                                  graph->max_instances),
                      &err);
    struct doca_graph_instance *instance = instance_new(counted);
    if (!instance)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    atomic_fetch_add(&counted->plan.n_instances, 1);
    alive_begin(&instance->alive);
    *graph_instance = instance;
    return DOCA_SUCCESS;
}

static const char *why_busy(const struct doca_graph_instance *instance)
{
    if (instance->parent)
        return "the instance is the data of a sub-graph node";
    return instance->in_flight ? "the instance is in flight; wait for its callback" : NULL;
}

doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
{
    if (!graph_instance)
        return REFUSED_NULL(graph_instance);
    if (!alive_now(&graph_instance->alive))
        return refused(__func__, ENDED_ALREADY);
    const char *why = why_busy(graph_instance);
    if (why)
        return report_why(__func__, DOCA_ERROR_IN_USE, why);
    struct graph_plan *plan = &graph_instance->graph->plan;
    for (uint32_t i = 0; i < plan->n_nodes; i++) {
        struct node_run *run = &graph_instance->runs[i];
        if (run->node->kind == NODE_SUB_GRAPH && run->sub)
            run->sub->parent = NULL;
    }
    alive_end(&graph_instance->alive);
    free(graph_instance);
    atomic_fetch_sub(&plan->n_instances, 1);
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
                                               union doca_data user_data)
{
    if (!graph_instance)
        return REFUSED_NULL(graph_instance);
    if (instance_root(graph_instance)->in_flight)
        return report_why(__func__, DOCA_ERROR_IN_USE,
                          "the instance is in flight; wait for its callback");
    graph_instance->user_data = user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
                                               union doca_data *user_data)
{
    if (!graph_instance || !user_data)
        return REFUSED_NULL(graph_instance, user_data);
    *user_data = graph_instance->user_data;
    return DOCA_SUCCESS;
}

// ---- data --------------------------------------------------------------------------------

// Returns the node's run in the instance, if it may get data of this kind now.
static doca_error_t find_run(const char *function, struct doca_graph_instance *instance,
                             const struct doca_graph_node *node, enum node_kind kind,
                             struct node_run **out)
{
    if (node->plan != &instance->graph->plan)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED,
                          "the node belongs to another graph than the instance");
    if (node->kind != kind)
        return refused(function, "the node is of another kind");
    if (instance_root(instance)->in_flight)
        return report_why(function, DOCA_ERROR_BAD_STATE,
                          "the instance is in flight; wait for its callback");
    *out = &instance->runs[node->index];
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
                                                   struct doca_graph_node *node,
                                                   struct doca_task *task)
{
    struct node_run *run;

    if (!graph_instance || !node || !task)
        return REFUSED_NULL(graph_instance, node, task);
    doca_error_t r = find_run(__func__, graph_instance, node, NODE_CTX, &run);
    if (r != DOCA_SUCCESS)
        return r;
    if (task->item.link->ctx != node->ctx)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED,
                          "the task is of another context than the node's");
    run->task = task;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
                                                    struct doca_graph_node *node, void *cookie)
{
    struct node_run *run;

    if (!graph_instance || !node)
        return REFUSED_NULL(graph_instance, node);
    doca_error_t r = find_run(__func__, graph_instance, node, NODE_USER, &run);
    if (r == DOCA_SUCCESS)
        run->cookie = cookie;
    return r;
}

doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
                                            struct doca_graph_node *node,
                                            struct doca_graph_instance *sub_graph_instance)
{
    struct node_run *run;

    if (!graph_instance || !node || !sub_graph_instance)
        return REFUSED_NULL(graph_instance, node, sub_graph_instance);
    doca_error_t r = find_run(__func__, graph_instance, node, NODE_SUB_GRAPH, &run);
    if (r != DOCA_SUCCESS)
        return r;
    struct doca_graph_instance *sub = sub_graph_instance;
    if (&sub->graph->plan != node->sub)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED,
                          "the instance does not belong to the node's sub-graph");
    if (instance_root(sub)->in_flight)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED,
                          "the sub-graph's instance is in flight; wait for its callback");
    if (sub->parent && sub->parent != run)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED,
                          "the sub-graph's instance is the data of another node already");
    if (run->sub)
        run->sub->parent = NULL;
    run->sub = sub;
    sub->parent = run;
    return DOCA_SUCCESS;
}

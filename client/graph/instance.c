// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Instances: a graph's nodes with data, and their results.

#include "cleanup.h"
#include "core/refused.h"
#include "graph.h"

#include <stdatomic.h>

// ---- lifetime -----------------------------------------------------------------------------

static struct doca_graph_instance *new_instance(struct doca_graph *graph)
{
    struct doca_graph_instance *instance;
    size_t size = sizeof(*instance) + graph->plan.n_nodes * sizeof(instance->runs[0]);
    struct doca_graph_node *node;

    instance = aligned_alloc(64, size);
    if (!instance)
        return NULL;
    *instance = (struct doca_graph_instance){.graph = graph};
    list_for_each (node, &graph->plan.nodes, in_plan)
        instance->runs[node->index] = (struct node_run){.node = node, .instance = instance};
    return instance;
}

static doca_error_t create(struct doca_graph *graph, struct doca_graph_instance **out,
                           struct errtext *err)
{
    if (!graph->ctx.started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the graph is not started; start it first");
    struct doca_graph_instance *instance = new_instance(graph);
    if (!instance)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for an instance of %u nodes",
                           graph->plan.n_nodes);
    atomic_fetch_add(&graph->plan.n_instances, 1);
    alive_begin(&instance->alive);
    *out = instance;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
                                        struct doca_graph_instance **graph_instance)
{
    struct errtext err;

    if (!graph || !graph_instance)
        return REFUSED_NULL(graph, graph_instance);
    // The caller does not see the number of instances, so const does not cover it.
    struct doca_graph *counted = (struct doca_graph *)graph;
    pthread_mutex_lock(&counted->ctx.lock);
    doca_error_t r = create(counted, graph_instance, &err);
    pthread_mutex_unlock(&counted->ctx.lock);
    return report(__func__, r, &err);
}

doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
{
    struct errtext err;

    if (!graph_instance)
        return REFUSED_NULL(graph_instance);
    if (!alive_now(&graph_instance->alive))
        return refused(__func__, ENDED_ALREADY);
    if (graph_instance->parent || graph_instance->in_flight)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_NOT_PERMITTED, "the instance is %s",
                                  graph_instance->parent ? "the data of a sub-graph node"
                                                         : "in flight; retrieve its event first"),
                      &err);
    struct doca_graph *graph = graph_instance->graph;
    for (uint32_t i = 0; i < graph->plan.n_nodes; i++) {
        struct node_run *run = &graph_instance->runs[i];
        if (run->node->kind == NODE_SUB_GRAPH && run->sub)
            run->sub->parent = NULL;
    }
    alive_end(&graph_instance->alive);
    free(graph_instance);
    atomic_fetch_sub(&graph->plan.n_instances, 1);
    return DOCA_SUCCESS;
}

// ---- data ------------------------------------------------------------------------------------

static doca_error_t check_node(const struct doca_graph_instance *instance,
                               const struct doca_graph_node *node, struct errtext *err)
{
    if (node->plan != &instance->graph->plan)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the node belongs to another graph than the instance");
    return DOCA_SUCCESS;
}

// Returns the node's run in the instance, if it may get data of this kind now.
static doca_error_t find_run(struct doca_graph_instance *instance,
                             const struct doca_graph_node *node, enum node_kind kind,
                             struct node_run **out, struct errtext *err)
{
    static const char *const kinds[] = {
        [NODE_CTX] = "context", [NODE_USER] = "user", [NODE_SUB_GRAPH] = "sub-graph"};

    doca_error_t r = check_node(instance, node, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (node->kind != kind)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the node is a %s node, not a %s node",
                           kinds[node->kind], kinds[kind]);
    if (instance_busy(instance))
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the instance is in flight; retrieve its event first");
    *out = &instance->runs[node->index];
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
                                                   struct doca_graph_node *node,
                                                   struct doca_job *job, struct doca_event *ev)
{
    struct node_run *run;
    struct errtext err;

    if (!graph_instance || !node || !job)
        return REFUSED_NULL(graph_instance, node, job);
    doca_error_t r = find_run(graph_instance, node, NODE_CTX, &run, &err);
    if (r == DOCA_SUCCESS && (job->type != node->job_type || job->ctx != node->ctx))
        r = errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                        "the job's type or context is not the node's");
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    run->job = job;
    run->event = ev;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
                                                    struct doca_graph_node *node, void *cookie,
                                                    struct doca_event *ev)
{
    struct node_run *run;
    struct errtext err;

    if (!graph_instance || !node)
        return REFUSED_NULL(graph_instance, node);
    doca_error_t r = find_run(graph_instance, node, NODE_USER, &run, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    run->cookie = cookie;
    run->event = ev;
    return DOCA_SUCCESS;
}

static doca_error_t check_sub(const struct node_run *run, const struct doca_graph_instance *sub,
                              struct errtext *err)
{
    if (&sub->graph->plan != run->node->sub)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the sub-graph instance does not belong to the node's sub-graph");
    if (instance_busy(sub))
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the sub-graph instance is in flight; retrieve its event first");
    if (sub->parent && sub->parent != run)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the sub-graph instance is the data of another node already");
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_sub_graph_node_data(
    struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
    struct doca_graph_instance *sub_graph_instance, struct doca_event *ev)
{
    struct node_run *run;
    struct errtext err;

    if (!graph_instance || !node || !sub_graph_instance)
        return REFUSED_NULL(graph_instance, node, sub_graph_instance);
    doca_error_t r = find_run(graph_instance, node, NODE_SUB_GRAPH, &run, &err);
    if (r == DOCA_SUCCESS)
        r = check_sub(run, sub_graph_instance, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    if (run->sub)
        run->sub->parent = NULL;
    run->sub = sub_graph_instance;
    run->sub->parent = run;
    run->event = ev;
    return DOCA_SUCCESS;
}

// ---- results --------------------------------------------------------------------------

doca_error_t
doca_graph_instance_get_num_failed_nodes(const struct doca_graph_instance *graph_instance,
                                         uint32_t *num_failed_nodes)
{
    if (!graph_instance || !num_failed_nodes)
        return REFUSED_NULL(graph_instance, num_failed_nodes);
    *num_failed_nodes = graph_instance->n_failed;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_get_failed_nodes(const struct doca_graph_instance *graph_instance,
                                                  const struct doca_graph_node **failed_nodes,
                                                  uint32_t *num_failed_nodes)
{
    uint32_t n = 0;

    if (!graph_instance || !failed_nodes || !num_failed_nodes)
        return REFUSED_NULL(graph_instance, failed_nodes, num_failed_nodes);
    for (uint32_t i = 0; i < graph_instance->graph->plan.n_nodes && n < *num_failed_nodes; i++)
        if (graph_instance->runs[i].state == DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR)
            failed_nodes[n++] = graph_instance->runs[i].node;
    *num_failed_nodes = n;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_node_get_state(const struct doca_graph_instance *graph_instance,
                                                const struct doca_graph_node *node,
                                                enum doca_graph_instance_node_state *state)
{
    struct errtext err;

    if (!graph_instance || !node || !state)
        return REFUSED_NULL(graph_instance, node, state);
    doca_error_t r = check_node(graph_instance, node, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    *state = (enum doca_graph_instance_node_state)graph_instance->runs[node->index].state;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_node_get_result(const struct doca_graph_instance *graph_instance,
                                                 const struct doca_graph_node *node,
                                                 union doca_data *result)
{
    struct errtext err;

    if (!graph_instance || !node || !result)
        return REFUSED_NULL(graph_instance, node, result);
    doca_error_t r = check_node(graph_instance, node, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    const struct node_run *run = &graph_instance->runs[node->index];
    if (run->state < DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_BAD_STATE, "the node %s",
                                  run->state == DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED
                                      ? "is still in progress"
                                      : "was not started"),
                      &err);
    *result = run->result;
    return DOCA_SUCCESS;
}

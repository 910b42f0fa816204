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
    .work = {.prepare = no_plain_jobs,
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

// ---- life ---------------------------------------------------------------------------------

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
    list_init(&made->nodes);
    *graph = steal_ptr(made);
    return DOCA_SUCCESS;
}

// Checks that nothing refers to the graph.
static doca_error_t check_unused(struct doca_graph *graph, struct errtext *err)
{
    uint32_t n_instances = atomic_load(&graph->n_instances), n_uses = atomic_load(&graph->n_uses);

    if (graph->ctx.n_workqs)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the graph is on %u work queues; remove it from them first",
                           graph->ctx.n_workqs);
    if (n_instances)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the graph has %u instances; destroy them first", n_instances);
    if (n_uses)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the graph is the sub-graph of %u nodes; destroy their graphs first",
                           n_uses);
    return DOCA_SUCCESS;
}

static void free_node(struct doca_graph_node *node)
{
    if (node->kind == NODE_SUB_GRAPH)
        atomic_fetch_sub(&node->sub_graph->n_uses, 1);
    list_remove(&node->node);
    free(node->children);
    free(node);
}

doca_error_t doca_graph_destroy(struct doca_graph *graph)
{
    struct doca_graph_node *node, *tmp;
    struct errtext err;

    if (!graph)
        return REFUSED_NULL(graph);
    pthread_mutex_lock(&graph->ctx.lock);
    doca_error_t r = check_unused(graph, &err);
    pthread_mutex_unlock(&graph->ctx.lock);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    list_for_each_safe (node, tmp, &graph->nodes, node)
        free_node(node);
    ctx_fini(&graph->ctx, &err);
    free(graph);
    return DOCA_SUCCESS;
}

static doca_error_t check_contexts(const struct doca_graph *graph, struct errtext *err)
{
    struct doca_graph_node *node;

    list_for_each (node, &graph->nodes, node) {
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
    if (graph->ctx.started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the graph is started already");
    if (!graph->n_ctx_nodes)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "neither the graph nor a sub-graph of it has a context node");
    doca_error_t r = check_contexts(graph, err);
    if (r == DOCA_SUCCESS)
        graph->ctx.started = true;
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
        graph->ctx.started = false;
    return r;
}

doca_error_t doca_graph_stop(struct doca_graph *graph)
{
    if (!graph)
        return REFUSED_NULL(graph);
    LOCKED(graph, stop(graph, &err));
}

// ---- nodes ----------------------------------------------------------------------------------

static doca_error_t check_stopped(const struct doca_graph *graph, struct errtext *err)
{
    if (graph->ctx.started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the graph is started; add nodes and dependencies before");
    return DOCA_SUCCESS;
}

// Adds what the caller described.
static doca_error_t add_node(struct doca_graph *graph, const struct doca_graph_node *described,
                             struct doca_graph_node **out, struct errtext *err)
{
    doca_error_t r = check_stopped(graph, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct doca_graph_node *node = calloc(1, sizeof(*node));
    if (!node)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a node");
    *node = *described;
    node->graph = graph;
    node->index = graph->n_nodes++;
    list_append(&graph->nodes, &node->node);
    graph->n_ctx_nodes += node->kind == NODE_CTX;
    *out = node;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_ctx_node_create(struct doca_graph *graph, int job_type,
                                        const struct doca_ctx *ctx, struct doca_graph_node **node)
{
    if (!graph || !ctx || !node)
        return REFUSED_NULL(graph, ctx, node);
    struct doca_graph_node made = {.kind = NODE_CTX, .job_type = job_type, .ctx = ctx};
    LOCKED(graph, add_node(graph, &made, node, &err));
}

doca_error_t doca_graph_user_node_create(struct doca_graph *graph, doca_graph_user_node_cb_t cb,
                                         struct doca_graph_node **node)
{
    if (!graph || !cb || !node)
        return REFUSED_NULL(graph, cb, node);
    struct doca_graph_node made = {.kind = NODE_USER, .callback = cb};
    LOCKED(graph, add_node(graph, &made, node, &err));
}

// The sub-graph is locked, so that it is not stopped meanwhile.
static doca_error_t add_sub_graph(struct doca_graph *graph, struct doca_graph *sub_graph,
                                  struct doca_graph_node **out, struct errtext *err)
{
    if (!sub_graph->ctx.started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the sub-graph is not started; start it first");
    if (sub_graph->nesting + 1 > GRAPH_NESTING_MAX)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "graphs can be nested only %u deep",
                           GRAPH_NESTING_MAX);
    struct doca_graph_node made = {.kind = NODE_SUB_GRAPH, .sub_graph = sub_graph};
    doca_error_t r = add_node(graph, &made, out, err);
    if (r != DOCA_SUCCESS)
        return r;
    atomic_fetch_add(&sub_graph->n_uses, 1);
    graph->n_ctx_nodes += sub_graph->n_ctx_nodes;
    if (graph->nesting < sub_graph->nesting + 1)
        graph->nesting = sub_graph->nesting + 1;
    return DOCA_SUCCESS;
}

// In the order of their addresses: two threads cannot wait for each other.
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
    if (graph == sub_graph)
        return report(
            __func__,
            errtext_set(&err, DOCA_ERROR_NOT_PERMITTED, "a graph cannot be a sub-graph of itself"),
            &err);
    lock_both(graph, sub_graph);
    doca_error_t r = add_sub_graph(graph, sub_graph, node, &err);
    pthread_mutex_unlock(&sub_graph->ctx.lock);
    pthread_mutex_unlock(&graph->ctx.lock);
    return report(__func__, r, &err);
}

// ---- dependencies -----------------------------------------------------------------------------

// Says whether `target` waits for `from`, directly or through others. Takes as many steps as there
// are dependencies, and does not recurse: a chain may be as long as memory allows.
static bool reaches(struct doca_graph *graph, struct doca_graph_node *from,
                    const struct doca_graph_node *target)
{
    struct doca_graph_node *node, *pending = from;

    list_for_each (node, &graph->nodes, node)
        node->seen = false;
    from->seen = true;
    from->walk = NULL;
    while ((node = pending) && node != target) {
        pending = node->walk;
        for (uint32_t i = 0; i < node->n_children; i++) {
            struct doca_graph_node *child = node->children[i];
            if (child->seen)
                continue;
            child->seen = true;
            child->walk = pending;
            pending = child;
        }
    }
    return node == target;
}

static bool depends_already(const struct doca_graph_node *from, const struct doca_graph_node *to)
{
    for (uint32_t i = 0; i < from->n_children; i++)
        if (from->children[i] == to)
            return true;
    return false;
}

static bool make_room(struct doca_graph_node *node)
{
    if (node->n_children < node->room)
        return true;
    uint32_t room = node->room ? node->room * 2 : 4;
    void *children = reallocarray(node->children, room, sizeof(*node->children));
    if (!children)
        return false;
    node->children = children;
    node->room = room;
    return true;
}

static doca_error_t add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                   struct doca_graph_node *to, struct errtext *err)
{
    doca_error_t r = check_stopped(graph, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (from->graph != graph || to->graph != graph)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED, "a node belongs to another graph");
    if (depends_already(from, to))
        return DOCA_SUCCESS;
    if (reaches(graph, to, from))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "node %u waits for node %u already: the two would wait for each other",
                           from->index, to->index);
    if (!make_room(from))
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a dependency");
    from->children[from->n_children++] = to;
    to->n_parents++;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                       struct doca_graph_node *to)
{
    if (!graph || !from || !to)
        return REFUSED_NULL(graph, from, to);
    LOCKED(graph, add_dependency(graph, from, to, &err));
}

// ---- work queues --------------------------------------------------------------------------------

static bool has_contexts(const struct doca_graph *graph, struct doca_workq *workq)
{
    struct doca_graph_node *node;

    list_for_each (node, &graph->nodes, node) {
        if (node->kind == NODE_CTX && !workq_link(workq, node->ctx))
            return false;
        if (node->kind == NODE_SUB_GRAPH && !has_contexts(node->sub_graph, workq))
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

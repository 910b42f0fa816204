// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "plan.h"

#include <stdlib.h>

void plan_init(struct graph_plan *plan)
{
    *plan = (struct graph_plan){0};
    list_init(&plan->nodes);
}

static void free_node(struct doca_graph_node *node)
{
    if (node->kind == NODE_SUB_GRAPH)
        atomic_fetch_sub(&node->sub->n_uses, 1);
    list_remove(&node->in_plan);
    free(node->children);
    free(node);
}

void plan_fini(struct graph_plan *plan)
{
    struct doca_graph_node *node, *tmp;

    list_for_each_safe (node, tmp, &plan->nodes, in_plan)
        free_node(node);
}

const char *plan_in_use(struct graph_plan *plan, uint32_t *n)
{
    *n = atomic_load(&plan->n_instances);
    if (*n)
        return "instances of it exist; destroy them first";
    *n = atomic_load(&plan->n_uses);
    return *n ? "nodes of other graphs have it as their sub-graph; destroy those graphs first"
              : NULL;
}

doca_error_t plan_may_start(const struct graph_plan *plan, doca_error_t without_context,
                            struct errtext *err)
{
    if (plan->started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the graph is started already");
    if (!plan->n_ctx_nodes)
        return errtext_set(err, without_context,
                           "neither the graph nor a sub-graph of it has a context node");
    return DOCA_SUCCESS;
}

// ---- nodes ----------------------------------------------------------------------------------

static doca_error_t check_stopped(const struct graph_plan *plan, struct errtext *err)
{
    if (plan->started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the graph is started; add nodes and dependencies before");
    return DOCA_SUCCESS;
}

static doca_error_t check_sub(const struct graph_plan *plan, const struct graph_plan *sub,
                              struct errtext *err)
{
    if (sub == plan)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "a graph cannot be a sub-graph of itself");
    if (!sub->started)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the sub-graph is not started; start it first");
    if (sub->nesting + 1 > GRAPH_NESTING_MAX)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "graphs can be nested only %u deep",
                           GRAPH_NESTING_MAX);
    return DOCA_SUCCESS;
}

static void hold_sub(struct graph_plan *plan, struct graph_plan *sub)
{
    atomic_fetch_add(&sub->n_uses, 1);
    plan->n_ctx_nodes += sub->n_ctx_nodes;
    if (plan->nesting < sub->nesting + 1)
        plan->nesting = sub->nesting + 1;
}

doca_error_t plan_add_node(struct graph_plan *plan, const struct doca_graph_node *described,
                           struct doca_graph_node **out, struct errtext *err)
{
    doca_error_t r = DOCA_SUCCESS;

    if (described->kind == NODE_SUB_GRAPH)
        r = check_sub(plan, described->sub, err);
    if (r == DOCA_SUCCESS)
        r = check_stopped(plan, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct doca_graph_node *node = calloc(1, sizeof(*node));
    if (!node)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a node");
    *node = *described;
    node->plan = plan;
    node->index = plan->n_nodes++;
    list_append(&plan->nodes, &node->in_plan);
    plan->n_ctx_nodes += node->kind == NODE_CTX;
    if (node->kind == NODE_SUB_GRAPH)
        hold_sub(plan, node->sub);
    *out = node;
    return DOCA_SUCCESS;
}

// ---- dependencies -----------------------------------------------------------------------------

// Returns whether `target` waits for `from`, directly or through others. Takes as many steps as
// there are dependencies, and does not recurse: a chain may be as long as memory allows.
static bool reaches(struct graph_plan *plan, struct doca_graph_node *from,
                    const struct doca_graph_node *target)
{
    struct doca_graph_node *node, *pending = from;

    list_for_each (node, &plan->nodes, in_plan)
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

doca_error_t plan_add_dependency(struct graph_plan *plan, struct doca_graph_node *from,
                                 struct doca_graph_node *to, struct errtext *err)
{
    doca_error_t r = check_stopped(plan, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (from->plan != plan || to->plan != plan)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED, "a node belongs to another graph");
    if (depends_already(from, to))
        return DOCA_SUCCESS;
    if (reaches(plan, to, from))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "node %u waits for node %u already: the two would wait for each other",
                           from->index, to->index);
    if (!make_room(from))
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a dependency");
    from->children[from->n_children++] = to;
    to->n_parents++;
    return DOCA_SUCCESS;
}

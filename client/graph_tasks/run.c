// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Execution of instances.

#include "graph_tasks.h"

#include "core/refused.h"
#include "log/own.h"

static void push(struct doca_graph_instance *root, struct node_run *run)
{
    run->next = NULL;
    *root->ready_tail = run;
    root->ready_tail = &run->next;
}

static struct node_run *pop(struct doca_graph_instance *root)
{
    struct node_run *run = root->ready;
    if (run && !(root->ready = run->next))
        root->ready_tail = &root->ready;
    return run;
}

static void push_roots(struct doca_graph_instance *root, struct doca_graph_instance *instance)
{
    for (uint32_t i = 0; i < instance->graph->plan.n_nodes; i++)
        if (!instance->runs[i].pending)
            push(root, &instance->runs[i]);
}

// ---- ends of nodes -----------------------------------------------------------------------

static bool is_over(const struct doca_graph_instance *instance)
{
    return !instance->left || (instance->status != DOCA_SUCCESS && !instance->under_way);
}

static void wake_children(struct doca_graph_instance *root, const struct node_run *run)
{
    const struct doca_graph_node *node = run->node;

    for (uint32_t i = 0; i < node->n_children; i++) {
        struct node_run *child = &run->instance->runs[node->children[i]->index];
        if (--child->pending == 0)
            push(root, child);
    }
}

// The last node of an instance ends the node whose data the instance is, and so on.
static void node_done(struct doca_graph_instance *root, struct node_run *run, doca_error_t error)
{
    for (;;) {
        struct doca_graph_instance *instance = run->instance;
        instance->left--;
        instance->under_way--;
        if (instance->status == DOCA_SUCCESS)
            instance->status = error;
        if (instance->status == DOCA_SUCCESS)
            wake_children(root, run);
        if (instance == root || !is_over(instance))
            return;
        run = instance->parent;
        error = instance->status;
    }
}

void instance_task_done(struct task_owner *owner, struct doca_task *task)
{
    struct node_run *run = (struct node_run *)owner;
    struct doca_graph_instance *root = instance_root(run->instance);

    node_done(root, run, task->item.error);
    pe_post(root->graph->pe, &root->progress);
}

// ---- starts of nodes ---------------------------------------------------------------------

static const char *why_refused(const struct doca_task *task, doca_error_t r)
{
    if (r != DOCA_ERROR_BAD_STATE)
        return doca_error_get_name(r);
    if (task->item.state == TASK_FREE)
        return "it was freed";
    return task->item.state == TASK_HELD ? "its context does not run; start it again"
                                         : "it is in flight elsewhere";
}

static bool start_task(struct doca_graph_instance *root, struct node_run *run)
{
    doca_error_t r = task_submit_owned(run->task, &run->owner);
    if (r == DOCA_ERROR_AGAIN)
        return false;
    run->instance->under_way++;
    if (r == DOCA_SUCCESS)
        return true;
    log_own_error("The task of node %u was refused: %s", run->node->index,
                  why_refused(run->task, r));
    node_done(root, run, r);
    return true;
}

// Returns false if its context takes no task now; then nothing has happened.
static bool start_node(struct doca_graph_instance *root, struct node_run *run)
{
    if (run->node->kind == NODE_CTX)
        return start_task(root, run);
    run->instance->under_way++;
    if (run->node->kind == NODE_USER)
        node_done(root, run, ((doca_graph_user_node_cb_t)run->node->callback)(run->cookie));
    else
        push_roots(root, run->sub);
    return true;
}

// The program may submit the instance again, or destroy it.
static void finish(struct doca_graph_instance *root)
{
    struct doca_graph *graph = root->graph;

    root->in_flight = false;
    if (root->status == DOCA_SUCCESS)
        graph->done(root, root->user_data, graph->user_data);
    else
        graph->failed(root, root->user_data, graph->user_data);
}

// Calls the program at most once: for one user node, or the end. Nodes whose contexts take no task
// stay ready, and the instance is posted again behind the engine's other events.
void instance_progress(struct pe_event *event)
{
    struct doca_graph_instance *root = (struct doca_graph_instance *)event;
    struct doca_pe *pe = root->graph->pe;
    struct node_run *run, *refused = NULL; // the first that was
    bool called = false, any = false;

    while (!called && root->ready != refused && (run = pop(root))) {
        if (run->instance->status != DOCA_SUCCESS)
            continue; // its instance has failed: it is not started
        if (!start_node(root, run)) {
            push(root, run);
            refused = refused ? refused : run;
            continue;
        }
        any = true;
        called = run->node->kind == NODE_USER;
    }
    if (called || root->ready) {
        pe_post(pe, &root->progress);
        pe->was_empty = !any;
    } else if (is_over(root)) {
        finish(root);
    }
}

// ---- submission --------------------------------------------------------------------------

// Returns what keeps an instance from being run. Nesting is limited, and so is recursion.
static const char *missing(const struct doca_graph_instance *instance)
{
    const char *what = NULL;

    for (uint32_t i = 0; !what && i < instance->graph->plan.n_nodes; i++) {
        const struct node_run *run = &instance->runs[i];
        if (run->node->kind == NODE_USER)
            continue;
        if (!run->task) // or sub: the same address
            what = "a context node or sub-graph node has no data";
        else if (run->node->kind == NODE_SUB_GRAPH)
            what = missing(run->sub);
        else if (!task_submittable(run->task))
            what = "a node's task is in flight or was freed, or its context does not run";
    }
    return what;
}

static void reset(struct doca_graph_instance *instance)
{
    instance->status = DOCA_SUCCESS;
    instance->left = instance->graph->plan.n_nodes;
    instance->under_way = 0;
    for (uint32_t i = 0; i < instance->graph->plan.n_nodes; i++) {
        struct node_run *run = &instance->runs[i];
        run->pending = run->node->n_parents;
        if (run->node->kind == NODE_SUB_GRAPH)
            reset(run->sub);
    }
}

doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance)
{
    struct doca_graph_instance *instance = graph_instance;

    if (!instance)
        return REFUSED_NULL(graph_instance);
    if (instance->in_flight || instance->parent)
        return report_why(__func__, DOCA_ERROR_IN_USE,
                          instance->parent ? "the instance is the data of a sub-graph node"
                                           : "the instance is in flight; wait for its callback");
    const char *what = missing(instance);
    if (what)
        return refused(__func__, what);
    reset(instance);
    instance->ready = NULL;
    instance->ready_tail = &instance->ready;
    push_roots(instance, instance);
    instance->in_flight = true;
    pe_post(instance->graph->pe, &instance->progress);
    return DOCA_SUCCESS;
}

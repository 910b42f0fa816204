// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The structures of graphs of DOCA 3.
//
// An instance in flight is an event of its engine, posted whenever nodes may start. A node of a
// context is a task that the instance submits in the program's place; its end wakes the nodes
// behind it. A task for which its context returns DOCA_ERROR_AGAIN is submitted again by each
// doca_pe_progress(), and the engine does not sleep until that succeeds: nothing would wake it. No
// further node starts once one has failed; those in flight are waited for.

#ifndef CLIENT_GRAPH_TASKS_GRAPH_TASKS_H
#define CLIENT_GRAPH_TASKS_GRAPH_TASKS_H

#include "core/alive.h"
#include "core/device.h"
#include "graph/plan.h"
#include "progress/context.h"

#include <doca_graph.h>

struct doca_graph {
    struct graph_plan plan;
    struct alive alive;
    struct doca_pe *pe;
    doca_graph_completion_cb_t done, failed;
    uint32_t max_instances; // 0: doca_graph_set_conf() was not called
    union doca_data user_data;
};

// A node of an instance.
struct node_run {
    struct task_owner owner; // first
    const struct doca_graph_node *node;
    struct doca_graph_instance *instance;
    struct node_run *next; // in the list of nodes that may start
    union {
        struct doca_task *task;
        void *cookie;
        struct doca_graph_instance *sub;
    };
    uint32_t pending; // nodes it waits for
};

struct doca_graph_instance {
    struct pe_event progress; // first; of an instance that was submitted itself
    struct doca_graph *graph;
    struct alive alive;
    struct node_run *parent; // the node whose data it is, or NULL
    bool in_flight;
    doca_error_t status;
    uint32_t left;                        // nodes that are not done
    uint32_t under_way;                   // nodes that are started and not done
    struct node_run *ready, **ready_tail; // of an instance that was submitted itself
    union doca_data user_data;
    struct node_run runs[];
};

// The instance that was submitted, for one that is the data of a node; else itself.
static inline struct doca_graph_instance *instance_root(struct doca_graph_instance *instance)
{
    while (instance->parent)
        instance = instance->parent->instance;
    return instance;
}

// For pe_event.deliver, and task_owner.done.
void instance_progress(struct pe_event *event);
void instance_task_done(struct task_owner *owner, struct doca_task *task);

#endif

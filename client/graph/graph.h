// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The structures of graphs.
//
// A graph is a context of a work queue, and an instance in flight is one item. That item executes
// the others: the items of the instance's nodes, which it took when it was submitted and which no
// list of the executor ever holds. So the data path of plain jobs has no code for graphs.

#ifndef CLIENT_GRAPH_GRAPH_H
#define CLIENT_GRAPH_GRAPH_H

#include "core/alive.h"
#include "plan.h"
#include "work/ctx.h"

#include <doca_graph.h>

struct doca_graph {
    struct doca_ctx ctx; // its lock guards the plan
    struct graph_plan plan;
};

static inline struct doca_graph *graph_of(struct graph_plan *plan)
{
    return container_of(plan, struct doca_graph, plan);
}

// ---- instances ---------------------------------------------------------------------------

// A node of an instance: one cache line.
struct node_run {
    const struct doca_graph_node *node;
    struct doca_graph_instance *instance;
    struct node_run *next; // in the list that it is in
    union {
        const struct doca_job *job;
        void *cookie;
        struct doca_graph_instance *sub;
    };
    struct doca_event *event;
    struct work_item *item; // for a context node that is not done
    union doca_data result;
    uint32_t pending; // nodes it waits for
    uint8_t state;    // enum doca_graph_instance_node_state
    bool kept;        // kept by its context
};

_Static_assert(sizeof(struct node_run) == 64, "one cache line");

struct run_fifo {
    struct node_run *head, **tail;
};

struct doca_graph_instance {
    struct doca_graph *graph; // held
    struct alive alive;
    struct node_run *parent; // the node whose data it is, or NULL
    bool in_flight;
    doca_error_t status;
    uint32_t n_failed;
    uint32_t left;      // nodes that are not done
    uint32_t under_way; // nodes that are started and not done
    // For an instance that was submitted itself.
    struct run_fifo ready, waiting;
    struct node_run runs[] __attribute__((aligned(64)));
};

static inline bool instance_busy(const struct doca_graph_instance *instance)
{
    while (instance->parent)
        instance = instance->parent->instance;
    return instance->in_flight;
}

// ---- execution ---------------------------------------------------------------------------

// The state of a graph for each of its work queues.
struct graph_queue {
    struct work_source source;
    bool ready; // an instance can continue now
};

// ctx_ops of graphs.
doca_error_t graph_attach(struct work_link *link, struct errtext *err);
void graph_detach(struct work_link *link);
enum work_status graph_execute(struct work_item *item);
void graph_finish(const struct work_item *item, union doca_data *result);

// Releases the items that nodes, including those of sub-graphs, still have.
void graph_release_items(struct executor *executor, struct doca_graph_instance *instance);

// For an item whose link belongs to a graph.
static inline struct doca_graph_instance **graph_instance_of(struct work_item *item)
{
    return (struct doca_graph_instance **)item->job;
}

#endif

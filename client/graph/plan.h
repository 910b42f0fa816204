// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The nodes of a graph and what waits for what, for every interface.

#ifndef CLIENT_GRAPH_PLAN_H
#define CLIENT_GRAPH_PLAN_H

#include "errtext.h"
#include "list.h"

#include <doca_types.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GRAPH_NESTING_MAX 16 // graphs in graphs

struct doca_ctx;

enum node_kind { NODE_CTX, NODE_USER, NODE_SUB_GRAPH };

struct doca_graph_node {
    struct list in_plan;
    struct graph_plan *plan;
    enum node_kind kind;
    union {
        struct {
            int job_type; // 2.2 alone
            const struct doca_ctx *ctx;
        };
        void (*callback)(void); // of the interface's type
        struct graph_plan *sub; // held
    };
    uint32_t index; // its position in instances
    uint32_t n_parents;
    uint32_t n_children, room;
    struct doca_graph_node **children; // nodes that wait for it
    struct doca_graph_node *walk;      // while looking for a cycle
    bool seen;
};

struct graph_plan {
    struct list nodes;
    bool started;
    uint32_t n_nodes;
    uint32_t n_ctx_nodes; // including those of sub-graphs
    uint32_t nesting;     // levels of graphs below this one
    _Atomic uint32_t n_instances;
    _Atomic uint32_t n_uses; // nodes whose sub-graph it is
};

void plan_init(struct graph_plan *plan);
// Call it when nothing refers to the plan any more.
void plan_fini(struct graph_plan *plan);

// Returns what refers to the plan, and how many: instances, or nodes of other graphs; NULL for
// none.
const char *plan_in_use(struct graph_plan *plan, uint32_t *n);

// Adds what the caller described: BAD_STATE if the plan is started, or NO_MEMORY. A sub-graph must
// be started, and not the graph itself (NOT_PERMITTED), and not too deep (NO_MEMORY).
doca_error_t plan_add_node(struct graph_plan *plan, const struct doca_graph_node *described,
                           struct doca_graph_node **out, struct errtext *err);

// BAD_STATE, NO_MEMORY, or NOT_PERMITTED: a node of another graph, or a circle.
doca_error_t plan_add_dependency(struct graph_plan *plan, struct doca_graph_node *from,
                                 struct doca_graph_node *to, struct errtext *err);

// BAD_STATE if it is started; `without_context` if it has no context node.
doca_error_t plan_may_start(const struct graph_plan *plan, doca_error_t without_context,
                            struct errtext *err);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Graphs of fake jobs and callbacks, as a test writes them down, and a work queue for them.

#ifndef TESTS_FAKE_GRAPH_H
#define TESTS_FAKE_GRAPH_H

#include "fake_ctx.h"

#include <check.h>
#include <doca_graph.h>

#define WORKS(call) ck_assert_int_eq(call, DOCA_SUCCESS)

extern struct fake_ctx fake;
extern struct doca_workq *workq;

void setup(void); // 64 places, polling
void setup_mode(uint32_t depth, bool event_driven);
void teardown(void);

// ---- a graph and an instance of it ---------------------------------------------------------

#define NODES_MAX 16

struct test {
    struct doca_graph *graph;
    struct doca_graph_instance *instance;
    size_t n;
    struct doca_graph_node *nodes[NODES_MAX];
    struct fake_job jobs[NODES_MAX]; // id: the node's number
    struct doca_event events[NODES_MAX];
    bool user[NODES_MAX];
    doca_error_t returns[NODES_MAX]; // what a callback does
};

// The cookies of the user nodes of the graph that was started last.
struct cookie {
    struct test *test;
    unsigned id;
    unsigned calls;
    void (*also)(struct test *test);
};

extern struct cookie cookies[NODES_MAX];

// "cuc" makes a context node, a user node, a context node; edges are dependencies.
void test_start(struct test *t, const char *kinds, const unsigned (*edges)[2], size_t n_edges);
void test_end(struct test *t);

#define TEST_START(t, kinds, ...)                                                                  \
    do {                                                                                           \
        static const unsigned edges[][2] = {__VA_ARGS__};                                          \
        test_start(t, kinds, edges, ARRAY_SIZE(edges));                                            \
    } while (0)

// ---- running it --------------------------------------------------------------------------

void submit(struct doca_graph_instance *instance, uint64_t id);

// Returns the result in an instance's event; counts the calls that had only nodes to report.
doca_error_t wait_for(uint64_t *id, unsigned *again);

// Submits, and waits.
doca_error_t run(struct test *t);

// Retrieves often enough for everything that is going to happen; no event comes.
void poll_some(void);

#define NOT_STARTED DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED
#define STARTED     DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED
#define COMPLETED   DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED
#define FAILED      DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR

enum doca_graph_instance_node_state state_of(struct test *t, unsigned node);
uint64_t result_of(struct test *t, unsigned node);

// Fails the test unless this node, and no other, has failed.
void assert_failed(struct test *t, unsigned node);

// Fails the test unless all `n` places of the queue are free.
void assert_places(unsigned n);

#endif

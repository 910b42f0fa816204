// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "graphs_3.h"
#include "copies_3.h"
#include "rule_cases.h"

#include <doca_graph.h>

// A graph with one copy, whose instance is in flight.
struct graphed {
    struct copies copies;
    struct doca_buf *from, *to;
    struct doca_dma_task_memcpy *task;
    struct doca_graph *graph;
    struct doca_graph_node *node;
    struct doca_graph_instance *instance;
};

static void graph_done(struct doca_graph_instance *instance, union doca_data instance_data,
                       union doca_data graph_data)
{
    struct copies *copies = graph_data.ptr;
    (void)instance;
    (void)instance_data;
    copies->done++;
}

static void graphed_begin(struct graphed *graphed)
{
    copies_begin(&graphed->copies, (size_t)4 * PART);
    graphed->from = copies_full(&graphed->copies, 0, PART);
    graphed->to = copies_empty(&graphed->copies, PART, PART);
    graphed->task = copies_task(&graphed->copies, 0, graphed->from, graphed->to);
    must(doca_graph_create(graphed->copies.pe, &graphed->graph));
    must(doca_graph_set_conf(graphed->graph, graph_done, graph_done, 1));
    must(doca_graph_set_user_data(graphed->graph, (union doca_data){.ptr = &graphed->copies}));
    must(doca_graph_node_create_from_ctx(graphed->graph, doca_dma_as_ctx(graphed->copies.dmas[0]),
                                         &graphed->node));
}

static void graphed_create(struct graphed *graphed)
{
    must(doca_graph_start(graphed->graph));
    must(doca_graph_instance_create(graphed->graph, &graphed->instance));
    must(doca_graph_instance_set_ctx_node_data(graphed->instance, graphed->node,
                                               doca_dma_task_memcpy_as_task(graphed->task)));
}

static void graphed_end(struct graphed *graphed)
{
    must(doca_graph_instance_destroy(graphed->instance));
    must(doca_graph_stop(graphed->graph));
    must(doca_graph_destroy(graphed->graph));
    copies_give_back(graphed->from);
    copies_give_back(graphed->to);
    copies_end(&graphed->copies);
}

void graph_task_freed(bool wrong)
{
    struct graphed graphed;
    graphed_begin(&graphed);
    graphed_create(&graphed);
    must(doca_graph_instance_submit(graphed.instance));
    if (!wrong)
        copies_await(&graphed.copies, 1);
    copies_free(graphed.task);
    copies_await(&graphed.copies, 1);
    graphed_end(&graphed);
}

// Both are submitted again when the graph has run.
void graph_task_submitted(bool wrong)
{
    struct graphed graphed;
    graphed_begin(&graphed);
    graphed_create(&graphed);
    must(doca_graph_instance_submit(graphed.instance));
    if (!wrong) {
        copies_await(&graphed.copies, 1);
        must(doca_buf_reset_data_len(graphed.to));
    }
    copies_submit(graphed.task);
    copies_await(&graphed.copies, 2);
    must(doca_buf_reset_data_len(graphed.to));
    must(doca_graph_instance_submit(graphed.instance));
    copies_await(&graphed.copies, 3);
    copies_free(graphed.task);
    graphed_end(&graphed);
}

void graph_buffer_reset(bool wrong)
{
    struct graphed graphed;
    graphed_begin(&graphed);
    graphed_create(&graphed);
    must(doca_graph_instance_submit(graphed.instance));
    if (!wrong)
        copies_await(&graphed.copies, 1);
    must(doca_buf_reset_data_len(graphed.to));
    copies_await(&graphed.copies, 1);
    copies_free(graphed.task);
    graphed_end(&graphed);
}

static doca_error_t set_source(void *of)
{
    struct graphed *graphed = of;
    return doca_buf_set_data(graphed->from, graphed->copies.memory, PART / 2);
}

// A node of the graph calls the program, which says what the next one copies.
void graph_callback(bool wrong)
{
    struct graphed graphed;
    struct doca_graph_node *node;
    (void)wrong;
    graphed_begin(&graphed);
    must(doca_graph_node_create_from_user(graphed.graph, set_source, &node));
    must(doca_graph_add_dependency(graphed.graph, node, graphed.node));
    graphed_create(&graphed);
    must(doca_graph_instance_set_user_node_data(graphed.instance, node, &graphed));
    must(doca_graph_instance_submit(graphed.instance));
    copies_await(&graphed.copies, 1);
    copies_free(graphed.task);
    graphed_end(&graphed);
}

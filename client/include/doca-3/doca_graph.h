/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_graph.h
 * Graphs of tasks that depend on each other.
 */
#ifndef DOCA_GRAPH_H_
#define DOCA_GRAPH_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A context. */
struct doca_ctx;
/** A progress engine. */
struct doca_pe;
/** A task. */
struct doca_task;
/** A graph. */
struct doca_graph;
/** A node. */
struct doca_graph_node;
/** An instance. */
struct doca_graph_instance;

/** Called by doca_pe_progress() when an instance is done, or has failed. */
typedef void (*doca_graph_completion_cb_t)(struct doca_graph_instance *instance,
                                           union doca_data instance_user_data,
                                           union doca_data graph_user_data);

/** Called when the turn of a user node comes, with its cookie. */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie);

/**
 * Makes a graph without nodes, whose instances run by doca_pe_progress() of the engine.
 *
 * @param pe the progress engine.
 * @param graph receives the graph.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NO_MEMORY there is no memory for it.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph)
    DOCA_3_SYMBOL(graph_create);

/**
 * Frees a graph and its nodes. It must not be started.
 *
 * @param graph the graph.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE graph is NULL;
 *   DOCA_ERROR_BAD_STATE it is started: nothing has happened.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_destroy(struct doca_graph *graph) DOCA_3_SYMBOL(graph_destroy);

/**
 * Sets the callbacks of a graph that is not started, and how many instances it may have. A graph
 * cannot be started without.
 *
 * @param graph the graph.
 * @param graph_completion_cb called for each instance all of whose nodes are done.
 * @param graph_error_cb called for each instance of which a node has failed.
 * @param num_instances the number of instances.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the number is 0;
 *   DOCA_ERROR_BAD_STATE the graph is started.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_conf(struct doca_graph *graph,
                                 doca_graph_completion_cb_t graph_completion_cb,
                                 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances);

/**
 * Sets data of the program on a graph that is not started. Callbacks get it.
 *
 * @param graph the graph.
 * @param user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE graph is NULL;
 *   DOCA_ERROR_BAD_STATE the graph is started.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data);

/**
 * Returns the data of the program.
 *
 * @param graph the graph.
 * @param user_data receives it; 0 if none was set.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data);

/**
 * Adds a node that runs a task of the context to a graph that is not started. The node lives as
 * long as the graph.
 *
 * @param graph the graph.
 * @param ctx a context on the engine of the graph.
 * @param node receives the node.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the graph is started;
 *   DOCA_ERROR_NO_MEMORY there is no memory for it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
                                             struct doca_graph_node **node);

/**
 * Adds a node that calls a function of the program to a graph that is not started.
 * doca_pe_progress() calls it; if it returns another code than DOCA_SUCCESS, the instance fails.
 *
 * @param graph the graph.
 * @param cb the function to call.
 * @param node receives the node.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the graph is started;
 *   DOCA_ERROR_NO_MEMORY there is no memory for it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
                                              doca_graph_user_node_cb_t cb,
                                              struct doca_graph_node **node);

/**
 * Adds a node that runs an instance of another graph, which is started, to a graph that is not.
 * That instance calls no callbacks of its own.
 *
 * @param graph the graph.
 * @param sub_graph the sub graph.
 * @param node receives the node.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the sub-graph belongs to another engine;
 *   DOCA_ERROR_BAD_STATE the graph is started, or the sub-graph is not;
 *   DOCA_ERROR_NO_MEMORY there is no memory for it, or graphs are nested too deep;
 *   DOCA_ERROR_NOT_PERMITTED the sub-graph is the graph itself.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
                                               struct doca_graph *sub_graph,
                                               struct doca_graph_node **node);

/**
 * Makes a node of a graph that is not started wait until another one is done. Saying so twice
 * changes nothing.
 *
 * @param graph the graph.
 * @param from the node that comes first.
 * @param to the node that waits for it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the graph is started;
 *   DOCA_ERROR_NO_MEMORY there is no memory for it;
 *   DOCA_ERROR_NOT_PERMITTED a node belongs to another graph, or the two would wait for each
 *     other.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                       struct doca_graph_node *to)
    DOCA_3_SYMBOL(graph_add_dependency);

/**
 * Fixes nodes and dependencies; instances can be made from then on.
 *
 * @param graph the graph.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE graph is NULL, or the context of a node is on another engine;
 *   DOCA_ERROR_BAD_STATE the graph is started, has no doca_graph_set_conf(), neither it nor a
 *     sub-graph has a context node, or the context of a node does not run;
 *   DOCA_ERROR_NO_MEMORY is named by the table, and not returned here.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_start(struct doca_graph *graph) DOCA_3_SYMBOL(graph_start);

/**
 * Lets a graph be changed again. Of a graph that is not started it does nothing.
 *
 * @param graph the graph.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE graph is NULL;
 *   DOCA_ERROR_IN_USE it has instances, or is a node of another graph.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_stop(struct doca_graph *graph) DOCA_3_SYMBOL(graph_stop);

/**
 * Makes an instance of a graph that is started. Its nodes need data before it can run: a task for
 * each context node, an instance for each sub-graph.
 *
 * @param graph the graph.
 * @param graph_instance receives the instance.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the graph is not started;
 *   DOCA_ERROR_NO_MEMORY the graph has as many instances as doca_graph_set_conf() said, or there
 *     is no memory.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
                                        struct doca_graph_instance **graph_instance)
    DOCA_3_SYMBOL(graph_instance_create);

/**
 * Frees an instance. Its tasks and sub-instances stay the program's.
 *
 * @param graph_instance the instance.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE graph_instance is NULL;
 *   DOCA_ERROR_IN_USE it is in flight, or the data of a sub-graph node.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
    DOCA_3_SYMBOL(graph_instance_destroy);

/**
 * Sets data of the program on an instance that is not in flight. Callbacks get it.
 *
 * @param graph_instance the instance.
 * @param user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE graph_instance is NULL;
 *   DOCA_ERROR_IN_USE it is in flight.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
                                               union doca_data user_data);

/**
 * Returns the data of the program.
 *
 * @param graph_instance the instance.
 * @param user_data receives it; 0 if none was set.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
                                               union doca_data *user_data);

/**
 * Says which task a context node runs. It must not be in flight when the instance is submitted;
 * its own callbacks are not called in a graph.
 *
 * @param graph_instance the instance.
 * @param node the node.
 * @param task the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the node is of another kind;
 *   DOCA_ERROR_BAD_STATE the instance is in flight;
 *   DOCA_ERROR_NOT_PERMITTED the node belongs to another graph, or the task to another context.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
                                                   struct doca_graph_node *node,
                                                   struct doca_task *task)
    DOCA_3_SYMBOL(graph_instance_set_ctx_node_data);

/**
 * Sets what a user node passes to its function.
 *
 * @param graph_instance the instance.
 * @param node the node.
 * @param cookie for the function; may be NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE graph_instance or node is NULL, or the node is of another kind;
 *   DOCA_ERROR_BAD_STATE the instance is in flight;
 *   DOCA_ERROR_NOT_PERMITTED the node belongs to another graph.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
                                                    struct doca_graph_node *node, void *cookie)
    DOCA_3_SYMBOL(graph_instance_set_user_node_data);

/**
 * Says which instance a sub-graph node runs.
 *
 * @param graph_instance the instance.
 * @param node the node.
 * @param sub_graph_instance the sub graph instance.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the node is of another kind;
 *   DOCA_ERROR_BAD_STATE the instance is in flight;
 *   DOCA_ERROR_NOT_PERMITTED the node belongs to another graph, or the sub-graph's instance is of
 *     another graph than the node's, is in flight, or is the data of another node.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
                                            struct doca_graph_node *node,
                                            struct doca_graph_instance *sub_graph_instance)
    DOCA_3_SYMBOL(graph_instance_set_sub_graph_node_data);

/**
 * Runs an instance by doca_pe_progress(), from the nodes that wait for no other. In the end one of
 * the callbacks of doca_graph_set_conf() is called, in which it may be submitted again. Tasks and
 * sub-instances are not the program's meanwhile. A task that its context does not take now
 * (DOCA_ERROR_AGAIN, as from a Comch producer whose consumer has nothing posted) waits, and is
 * tried again by each doca_pe_progress(); the engine's notification handle stays readable
 * meanwhile.
 *
 * @param graph_instance the instance.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE graph_instance is NULL, a node has no data, or a task is in flight,
 *     was freed, or its context does not run;
 *   DOCA_ERROR_IN_USE the instance is in flight, or the data of a sub-graph node.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GRAPH_H_ */

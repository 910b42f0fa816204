/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_graph.h
 * Graphs of jobs, callbacks of the application and other graphs. Each of them starts when
 * those that it depends on are done.
 *
 * A graph is a description: make nodes, add dependencies, and start it. Then add it to work
 * queues, make instances of it, give each node of an instance data, and submit instances any
 * number of times. An instance is complete when all its nodes are. A work queue takes
 * instances and plain jobs side by side. Graphs need no device of their own.
 *
 * An instance moves on inside doca_workq_progress_retrieve(), which returns DOCA_ERROR_AGAIN
 * while only nodes are complete, and DOCA_SUCCESS with an event of type DOCA_GRAPH_JOB once
 * an instance is complete. That event's result.u64 is the instance's status: DOCA_SUCCESS, or
 * the error of the first node that failed. After a node has failed no others are started, and
 * the instance is complete when those under way are done.
 *
 * Several threads at a time may add a graph to work queues, remove it, and make and destroy
 * instances of it. All other calls are for one thread at a time. A submitted instance belongs
 * to the thread of its work queue until its event has been retrieved.
 *
 * Every call returns DOCA_ERROR_INVALID_VALUE for a NULL argument, and a refused call changes
 * nothing.
 *
 * Since 2.2.
 */
#ifndef DOCA_GRAPH_H_
#define DOCA_GRAPH_H_

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#error "DOCA 1.5 has no doca_graph.h"
#endif

#include <stdbool.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A graph. */
struct doca_graph;

/** A node of a graph, which owns it. */
struct doca_graph_node;

/** A graph with data, to be executed. */
struct doca_graph_instance;

/** Types of events. */
enum doca_graph_job_types {
    DOCA_GRAPH_JOB = DOCA_ACTION_GRAPH_FIRST + 1 /**< An instance is complete. */
};

/** The progress of a node of an instance. */
enum doca_graph_instance_node_state {
    DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED = 0, /**< Waits, or will not be started. */
    DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED = 1,     /**< Under way. */
    DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED = 2,   /**< Done. */
    DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR = 3        /**< Failed. */
};

/**
 * The function of a user node. It is called inside doca_workq_progress_retrieve() (never
 * while the event handle is armed), on the calling thread. It may change the jobs of nodes
 * that are not started, and submit jobs and other instances to the work queue; it must not
 * retrieve from it.
 *
 * @param cookie the cookie given to doca_graph_instance_set_user_node_data(), else NULL.
 * @param ev the event given to doca_graph_instance_set_user_node_data(), else NULL.
 * @return the node's result; anything but DOCA_SUCCESS means that it failed.
 */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie, struct doca_event *ev);

/**
 * Makes a graph without nodes.
 *
 * @param graph receives the graph.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_NO_MEMORY. Graphs count among the doca_ctx_get_max_num_ctx() contexts of a
 *   process.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_create(struct doca_graph **graph);

/**
 * Destroys a graph, started or not, and its nodes.
 *
 * @param graph the graph.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_NOT_PERMITTED while it has instances, is on a work queue, or is the sub-graph
 *   of a node.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_destroy(struct doca_graph *graph);

/**
 * Adds a node that executes a job.
 *
 * @param graph a graph that is not started.
 * @param job_type the type of its jobs.
 * @param ctx the context that executes them. It must live as long as the graph.
 * @param node receives the node, which does not depend on any other.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE if the graph is started;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_ctx_node_create(struct doca_graph *graph, int job_type,
                                        const struct doca_ctx *ctx, struct doca_graph_node **node);

/**
 * Adds a node that calls the application.
 *
 * @param graph a graph that is not started.
 * @param cb what to call.
 * @param node receives the node, which does not depend on any other.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE if the graph is started;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_user_node_create(struct doca_graph *graph, doca_graph_user_node_cb_t cb,
                                         struct doca_graph_node **node);

/**
 * Adds a node that executes an instance of another graph.
 *
 * @param graph a graph that is not started.
 * @param sub_graph a started graph; it stays started as long as the node exists.
 * @param node receives the node, which does not depend on any other.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE if the graph is started, or the sub-graph is not;
 *   DOCA_ERROR_NO_MEMORY, also if graphs would be nested more than 16 deep;
 *   DOCA_ERROR_NOT_PERMITTED if both are the same graph.
 *
 * Source: table; the limit is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_sub_graph_node_create(struct doca_graph *graph,
                                              struct doca_graph *sub_graph,
                                              struct doca_graph_node **node);

/**
 * Makes a node wait for another one. Adding the same dependency twice has no further effect.
 *
 * @param graph a graph that is not started.
 * @param from the node that has to be done first.
 * @param to the node that waits for it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE if the graph is started;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_NOT_PERMITTED if both are the same node, if `from` already waits for `to`,
 *   directly or through others, or if one of them belongs to another graph.
 *
 * Source: table; the error for a foreign node is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                       struct doca_graph_node *to);

/**
 * Starts a graph. From now on its nodes cannot change, and it may be added to work queues and
 * have instances.
 *
 * @param graph a graph with at least one context node, which may be in a sub-graph.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a graph without context nodes;
 *   DOCA_ERROR_BAD_STATE if it is started, or the context of a node is not.
 *   (DOCA_ERROR_NO_MEMORY of the table is not returned by this implementation.)
 *
 * Source: table, which contradicts itself about a graph that is started. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_start(struct doca_graph *graph);

/**
 * Stops a graph. Nodes may be added to it again.
 *
 * @param graph the graph.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_NOT_PERMITTED while it has instances, is on a work queue, or is the sub-graph
 *   of a node;
 *   DOCA_ERROR_BAD_STATE if it is not started.
 *
 * Source: table, which contradicts itself about a graph that is not started. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_stop(struct doca_graph *graph);

/**
 * Allows instances of a graph to be submitted to a work queue. Must be called by the thread
 * that the work queue belongs to. Sub-graphs need not be added for it.
 *
 * @param graph a started graph.
 * @param workq a work queue that was added to the contexts of all its nodes, those of
 *   sub-graphs included.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a work queue that was added to the graph already;
 *   DOCA_ERROR_BAD_STATE if the graph is not started, or a context is missing;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; which error means what is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_workq_add(struct doca_graph *graph, struct doca_workq *workq);

/**
 * Removes a graph from a work queue. Must be called by the thread that the work queue belongs
 * to.
 *
 * @param graph the graph.
 * @param workq a work queue that it was added to.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a work queue that it was not added to;
 *   DOCA_ERROR_IN_USE while instances are in flight, that is, submitted and not retrieved;
 *   DOCA_ERROR_BAD_STATE if the graph is not started.
 *
 * Source: table; which error means what is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_workq_rm(struct doca_graph *graph, struct doca_workq *workq);

/**
 * Makes an instance of a graph.
 *
 * @param graph a started graph.
 * @param graph_instance receives the instance. Its nodes have no data yet.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_BAD_STATE if the graph is not started;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
                                        struct doca_graph_instance **graph_instance);

/**
 * Destroys an instance. Instances that were given to its nodes are free again.
 *
 * @param graph_instance the instance.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_NOT_PERMITTED while it is in flight, or is the data of a sub-graph node.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance);

/**
 * Says which job a context node executes.
 *
 * @param graph_instance an instance that is not in flight.
 * @param node a context node of its graph.
 * @param job a job of the node's type and context. The pointer is kept, and the job is read
 *   each time the node is started.
 * @param ev receives the event of the job each time it is done, or NULL. Libraries that
 *   expect data in an event before it is retrieved expect it here.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, a node that is not a context node, or a job of another
 *   type or context;
 *   DOCA_ERROR_BAD_STATE while the instance is in flight;
 *   DOCA_ERROR_NOT_PERMITTED if the node belongs to another graph.
 *
 * Source: table; which error means what is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
                                                   struct doca_graph_node *node,
                                                   struct doca_job *job, struct doca_event *ev);

/**
 * Sets the arguments of a user node's callback. Without this call both are NULL.
 *
 * @param graph_instance an instance that is not in flight.
 * @param node a user node of its graph.
 * @param cookie the callback's, may be NULL.
 * @param ev the callback's, may be NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a node that is not a user node;
 *   DOCA_ERROR_BAD_STATE while the instance is in flight;
 *   DOCA_ERROR_NOT_PERMITTED if the node belongs to another graph.
 *
 * Source: table; which error means what is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
                                                    struct doca_graph_node *node, void *cookie,
                                                    struct doca_event *ev);

/**
 * Says which instance a sub-graph node executes. The node's previous instance is free again.
 *
 * @param graph_instance an instance that is not in flight.
 * @param node a sub-graph node of its graph.
 * @param sub_graph_instance an instance of that node's sub-graph.
 * @param ev receives an event of type DOCA_GRAPH_JOB each time the node is done, or NULL;
 *   its result.u64 is the sub-graph instance's status and its user_data is empty.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, a node that is not a sub-graph node, or an instance of
 *   a graph other than the node's sub-graph;
 *   DOCA_ERROR_BAD_STATE while one of the instances is in flight;
 *   DOCA_ERROR_NOT_PERMITTED if the node and the instance belong to different graphs, or the
 *   sub-graph instance is the data of another node already.
 *
 * Source: table; which error means what is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_sub_graph_node_data(
    struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
    struct doca_graph_instance *sub_graph_instance, struct doca_event *ev);

/**
 * Submits an instance. It takes one of the work queue's places for each of its context nodes,
 * including those of sub-graphs, and one more. A node's place is free when the node is done.
 *
 * If a context cannot take more jobs for the moment, its nodes are delayed and do not fail.
 * If a context refuses a job, its node fails with the error that doca_workq_submit() would
 * have returned.
 *
 * @param workq a work queue that the instance's graph was added to.
 * @param graph_instance an instance all of whose context and sub-graph nodes have data. It
 *   may have been submitted before.
 * @param user_data comes back in the event.
 * @return DOCA_SUCCESS: exactly one event will follow;
 *   DOCA_ERROR_INVALID_VALUE for NULL, a work queue without the graph or one of the contexts,
 *   a node without data, or a context whose jobs cannot be nodes (those of RDMA);
 *   DOCA_ERROR_IN_USE while the instance is in flight, or is the data of a sub-graph node;
 *   DOCA_ERROR_NO_MEMORY if there are not enough places: retrieve, then submit again.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_graph_submit(struct doca_workq *workq,
                                     struct doca_graph_instance *graph_instance,
                                     union doca_data user_data);

/**
 * Returns the number of nodes that have failed since the instance was last submitted.
 *
 * @param graph_instance the instance, in flight or not.
 * @param num_failed_nodes receives the number, without nodes of sub-graphs.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_get_num_failed_nodes(const struct doca_graph_instance *graph_instance,
                                         uint32_t *num_failed_nodes);

/**
 * Returns the nodes that have failed since the instance was last submitted.
 *
 * @param graph_instance the instance, in flight or not.
 * @param failed_nodes room for nodes.
 * @param num_failed_nodes the number of nodes that there is room for; receives the number
 *   filled in.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_get_failed_nodes(const struct doca_graph_instance *graph_instance,
                                                  const struct doca_graph_node **failed_nodes,
                                                  uint32_t *num_failed_nodes);

/**
 * Returns how far a node has come since the instance was last submitted.
 *
 * @param graph_instance the instance, in flight or not.
 * @param node a node of its graph.
 * @param state receives the state.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_NOT_PERMITTED if the node belongs to another graph (our choice).
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_node_get_state(const struct doca_graph_instance *graph_instance,
                                                const struct doca_graph_node *node,
                                                enum doca_graph_instance_node_state *state);

/**
 * Returns the outcome of a node: for a context node the result in its job's event, for a user
 * node the callback's return value, for a sub-graph node the status of its instance (u64).
 *
 * @param graph_instance the instance, in flight or not.
 * @param node a node of its graph.
 * @param result receives the result.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE;
 *   DOCA_ERROR_NOT_PERMITTED if the node belongs to another graph (our choice);
 *   DOCA_ERROR_BAD_STATE if the node is neither completed nor failed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_node_get_result(const struct doca_graph_instance *graph_instance,
                                                 const struct doca_graph_node *node,
                                                 union doca_data *result);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GRAPH_H_ */

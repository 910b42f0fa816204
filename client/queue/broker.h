// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Brokered bytes: the queue pairs through which work queues reach the engines of the
// daemons that own imported memory.
//
// A session has a few nodes. Each work queue that has a context has one queue pair for each node
// with brokered imports. It is made on the control path: when the queue is attached, or when an
// import brings a new node.

#ifndef CLIENT_QUEUE_BROKER_H
#define CLIENT_QUEUE_BROKER_H

#include "core/session.h"

struct broker_node;
struct broker_port;
struct broker_queue;
struct executor;

// Returns the session's record of a node whose engine moves brokered bytes of an import.
// Reference-counted: each import that needs it holds it. Makes the queue pairs that existing work
// queues need. Errors: those of docad's answer, DOCA_ERROR_NO_MEMORY.
doca_error_t broker_node_get(struct session *session, const uint8_t node[NODE_ID_SIZE],
                             struct broker_node **out, struct errtext *err);
struct broker_node *broker_node_put(struct broker_node *node); // takes NULL, returns NULL

// A work queue's queue pairs, one for each node. Opening makes those that imports need,
// and gives the executor a source that moves them. DOCA_ERROR_NO_MEMORY, or
// DOCA_ERROR_INITIALIZATION if docad refuses.
doca_error_t broker_port_open(struct executor *executor, struct broker_port **out,
                              struct errtext *err);

// Destroys the queue pairs. No item may be waiting. Takes NULL, returns NULL.
struct broker_port *broker_port_close(struct broker_port *port);

// Returns the queue pair to a node; NULL if there is none, because its daemon was out of
// reach.
struct broker_queue *broker_port_queue(struct broker_port *port, const struct broker_node *node);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An RDMA context of DOCA 3. Each of its connections has an end of client/rdma; all share the
// context's engine, and its receives.

#ifndef CLIENT_RDMA_TASKS_RDMA_CONTEXT_H
#define CLIENT_RDMA_TASKS_RDMA_CONTEXT_H

#include "cm.h"
#include "progress/context.h"
#include "rdma/rdma_end.h"

#include <doca_rdma.h>

struct doca_rdma_connection {
    struct doca_rdma *rdma;
    uint32_t id; // its index in the context
    bool used;   // since the latest start, and not released
    bool ending; // the callback for its end is called: it does not count any more
    struct rdma_end end;
    union doca_data user_data;
    struct list spare; // in the context's, unless it is used
    struct cm_call call;
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct doca_rdma_connection, end.set) <= 192,
               "what a message needs of a connection is in three cache lines");

// The additional state of a context of 2.5 and 2.6: see single.h.
struct rdma_single {
    struct doca_rdma *rdma;
    struct doca_rdma_connection *connection; // NULL: not exported since the latest start
    struct pe_event connected;
};

struct doca_rdma {
    struct doca_ctx ctx;
    struct rdma_settings set; // of each connection
    struct rdma_receives receives;
    struct rdma_group group; // its connections, while they are attached
    // Connections that have ended are used again, so that a pointer to one stays valid until the
    // context is destroyed: the one that ended first is used first.
    struct doca_rdma_connection **connections;
    struct list spare;
    uint32_t n_made, n_used; // those that are ending do not count as used
    struct cm cm;
    struct rdma_single *single; // NULL: a context of 2.7 or later
    uint32_t send_chain;        // buffers in a local list, except for receives
    uint16_t max_connections;
};

static inline struct doca_rdma *rdma_context_of(struct doca_ctx *ctx)
{
    return container_of(ctx, struct doca_rdma, ctx);
}

extern const struct rdma_others rdma_event_jobs; // event_job.c

// Returns whether connections may be made and connected.
static inline bool rdma_takes_connections(const struct doca_rdma *rdma)
{
    return rdma->ctx.state == DOCA_CTX_STATE_RUNNING ||
           (rdma->single && rdma->ctx.state == DOCA_CTX_STATE_STARTING);
}

// Called when the context stops: the single connection is about to be closed.
void rdma_single_stop(struct doca_rdma *rdma);

// ---- connections.c -----------------------------------------------------------------------------

// Returns whether the connection is one of the context, made since it was started, and not
// released.
static inline bool rdma_has_connection(const struct doca_rdma *rdma,
                                       const struct doca_rdma_connection *connection)
{
    return connection->rdma == rdma && connection->used;
}

// Makes one more connection, without an end: DOCA_ERROR_BAD_STATE, DOCA_ERROR_FULL,
// DOCA_ERROR_NO_MEMORY.
doca_error_t rdma_connection_take(struct doca_rdma *rdma, struct doca_rdma_connection **out,
                                  struct errtext *err);
// Makes its end, which does not belong to the executor yet.
doca_error_t rdma_connection_open(struct doca_rdma_connection *connection, struct errtext *err);
// The callback for its end is about to be called, in which the program may make another one in its
// place.
void rdma_connection_discount(struct doca_rdma_connection *connection);
// Closes its end, if it has one. The connection can be used again.
void rdma_connection_release(struct doca_rdma_connection *connection);

// Ends all connections, which flushes their tasks. Those that docad's engine executes end later. No
// message takes a receive any more.
void rdma_connections_leave(struct doca_rdma *rdma);
// Frees the connections. No task is in flight.
void rdma_connections_close(struct doca_rdma *rdma);
void rdma_connections_free(struct doca_rdma *rdma);

#endif

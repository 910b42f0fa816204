// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "workers/threads.h"

#include <sched.h>
#include <unistd.h>

// ---- on a worker -------------------------------------------------------------------------

void worker_port_ended(struct worker_op *op)
{
    struct worker_port *port = op->port;
    struct worker_op *last = atomic_load_explicit(&port->ended, memory_order_relaxed);
    uint64_t one = 1;

    do
        op->next = last;
    while (!atomic_compare_exchange_weak(&port->ended, &last, op));
    if (atomic_load(&port->armed) && atomic_exchange(&port->armed, false)) {
        // The write fails only when the counter is saturated, and then it is readable.
        ssize_t n = write(port->executor->event_fd, &one, sizeof(one));
        (void)n;
    }
    atomic_fetch_sub(&port->busy, 1); // from here on the port may be gone
}

// ---- on the executor's thread --------------------------------------------------------------

static void end(struct worker_port *port, struct worker_op *op, enum worker_end how)
{
    list_remove(&op->out);
    port->calls->done(op, how);
}

// This process is a child: its workers do not have the operations of the parent's.
__attribute__((noinline, cold)) static void lose(struct worker_port *port)
{
    struct worker_op *op, *other;

    port->forks = workers_forks();
    atomic_store(&port->busy, 0);
    atomic_store(&port->ended, NULL);
    list_for_each_safe (op, other, &port->out, out)
        end(port, op, WORKER_LOST);
}

static inline bool lost(const struct worker_port *port)
{
    return __builtin_expect(port->forks != workers_forks(), 0);
}

static void poll_ended(struct work_source *source)
{
    struct worker_port *port = container_of(source, struct worker_port, source);
    struct worker_op *first = NULL, *op, *next;

    if (lost(port)) {
        lose(port);
        return;
    }
    if (!atomic_load_explicit(&port->ended, memory_order_relaxed))
        return;
    for (op = atomic_exchange(&port->ended, NULL); op; op = next) {
        next = op->next; // those that ended first come last
        op->next = first;
        first = op;
    }
    for (op = first; op; op = next) {
        next = op->next;
        bool begun = atomic_load_explicit(&op->state, memory_order_relaxed) == OP_BEGUN;
        end(port, op, begun ? WORKER_RAN : WORKER_WITHDRAWN);
    }
}

static bool arm(struct work_source *source)
{
    struct worker_port *port = container_of(source, struct worker_port, source);

    // In this order; a worker does the opposite.
    atomic_store(&port->armed, true);
    return atomic_load(&port->ended) || lost(port);
}

static void clear(struct work_source *source)
{
    atomic_store(&container_of(source, struct worker_port, source)->armed, false);
}

bool worker_offload(struct worker_port *port, struct worker_op *op)
{
    if (!workers_most())
        return false;
    if (lost(port))
        lose(port);
    op->port = port;
    atomic_store_explicit(&op->state, OP_WAITING, memory_order_relaxed);
    list_append(&port->out, &op->out);
    atomic_fetch_add_explicit(&port->busy, 1, memory_order_relaxed);
    if (workers_give(op))
        return true;
    atomic_fetch_sub_explicit(&port->busy, 1, memory_order_relaxed);
    list_remove(&op->out);
    return false;
}

void worker_withdraw(struct worker_port *port)
{
    struct worker_op *op;

    list_for_each (op, &port->out, out) {
        uint32_t waiting = OP_WAITING;
        atomic_compare_exchange_strong(&op->state, &waiting, OP_WITHDRAWN);
    }
}

// ---- lifetime ------------------------------------------------------------------------------

void worker_port_open(struct worker_port *port, struct executor *executor, struct session *session,
                      const struct worker_calls *calls)
{
    *port = (struct worker_port){.source = {.poll = poll_ended, .arm = arm, .clear = clear},
                                 .executor = executor,
                                 .calls = calls};
    list_init(&port->out);
    port->places = workers_enter(session);
    port->forks = workers_forks();
    executor_add_source(executor, &port->source);
}

void worker_port_close(struct worker_port *port)
{
    if (!port->executor)
        return;
    list_remove(&port->source.node);
    while (!lost(port) && atomic_load(&port->busy))
        sched_yield();
    workers_leave(port->places);
    port->places = NULL;
    port->executor = NULL;
}

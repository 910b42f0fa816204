// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Worker threads of the process, for libraries that compute: a job or task that takes long is
// passed to one of them, so that submitting it returns immediately and several are computed at a
// time.
//
// There are as many workers as cores that the process may use, at most WORKERS_MAX, and at most the
// number in docad's configuration (that of the first port's session) and in the environment
// variable DOCAD_WORKERS; with one core there are none. A thread starts when an operation is passed
// and no worker is free; all end with the last port. A child of fork() starts with none: operations
// that workers of the parent had are lost to it.
//
// How a library uses them:
//
//     struct x_op {                       // as long as the job is in flight, at one address
//         struct worker_op op;
//         struct work_item *item;
//         ...                             // what run() reads and writes
//     };
//     static const struct worker_calls calls = {.run = x_run, .done = x_done};
//
//     when a link opens (ctx_ops.attach, ctx_kind.start)
//                  worker_port_open(&link->..., link->executor, session or NULL, &calls)
//     when it closes (ctx_ops.detach, ctx_kind.stopped)
//                  worker_port_close()
//     work_ops     .eager = true, so that execute() is called when the job is submitted:
//
//         execute()    the first time: checks the job; if worker_pays(), and
//                      worker_offload(port, &x->op) takes it, returns executor_keep(executor).
//                      Otherwise returns WORK_LATER, and computes at the second call, which comes
//                      from the poll: then submitting never computes. If worker_pays_asleep(), the
//                      second call hands it over, too.
//         progress()   does what the second call does: graphs call it instead. A job that had to
//                      wait for another may be handed over there, too: executor_keep().
//         run()        on a worker: computes. It reads what execute() found (addresses and
//                      lengths), and writes the operation only. It must not touch the item, the
//                      link, the executor, or anything else of the context's thread, nor log.
//         done()       on the context's own thread, from a poll: sets item->error and what the
//                      program sees, counts and logs, and calls executor_finish(). It must not
//                      call the program.
//
//     DOCA 3       ctx_kind.flush calls worker_withdraw(): operations that no worker has begun
//                  come back with WORKER_WITHDRAWN (item->error = DOCA_ERROR_SHUTDOWN); stopping
//                  waits for the others.
//     DOCA 2.2     doca_ctx_workq_rm() refuses while jobs are in flight; there is nothing to do.
//
// Copies are not computed by workers: dma/dma_engine.h says why.
//
// done() is called in the order in which operations end. Both generations poll through the
// executor: a port is one of its sources, and wakes a thread that waits for the event descriptor.
//
// Mapped bytes of imported memory: run() passes op->activity to touch_begin_at() (work/touch.h),
// step by step. It is NULL if the port was opened without a session, or the session had no free
// slots: then a library must not pass operations on imported memory, see worker_port_touches().
// Brokered bytes move through queue pairs of the context's thread, and cannot be moved by run().
//
// Cost: a job that is computed in place touches nothing here. Passing an operation takes no lock
// and allocates nothing; it makes a system call only to wake a worker that sleeps (futex), or to
// start one (at most once for each). A worker makes a system call to sleep when it has found no
// work for some time, and to wake a thread that has armed its event descriptor (eventfd). Waking an
// idle core takes the calling thread 5 to 20 us on a virtual machine. So a worker polls for more
// work for an eighth of the time of the last operation, between 10 and 200 us: a program that waits
// for an operation and submits the next one finds it awake.

#ifndef CLIENT_WORKERS_WORKERS_H
#define CLIENT_WORKERS_WORKERS_H

#include "queue/executor.h"

#include <stdatomic.h>

#define WORKERS_MAX 64

struct worker_places;
struct worker_port;

struct worker_op {
    struct worker_op *next;         // among those that have ended
    struct worker_port *port;       // until done() is called
    struct list out;                // in port->out
    struct activity_slot *activity; // in run(): the worker's own, or NULL
    uint32_t worker;                // in run(): which one, below workers_most()
    _Atomic uint32_t state;
};

enum worker_end {
    WORKER_RAN,       // run() has returned
    WORKER_WITHDRAWN, // run() was not called, see worker_withdraw()
    WORKER_LOST,      // this process is a child of the one that handed it over
};

// The error with which a job ends if run() was not called; DOCA_SUCCESS if it was.
static inline doca_error_t worker_end_error(enum worker_end end)
{
    if (end == WORKER_RAN)
        return DOCA_SUCCESS;
    return end == WORKER_WITHDRAWN ? DOCA_ERROR_SHUTDOWN : DOCA_ERROR_BAD_STATE;
}

#define WORKER_LOST_TEXT "it was submitted before a fork(), and is computed in the parent only"

struct worker_calls {
    void (*run)(struct worker_op *op);
    void (*done)(struct worker_op *op, enum worker_end end);
};

// Owned by the executor's thread, except `ended` and `busy`, which workers change, and `armed`,
// which they read.
struct worker_port {
    struct work_source source;
    struct executor *executor;
    const struct worker_calls *calls;
    struct worker_places *places;                 // on a session's activity page, or NULL
    struct list out;                              // operations that were passed and are not back
    uint32_t forks;                               // workers_forks() when there were none
    _Alignas(64) struct worker_op *_Atomic ended; // last first
    _Atomic uint32_t busy;                        // operations that a worker may still touch
    _Atomic bool armed;                           // the next end wakes the executor's thread
};

// The number of workers that there may be; 0: everything is computed in place. It does not change
// while ports are open.
uint32_t workers_most(void);

// Opens a port as a source of the executor. `session` is for imported memory, and may be NULL.
void worker_port_open(struct worker_port *port, struct executor *executor, struct session *session,
                      const struct worker_calls *calls);

// All operations must have come back. Waits for workers only in the few instructions after an
// operation's end; the last port of the process waits for its threads, which are idle.
void worker_port_close(struct worker_port *port);

// Passes an operation to a worker. Returns false if there is no worker, or thousands of operations
// wait: then the caller computes it.
bool worker_offload(struct worker_port *port, struct worker_op *op);

// Returns whether an operation should be offloaded when it is submitted; `from` is the size at
// which a worker's time is worth waking it. A lone operation is offloaded only if it takes much
// longer than that: a program that submits it and polls would lose the time of waking the worker,
// and then the program; it computes in the poll as fast as the library that it calls. While others
// are in flight, several are computed at a time. The bound is about half a millisecond: a worker
// that shares this thread's core waits until the poll is over.
extern uint32_t worker_alone_times; // `from`

static inline bool worker_pays(const struct executor *executor, uint64_t size, uint64_t from)
{
    return size >= from && (size / worker_alone_times >= from || executor->kept ||
                            executor->queue.head || executor->waiting.head);
}

// The same when it is executed later: the program's thread is about to sleep, or to do other work.
static inline bool worker_pays_asleep(const struct executor *executor, uint64_t size, uint64_t from)
{
    return executor->arming && size >= from && workers_most();
}

// Takes back operations that no worker has begun: done() follows from later polls, with
// WORKER_WITHDRAWN.
void worker_withdraw(struct worker_port *port);

// Returns whether run() will find op->activity.
static inline bool worker_port_touches(const struct worker_port *port)
{
    return port->places != NULL;
}

// The result of workers_most(), for tests; -1: as described above. No port may be open. Unless it
// is -1, one operation alone is offloaded like others.
void workers_set_most(int most);

#endif

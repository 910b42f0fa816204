// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The engine's internal structures, for its own files.

#ifndef DAEMON_ENGINE_PRIVATE_H
#define DAEMON_ENGINE_PRIVATE_H

#include "clock.h"
#include "engine_copy.h"
#include "engine_grants.h"
#include "engine_sched.h"
#include "idmap.h"
#include "list.h"
#include "queue_pair.h"
#include "spin.h"

#include <pthread.h>
#include <stdbool.h>

#define THREADS_MAX     32         // including replacements of hanging threads
#define QUEUE_PAIRS_MAX 65536      // of one engine
#define HANG_NS         50000000   // a copy longer than this may hang: let another thread serve
#define ENGINE_WAKE_ID  UINT64_MAX // epoll id of the descriptor that ends all waiting
#define DOORBELL_EVERY  16         // requests after which sleepers' doorbells are checked,
#define DOORBELL_BYTES  65536      // or bytes

struct event;

// One lock guards everything below and is never held across a copy, so the loop waits for
// nanoseconds only. Objects that a thread uses without the lock are marked busy.
struct engine {
    pthread_mutex_t lock;
    struct event_base *base;
    struct event *done_event;    // loop side: callbacks are due
    struct event *watchdog;      // on the loop: detects hanging threads
    int done_fd, wake_fd, epoll; // wake_fd stays readable once stopping
    int resume_fd;
    struct engine_options options;
    bool stopping;
    bool watching;             // the watchdog's timer runs, or is about to
    bool watch;                // the loop is to start it
    struct engine_users users; // and the queue pairs of each that may have requests
    struct list parked;        // queue pairs whose request waits for a user's hanging memory
    struct list dozing;        // queue pairs that fell asleep lately, the last one first
    struct list done;          // struct engine_callback, for the loop
    struct list importers;
    struct engine_queue_pair *queue_pairs[QUEUE_PAIRS_MAX];
    uint32_t n_queue_pairs;
    uint32_t free[QUEUE_PAIRS_MAX]; // places that were given back,
    uint32_t n_free, n_used;        // and how many were ever used
    uint32_t generation;   // distinguishes a queue pair from an earlier one at the same index
    struct idmap owners;   // struct engine_owner
    struct list windows;   // windows that no thread uses any more
    struct chores *chores; // unmaps them
    struct list ended;     // dropped queue pairs that the loop has to free
    struct worker {
        pthread_t thread;
        bool started, finished;
        uint64_t busy_since; // 0: not in a copy
        uid_t busy_uid;      // whose memory it copies
        uint64_t served;     // requests since the doorbells were last checked; bytes count, too
        struct engine *engine;
    } workers[THREADS_MAX];
    unsigned n_workers;
    struct engine_totals totals; // `waiting`: as the queue pairs were seen last
};

struct engine_importer {
    struct engine *engine;
    struct engine_user *user;
    struct list in_engine;
    struct engine_sched sched; // of its queue pairs
    struct list queue_pairs;
    struct engine_grants grants;
    unsigned busy; // copies in progress
    bool dead;
    struct engine_callback ended;
};

struct engine_queue_pair {
    struct engine_importer *importer;
    uid_t uid;               // the user that holds the other ends of its descriptors
    struct list in_importer; // importer->queue_pairs, or engine->ended
    struct list in_runnable; // importer->sched, or engine->parked
    struct list in_dozing;   // engine->dozing
    struct qp_request kept;  // the rest of a request that was taken from the ring; length 0: none
    struct engine_copy copy;
    struct qp_server ring;
    uint32_t index, generation;
    uint32_t depth; // requests that waited when it was seen last
    struct spin spin;
    uint64_t asleep_ns; // when it fell asleep
    bool busy, dead;
    bool suspended; // restored, but not served yet
    bool restored;  // no request was served since it was restored
    struct engine_stats stats;
    engine_done_fn failed_fn;
    void *failed_arg;
    struct engine_callback failure;
};

// All of these are called with the lock held.

// engine.c: notifies the loop.
void engine_wake_loop(struct engine *engine);
// Passes a queue pair that no thread works on to the loop, which closes the descriptors that its
// client also holds.
void engine_end_queue_pair(struct engine *engine, struct engine_queue_pair *qp);
void engine_announce(struct engine *engine, struct engine_callback *cb);
// Called when a copy has ended or something was dropped.
void engine_settle_importer(struct engine_importer *importer);
// Called when a copy has ended; it may have been the last one of a dropped grant.
void engine_let_go(struct engine_importer *importer, struct engine_grant *grant);

// The client writes the head, so this number is only for display, and never larger than the ring.
static inline uint32_t engine_in_flight(const struct engine_queue_pair *qp)
{
    uint32_t head = atomic_load_explicit(&qp->ring.shared->request_head, memory_order_relaxed);
    uint32_t n = head - qp->ring.completion_head;
    return n > QP_ENTRIES ? QP_ENTRIES : n;
}

// Called when the engine looks at the queue pair, or it ends: the totals have what it saw last.
static inline void engine_see_depth(struct engine_queue_pair *qp)
{
    struct engine_totals *totals = &qp->importer->engine->totals;
    uint32_t n = qp->dead || qp->stats.failed ? 0 : engine_in_flight(qp);

    totals->waiting += n;
    totals->waiting -= qp->depth;
    qp->depth = n;
}

// The place that the next queue pair takes; QUEUE_PAIRS_MAX: there is none.
static inline uint32_t engine_free_place(const struct engine *engine)
{
    return engine->n_free ? engine->free[engine->n_free - 1] : engine->n_used;
}

static inline void engine_take_place(struct engine *engine, struct engine_queue_pair *qp)
{
    if (engine->n_free)
        engine->n_free--;
    else
        engine->n_used++;
    engine->queue_pairs[qp->index] = qp;
    engine->n_queue_pairs++;
}

static inline void engine_make_runnable(struct engine_queue_pair *qp)
{
    engine_sched_add(&qp->importer->sched, &qp->in_runnable);
}

static inline bool engine_is_idle(const struct engine *engine)
{
    return list_empty(&engine->users.sched.runnable);
}

// engine_serve.c
void engine_serve(struct worker *worker, struct engine_queue_pair *qp);
void engine_unpark_all(struct engine *engine);

// engine.c, without the lock
void engine_free_queue_pair(struct engine_queue_pair *qp);

// engine_threads.c
int engine_start_worker(struct engine *engine);
void engine_on_watchdog(int fd, short what, void *arg); // takes the lock itself

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The threads of the engine: they wait for doorbells and serve queue pairs. The watchdog, on the
// loop's thread, replaces threads that hang.

#include "engine_private.h"
#include "thread.h"

#include <event2/event.h>
#include <sched.h>
#include <sys/epoll.h>

#define PARKED_MS 100

// The doorbells of sleeping queue pairs are checked after DOORBELL_EVERY requests, or after this
// many turns of queue pairs without requests.
#define DOORBELL_TURNS 16

#define DOZE_NS           2000000 // after that time a sleeping queue pair is not polled any more
#define DOZING_CHECKS_MAX 64      // at most, the last ones to fall asleep first: the lock is held

static void activate(struct engine_queue_pair *qp)
{
    if (qp->busy || qp->stats.failed || list_linked(&qp->in_runnable))
        return;
    list_remove(&qp->in_dozing);
    qp_server_awake(&qp->ring);
    qp->spin.since = 0;
    engine_make_runnable(qp);
}

static void on_doorbell(struct engine *engine, uint64_t id)
{
    uint32_t index = (uint32_t)id;
    struct engine_queue_pair *qp = index < QUEUE_PAIRS_MAX ? engine->queue_pairs[index] : NULL;
    // The event may be older than the queue pair that has the index now.
    if (qp && qp->generation == id >> 32)
        activate(qp);
}

// Called when one client has woken this thread: others, which share a CPU with it or with this
// thread, may have requests, and ring when they run again (wake_backoff.h).
static void check_dozing(struct engine *engine)
{
    struct engine_queue_pair *qp, *next;
    uint64_t now = clock_ns();
    unsigned checked = 0;

    list_for_each_safe (qp, next, &engine->dozing, in_dozing) {
        if (checked++ == DOZING_CHECKS_MAX)
            break;
        if (now - qp->asleep_ns > DOZE_NS)
            list_remove(&qp->in_dozing);
        else if (qp_server_has_next(&qp->ring))
            activate(qp);
    }
}

// Waits for doorbells, with the lock released. Doorbells are edge-triggered and never read:
// a client shares the description and could make a read block.
static void take_doorbells(struct engine *engine, int timeout_ms)
{
    struct epoll_event events[32];

    pthread_mutex_unlock(&engine->lock);
    int n = epoll_wait(engine->epoll, events, 32, timeout_ms);
    pthread_mutex_lock(&engine->lock);
    for (int i = 0; i < n; i++)
        if (events[i].data.u64 != ENGINE_WAKE_ID)
            on_doorbell(engine, events[i].data.u64);
    if (n > 0)
        check_dozing(engine);
}

// From here on the watchdog checks for hanging threads.
static void watch(struct engine *engine)
{
    if (engine->watching)
        return;
    engine->watching = engine->watch = true;
    engine_wake_loop(engine);
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct engine *engine = worker->engine;
    unsigned turn = 0;

    pthread_setname_np(pthread_self(), "docad-engine");
    pthread_mutex_lock(&engine->lock);
    while (!engine->stopping) {
        bool idle = engine_is_idle(engine);
        if (idle || ++turn >= DOORBELL_TURNS || worker->served >= DOORBELL_EVERY) {
            turn = worker->served = 0;
            bool parked = !list_empty(&engine->parked);
            take_doorbells(engine, !idle ? 0 : parked ? PARKED_MS : -1);
            if (idle && parked)
                engine_unpark_all(engine);
        }
        if (engine_is_idle(engine))
            continue;
        watch(engine);
        struct list *next = engine_sched_next(&engine->users.sched);
        engine_serve(worker, list_entry(next, struct engine_queue_pair, in_runnable));
    }
    worker->finished = true;
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

// Chooses a CPU for the worker: each has its own, as long as there are enough of them.
static void choose_cpu(const struct worker *worker, const cpu_set_t *cpus, cpu_set_t *one)
{
    int skip = (int)(worker - worker->engine->workers) % CPU_COUNT(cpus), cpu = -1;
    do {
        cpu++;
        if (CPU_ISSET(cpu, cpus))
            skip--;
    } while (skip >= 0);
    CPU_ZERO(one);
    CPU_SET(cpu, one);
}

#ifndef __GLIBC__ // musl has no attribute for CPUs: a worker runs anywhere
static int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *cpus)
{
    (void)attr, (void)size, (void)cpus;
    return 0;
}
#endif

static int create_thread(struct engine *engine, struct worker *worker)
{
    pthread_attr_t attr;
    cpu_set_t one;

    pthread_attr_init(&attr);
    if (engine->options.pinned) {
        choose_cpu(worker, &engine->options.cpus, &one);
        pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
    }
    int r = thread_create(&worker->thread, &attr, work, worker);
    pthread_attr_destroy(&attr);
    return -r;
}

int engine_start_worker(struct engine *engine)
{
    if (engine->n_workers == THREADS_MAX)
        return -EAGAIN;
    struct worker *worker = &engine->workers[engine->n_workers];
    worker->engine = engine;
    int r = create_thread(engine, worker);
    worker->started = r == 0;
    engine->n_workers += r == 0;
    return r;
}

// Starts another thread when every thread is in a copy that takes too long. The new thread
// stays: memory that hung once may hang again.
void engine_on_watchdog(evutil_socket_t fd, short what, void *arg)
{
    struct engine *engine = arg;
    uint64_t now = clock_ns();
    bool all_hang = true;
    (void)fd;
    (void)what;

    pthread_mutex_lock(&engine->lock);
    bool all_idle = engine_is_idle(engine);
    for (size_t i = 0; i < engine->n_workers; i++) {
        const struct worker *worker = &engine->workers[i];
        all_hang = all_hang && worker->busy_since && now - worker->busy_since > HANG_NS;
        all_idle = all_idle && !worker->busy_since;
    }
    if (all_hang)
        engine_start_worker(engine);
    if (all_idle) { // an idle docad has no reason to wake up
        event_del(engine->watchdog);
        engine->watching = engine->watch = false;
    }
    pthread_mutex_unlock(&engine->lock);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine.h"

#include "cleanup.h"
#include "clock.h"
#include "fd_reaper.h"
#include "engine_private.h"
#include "log.h"
#include "thread.h"

#include <doca_error.h>

#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

static const struct timeval WATCH_INTERVAL = {.tv_usec = 100000};

// ---- callbacks to the loop ---------------------------------------------------------

void engine_wake_loop(struct engine *engine)
{
    uint64_t one = 1;
    ssize_t n = write(engine->done_fd, &one, sizeof(one));
    (void)n; // a saturated counter is readable too
}

void engine_announce(struct engine *engine, struct engine_callback *cb)
{
    list_append(&engine->done, &cb->in_done);
    engine_wake_loop(engine);
}

// Releases the lock for a while.
static void unmap_windows(struct engine *engine)
{
    while (!list_empty(&engine->windows)) {
        struct engine_window *window =
            list_entry(engine->windows.next, struct engine_window, in_windows);
        list_remove(&window->in_windows);
        pthread_mutex_unlock(&engine->lock);
        engine_window_free_later(window, engine->chores);
        pthread_mutex_lock(&engine->lock);
    }
}

void engine_end_queue_pair(struct engine *engine, struct engine_queue_pair *qp)
{
    list_remove(&qp->in_importer);
    list_append(&engine->ended, &qp->in_importer);
    engine_wake_loop(engine);
}

void engine_free_queue_pair(struct engine_queue_pair *qp)
{
    fd_reaper_close_socket(steal_fd(&qp->ring.channel), qp->uid);
    fd_reaper_close(steal_fd(&qp->ring.doorbell), qp->uid);
    qp_server_fini(&qp->ring);
    free(qp);
}

// Releases the lock for a while.
static void free_queue_pairs(struct engine *engine)
{
    while (!list_empty(&engine->ended)) {
        struct engine_queue_pair *qp =
            list_entry(engine->ended.next, struct engine_queue_pair, in_importer);
        list_remove(&qp->in_importer);
        pthread_mutex_unlock(&engine->lock);
        engine_free_queue_pair(qp);
        pthread_mutex_lock(&engine->lock);
    }
}

static void on_done(evutil_socket_t fd, short what, void *arg)
{
    struct engine *engine = arg;
    uint64_t count;
    ssize_t n = read(fd, &count, sizeof(count));
    (void)n;
    (void)what;

    pthread_mutex_lock(&engine->lock);
    if (engine->watch)
        event_add(engine->watchdog, &WATCH_INTERVAL);
    engine->watch = false;
    while (!list_empty(&engine->done)) {
        struct engine_callback *cb = list_entry(engine->done.next, struct engine_callback, in_done);
        struct engine_callback copy = *cb;
        list_remove(&cb->in_done);
        if (copy.release)
            copy.release(cb);
        pthread_mutex_unlock(&engine->lock);
        if (copy.fn)
            copy.fn(copy.arg);
        pthread_mutex_lock(&engine->lock);
    }
    free_queue_pairs(engine);
    unmap_windows(engine);
    pthread_mutex_unlock(&engine->lock);
}

// ---- grants ---------------------------------------------------------------------------

static void release_importer(struct engine_callback *cb)
{
    struct engine_importer *importer = container_of(cb, struct engine_importer, ended);
    engine_user_put(importer->user);
    engine_grants_fini(&importer->grants, &importer->engine->windows);
    free(importer);
}

static void release_grant(struct engine_callback *cb)
{
    struct engine_grant *grant = container_of(cb, struct engine_grant, ended);
    engine_grant_retire(&grant->importer->grants, grant);
}

// Called with the lock held whenever a copy has ended or something was dropped.
void engine_settle_importer(struct engine_importer *importer)
{
    if (importer->dead && importer->busy == 0 && list_empty(&importer->queue_pairs) &&
        !list_linked(&importer->ended.in_done)) {
        list_remove(&importer->in_engine);
        engine_announce(importer->engine, &importer->ended);
    }
}

int engine_grant_add(struct engine_importer *importer, const struct engine_range *range,
                     uint32_t *key)
{
    pthread_mutex_lock(&importer->engine->lock);
    int r = engine_grants_add(&importer->grants, &importer->engine->owners, range, key);
    pthread_mutex_unlock(&importer->engine->lock);
    return r;
}

int engine_grant_restore(struct engine_importer *importer, const struct engine_range *range,
                         uint32_t key)
{
    pthread_mutex_lock(&importer->engine->lock);
    int r = engine_grants_restore(&importer->grants, &importer->engine->owners, range, key);
    pthread_mutex_unlock(&importer->engine->lock);
    return r;
}

static void end_grant(struct engine_importer *importer, struct engine_grant *grant)
{
    engine_grant_close(grant, &importer->engine->windows);
    engine_announce(importer->engine, &grant->ended);
}

void engine_let_go(struct engine_importer *importer, struct engine_grant *grant)
{
    if (--grant->busy == 0 && grant->error != DOCA_SUCCESS)
        end_grant(importer, grant);
}

void engine_grant_drop(struct engine_importer *importer, uint32_t key, uint32_t error,
                       engine_done_fn done, void *arg)
{
    pthread_mutex_lock(&importer->engine->lock);
    struct engine_grant *grant = engine_grants_find(&importer->grants, key);
    assert(grant && grant->error == DOCA_SUCCESS && error != DOCA_SUCCESS);
    grant->error = error;
    grant->importer = importer;
    grant->ended = (struct engine_callback){.fn = done, .arg = arg, .release = release_grant};
    if (grant->busy == 0)
        end_grant(importer, grant);
    pthread_mutex_unlock(&importer->engine->lock);
}

// ---- importers and queue pairs ---------------------------------------------------------

int engine_importer_new(struct engine_importer **out, struct engine *engine, uid_t uid,
                        const uint8_t *node)
{
    struct engine_importer *importer = calloc(1, sizeof(*importer));
    if (!importer)
        return -ENOMEM;
    importer->engine = engine;
    engine_grants_init(&importer->grants);
    list_init(&importer->queue_pairs);
    list_init(&importer->ended.in_done);
    pthread_mutex_lock(&engine->lock);
    importer->user = engine_user_get(&engine->users, uid, node);
    if (importer->user) {
        engine_sched_init(&importer->sched, &importer->user->sched, true);
        list_append(&engine->importers, &importer->in_engine);
    }
    pthread_mutex_unlock(&engine->lock);
    if (!importer->user) {
        free(importer);
        return -ENOMEM;
    }
    *out = importer;
    return 0;
}

// Called with the lock held: removes the queue pair from all lists. The loop frees it as soon as no
// thread works on it.
static void drop_queue_pair(struct engine_queue_pair *qp)
{
    struct engine *engine = qp->importer->engine;

    epoll_ctl(engine->epoll, EPOLL_CTL_DEL, qp->ring.doorbell, NULL);
    engine->queue_pairs[qp->index] = NULL;
    engine->free[engine->n_free++] = qp->index;
    engine->n_queue_pairs--;
    engine_sched_remove(&qp->importer->sched, &qp->in_runnable);
    list_remove(&qp->in_dozing);
    list_remove(&qp->failure.in_done);
    qp->failed_fn = NULL;
    qp->dead = true;
    engine_see_depth(qp);
    if (!qp->busy)
        engine_end_queue_pair(engine, qp);
}

void engine_importer_free(struct engine_importer *importer, engine_done_fn done, void *arg)
{
    struct engine *engine = importer->engine;
    struct engine_queue_pair *qp, *next;

    pthread_mutex_lock(&engine->lock);
    importer->ended.fn = done;
    importer->ended.arg = arg;
    importer->ended.release = release_importer;
    list_for_each_safe (qp, next, &importer->queue_pairs, in_importer) {
        if (!qp->dead)
            drop_queue_pair(qp);
    }
    importer->dead = true;
    engine_settle_importer(importer);
    pthread_mutex_unlock(&engine->lock);
}

// Called with the lock held: gives the queue pair an index, and its doorbell to the
// threads.
static int publish_queue_pair(struct engine *engine, struct engine_queue_pair *qp)
{
    const uint32_t index = engine_free_place(engine);
    if (index == QUEUE_PAIRS_MAX)
        return -ENOSPC;
    qp->index = index;
    qp->generation = ++engine->generation;
    struct epoll_event event = {.events = EPOLLIN | EPOLLET,
                                .data.u64 = (uint64_t)qp->generation << 32 | index};
    qp_server_sleep(&qp->ring); // before the doorbell is watched: the first request rings it
    if (epoll_ctl(engine->epoll, EPOLL_CTL_ADD, qp->ring.doorbell, &event) < 0)
        return -errno;
    engine_take_place(engine, qp);
    list_append(&qp->importer->queue_pairs, &qp->in_importer);
    return 0;
}

int engine_queue_pair_add(struct engine_importer *importer, struct engine_queue_pair **out,
                          int fds[3])
{
    struct engine *engine = importer->engine;
    struct engine_queue_pair *qp = calloc(1, sizeof(*qp));
    int client_fds[3];

    if (!qp)
        return -ENOMEM;
    qp->importer = importer;
    qp->uid = importer->user->uid;
    list_init(&qp->in_runnable);
    list_init(&qp->in_dozing);
    list_init(&qp->failure.in_done);
    int r = qp_server_init(&qp->ring, client_fds);
    if (r < 0) {
        free(qp);
        return r;
    }
    pthread_mutex_lock(&engine->lock);
    r = publish_queue_pair(engine, qp);
    pthread_mutex_unlock(&engine->lock);
    if (r < 0) {
        engine_free_queue_pair(qp);
        for (int i = 0; i < 3; i++)
            close_fdp(&client_fds[i]); // no other process has them
        return r;
    }
    for (int i = 0; i < 3; i++)
        fds[i] = client_fds[i];
    *out = qp;
    return 0;
}

void engine_queue_pair_on_failure(struct engine_queue_pair *qp, engine_done_fn failed, void *arg)
{
    pthread_mutex_lock(&qp->importer->engine->lock);
    qp->failed_fn = failed;
    qp->failed_arg = arg;
    pthread_mutex_unlock(&qp->importer->engine->lock);
}

void engine_queue_pair_drop(struct engine_queue_pair *qp)
{
    struct engine *engine = qp->importer->engine;
    pthread_mutex_lock(&engine->lock);
    drop_queue_pair(qp);
    pthread_mutex_unlock(&engine->lock);
}

void engine_totals(const struct engine *engine, struct engine_totals *out)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&engine->lock;

    pthread_mutex_lock(lock);
    *out = engine->totals;
    out->threads = engine->n_workers;
    pthread_mutex_unlock(lock);
}

void engine_queue_pair_stats(const struct engine_queue_pair *qp, struct engine_stats *out)
{
    pthread_mutex_lock(&qp->importer->engine->lock);
    *out = qp->stats;
    out->in_flight = engine_in_flight(qp);
    pthread_mutex_unlock(&qp->importer->engine->lock);
}

// ---- the engine ----------------------------------------------------------------------------

static int open_descriptors(struct engine *engine)
{
    engine->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    engine->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    engine->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (engine->done_fd < 0 || engine->wake_fd < 0 || engine->epoll < 0)
        return -errno;
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = ENGINE_WAKE_ID};
    return epoll_ctl(engine->epoll, EPOLL_CTL_ADD, engine->wake_fd, &event) < 0 ? -errno : 0;
}

static int watch_events(struct engine *engine)
{
    engine->chores = chores_new(engine->base, "docad-unmap");
    engine->done_event =
        event_new(engine->base, engine->done_fd, EV_READ | EV_PERSIST, on_done, engine);
    engine->watchdog = event_new(engine->base, -1, EV_PERSIST, engine_on_watchdog, engine);
    if (!engine->chores || !engine->done_event || !engine->watchdog ||
        event_add(engine->done_event, NULL) < 0)
        return -ENOMEM;
    return 0;
}

static const struct engine_options defaults = ENGINE_OPTIONS_DEFAULT;

int engine_new(struct engine **out, struct event_base *base, const struct engine_options *options)
{
    struct engine *engine = calloc(1, sizeof(*engine));
    if (!engine)
        return -ENOMEM;
    engine->base = base;
    engine->done_fd = engine->wake_fd = engine->epoll = engine->resume_fd = -1;
    engine->options = options ? *options : defaults;
    pthread_mutex_init(&engine->lock, NULL);
    list_init(&engine->parked);
    list_init(&engine->dozing);
    idmap_init(&engine->owners);
    list_init(&engine->done);
    list_init(&engine->importers);
    engine_users_init(&engine->users);
    list_init(&engine->windows);
    list_init(&engine->ended);

    int r = open_descriptors(engine);
    if (r == 0)
        r = watch_events(engine);
    pthread_mutex_lock(&engine->lock);
    for (unsigned i = 0; r == 0 && i < engine->options.threads; i++)
        r = engine_start_worker(engine);
    pthread_mutex_unlock(&engine->lock);
    if (r < 0) {
        engine_free(engine);
        return r;
    }
    *out = engine;
    return 0;
}

// Returns false if a thread hangs in a copy and does not return in time. The kernel keeps a process
// that has such a thread; a new docad can start nevertheless: socket_lock.h.
static void log_left(struct engine *engine, const struct worker *worker)
{
    pthread_mutex_lock(&engine->lock);
    bool busy = worker->busy_since;
    uid_t uid = worker->busy_uid;
    pthread_mutex_unlock(&engine->lock);
    if (busy)
        log_limited(LOG_LEVEL_WARNING,
                    "docad stops although a thread of its engine waits for memory of uid %u: the "
                    "process goes when that memory answers, or its owner ends",
                    (unsigned)uid);
}

#define STOP_MS 1000 // for all threads together

static bool join_workers(struct engine *engine)
{
    bool joined = true;
    uint64_t until = clock_ms() + STOP_MS;
    for (size_t i = 0; i < THREADS_MAX; i++)
        if (engine->workers[i].started && !thread_join_until(engine->workers[i].thread, until)) {
            log_left(engine, &engine->workers[i]);
            joined = false;
        }
    return joined;
}

static bool stop(struct engine *engine)
{
    uint64_t one = 1;
    pthread_mutex_lock(&engine->lock);
    engine->stopping = true;
    pthread_mutex_unlock(&engine->lock);
    ssize_t n = engine->wake_fd >= 0 ? write(engine->wake_fd, &one, sizeof(one)) : 0;
    (void)n;
    return join_workers(engine);
}

void engine_stop(struct engine *engine)
{
    stop(engine);
}

struct engine *engine_free(struct engine *engine)
{
    if (!engine)
        return NULL;
    bool joined = stop(engine);
    if (engine->done_event)
        on_done(engine->done_fd, 0, engine); // handles what has ended since
    assert(!joined || list_empty(&engine->importers));
    if (engine->done_event)
        event_free(engine->done_event);
    if (engine->watchdog)
        event_free(engine->watchdog);
    joined = chores_free(engine->chores) && joined;
    if (!joined) {
        thread_keep(engine);
        return NULL;
    }
    close_fdp(&engine->done_fd);
    close_fdp(&engine->wake_fd);
    close_fdp(&engine->epoll);
    close_fdp(&engine->resume_fd);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
    return NULL;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine.h"

#include "engine_grants.h"
#include "engine_move.h"
#include "list.h"
#include "queue_pair.h"

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

#define THREADS_MAX     32          // replacements of hanging threads included
#define QUEUE_PAIRS_MAX 65536       // of one engine
#define HANG_NS         50000000    // a copy longer than this may hang: let another thread serve
#define HANGS_MAX       2           // threads that one user's memory may make hang
#define HOPELESS_NS     2000000000u // after so long, what waits for them fails
#define PARKED_MS       100
#define VAIN_SPINS_MAX  4
#define SPIN_AGAIN      64 // idle times for one more spin
#define WAKE_ID         UINT64_MAX

// What one queue pair gets before it is the turn of another client, and how often the
// doorbells of those who slept are looked at while others keep the engine busy.
#define TURN_REQUESTS  8
#define TURN_BYTES     QP_CHUNK_SIZE
#define DOORBELL_EVERY 16 // requests
#define DOORBELL_TURNS 16 // or turns, of queue pairs that had none

static const struct timeval WATCH_INTERVAL = {.tv_usec = 100000};

// One lock guards everything below and is never held across a copy, so the loop waits
// for nanoseconds only. What a thread works on while the lock is free is marked busy.
struct engine {
    pthread_mutex_t lock;
    struct event_base *base;
    struct event *done_event;    // loop side: callbacks are due
    struct event *watchdog;      // loop side: looks for hanging threads
    int done_fd, wake_fd, epoll; // wake_fd stays readable once stopping
    struct engine_options options;
    bool stopping;
    bool watching;        // the watchdog's timer runs, or is about to
    bool watch;           // the loop is to start it
    struct list runnable; // importers with queue pairs that may have requests
    struct list parked;   // queue pairs whose request waits for a user's hanging memory
    struct list done;     // struct engine_callback, for the loop
    struct list importers;
    struct engine_queue_pair *queue_pairs[QUEUE_PAIRS_MAX];
    uint32_t n_queue_pairs;
    uint32_t generation; // tells a queue pair from an earlier one at the same index
    struct list owners;  // struct engine_owner
    struct worker {
        pthread_t thread;
        bool started, finished;
        uint64_t busy_since; // 0: not in a copy
        uid_t busy_uid;      // whose memory it copies
        unsigned served;     // requests since the last look at the doorbells
        struct engine *engine;
    } workers[THREADS_MAX];
    unsigned n_workers;
};

struct engine_importer {
    struct engine *engine;
    struct list link;
    struct list run_link; // engine->runnable
    struct list runnable; // queue pairs
    struct list queue_pairs;
    struct engine_grants grants;
    unsigned busy; // copies under way
    bool dead;
    struct engine_callback ended;
};

struct engine_queue_pair {
    struct engine_importer *importer;
    struct list link;         // importer->queue_pairs
    struct list run_link;     // importer->runnable, or engine->parked
    struct qp_request parked; // length 0: none
    struct qp_server ring;
    uint32_t index, generation;
    uint64_t idle_since; // 0: had a request at the last look
    bool spinning;       // watched while idle
    unsigned vain_spins; // in a row
    unsigned unwatched;  // times it went idle and was not watched
    bool busy, dead;
    struct engine_stats stats;
    engine_done_fn failed_fn;
    void *failed_arg;
    struct engine_callback failure;
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// ---- callbacks to the loop ---------------------------------------------------------

static void wake_loop(struct engine *engine)
{
    uint64_t one = 1;
    ssize_t n = write(engine->done_fd, &one, sizeof(one));
    (void)n; // a saturated counter is readable all the same
}

static void announce(struct engine *engine, struct engine_callback *cb)
{
    list_append(&engine->done, &cb->link);
    wake_loop(engine);
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
        struct engine_callback *cb = list_entry(engine->done.next, struct engine_callback, link);
        struct engine_callback copy = *cb;
        list_remove(&cb->link);
        if (copy.release)
            copy.release(cb);
        pthread_mutex_unlock(&engine->lock);
        if (copy.fn)
            copy.fn(copy.arg);
        pthread_mutex_lock(&engine->lock);
    }
    pthread_mutex_unlock(&engine->lock);
}

// ---- grants ---------------------------------------------------------------------------

static void release_importer(struct engine_callback *cb)
{
    struct engine_importer *importer = container_of(cb, struct engine_importer, ended);
    engine_grants_fini(&importer->grants);
    free(importer);
}

static void release_grant(struct engine_callback *cb)
{
    engine_grant_retire(container_of(cb, struct engine_grant, ended));
}

// Called with the lock held whenever a copy has ended or something was dropped.
static void settle_importer(struct engine_importer *importer)
{
    if (importer->dead && importer->busy == 0 && list_empty(&importer->queue_pairs) &&
        !list_linked(&importer->ended.link)) {
        list_remove(&importer->link);
        announce(importer->engine, &importer->ended);
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

static void end_grant(struct engine_importer *importer, struct engine_grant *grant)
{
    engine_grant_close(grant);
    announce(importer->engine, &grant->ended);
}

void engine_grant_drop(struct engine_importer *importer, uint32_t key, uint32_t error,
                       engine_done_fn done, void *arg)
{
    pthread_mutex_lock(&importer->engine->lock);
    struct engine_grant *grant = engine_grants_find(&importer->grants, key);
    assert(grant && grant->error == DOCA_SUCCESS && error != DOCA_SUCCESS);
    grant->error = error;
    grant->ended = (struct engine_callback){.fn = done, .arg = arg, .release = release_grant};
    if (grant->busy == 0)
        end_grant(importer, grant);
    pthread_mutex_unlock(&importer->engine->lock);
}

// ---- serving ----------------------------------------------------------------------------

static void free_queue_pair(struct engine_queue_pair *qp)
{
    qp_server_fini(&qp->ring);
    free(qp);
}

static void fail_queue_pair(struct engine *engine, struct engine_queue_pair *qp)
{
    qp->stats.failed = true;
    if (qp->failed_fn) {
        qp->failure = (struct engine_callback){.fn = qp->failed_fn, .arg = qp->failed_arg};
        announce(engine, &qp->failure);
    }
}

// ---- turns: one client after the other, and each client's queue pairs likewise ------------

static void make_runnable(struct engine *engine, struct engine_queue_pair *qp)
{
    struct engine_importer *importer = qp->importer;
    list_append(&importer->runnable, &qp->run_link);
    if (!list_linked(&importer->run_link))
        list_append(&engine->runnable, &importer->run_link);
}

static void make_unrunnable(struct engine_queue_pair *qp)
{
    list_remove(&qp->run_link);
    if (list_empty(&qp->importer->runnable))
        list_remove(&qp->importer->run_link);
}

static struct engine_queue_pair *next_turn(struct engine *engine)
{
    struct engine_importer *importer =
        list_entry(engine->runnable.next, struct engine_importer, run_link);
    struct engine_queue_pair *qp =
        list_entry(importer->runnable.next, struct engine_queue_pair, run_link);
    list_remove(&qp->run_link);
    list_remove(&importer->run_link);
    if (!list_empty(&importer->runnable))
        list_append(&engine->runnable, &importer->run_link);
    return qp;
}

enum outlook { OUTLOOK_GOOD, OUTLOOK_WAIT, OUTLOOK_HOPELESS };

// Memory of one user may make a few threads hang, and then no more. A machine under load
// makes copies long, too: only time tells.
static enum outlook outlook(const struct engine *engine, uid_t uid)
{
    uint64_t now = now_ns(), longest = 0;
    unsigned n = 0;
    if (engine->n_workers <= engine->options.threads)
        return OUTLOOK_GOOD; // nothing has hung yet
    for (size_t i = 0; i < engine->n_workers; i++) {
        const struct worker *worker = &engine->workers[i];
        if (!worker->busy_since || worker->busy_uid != uid || now < worker->busy_since)
            continue;
        uint64_t busy = now - worker->busy_since;
        n += busy > HANG_NS;
        longest = busy > longest ? busy : longest;
    }
    if (n < HANGS_MAX)
        return OUTLOOK_GOOD;
    return longest > HOPELESS_NS ? OUTLOOK_HOPELESS : OUTLOOK_WAIT;
}

static void park(struct engine *engine, struct engine_queue_pair *qp, const struct qp_request *r)
{
    qp->parked = *r;
    list_append(&engine->parked, &qp->run_link);
}

// A thread is back, or time has passed.
static void unpark_all(struct engine *engine)
{
    while (!list_empty(&engine->parked)) {
        struct engine_queue_pair *qp =
            list_entry(engine->parked.next, struct engine_queue_pair, run_link);
        list_remove(&qp->run_link);
        make_runnable(engine, qp);
    }
}

// With the lock given up for the copy.
static uint32_t carry_out(struct worker *worker, struct engine_queue_pair *qp,
                          struct engine_grant *grant, const struct qp_request *r)
{
    struct engine *engine = worker->engine;
    struct engine_importer *importer = qp->importer;

    grant->busy++;
    importer->busy++;
    worker->busy_since = now_ns();
    worker->busy_uid = grant->owner->uid;
    pthread_mutex_unlock(&engine->lock);
    uint32_t status = engine_move(grant, r, &qp->ring.shared->data[0][0] + r->offset);
    pthread_mutex_lock(&engine->lock);
    if (now_ns() - worker->busy_since > HANG_NS)
        unpark_all(engine);
    worker->busy_since = 0;
    importer->busy--;
    if (--grant->busy == 0 && grant->error != DOCA_SUCCESS)
        end_grant(importer, grant);
    return status;
}

// What was parked is looked at again, as if it came now: its grant may have gone.
static int take_request(struct engine_queue_pair *qp, struct qp_request *r)
{
    if (qp->parked.length == 0)
        return qp_server_next(&qp->ring, r);
    *r = qp->parked;
    qp->parked.length = 0;
    return 1;
}

// Takes and completes one request. False once nothing more can be taken from this queue
// pair now. *moved grows by the bytes.
static bool serve_one(struct worker *worker, struct engine_queue_pair *qp, uint64_t *moved)
{
    struct engine *engine = worker->engine;
    struct qp_request r;

    int taken = take_request(qp, &r);
    if (taken < 0)
        fail_queue_pair(engine, qp);
    if (taken <= 0)
        return false;

    struct engine_grant *grant = engine_grants_find(&qp->importer->grants, r.key);
    uint32_t status = engine_check(grant, &r);
    enum outlook how = status == DOCA_SUCCESS ? outlook(engine, grant->owner->uid) : OUTLOOK_GOOD;
    if (how == OUTLOOK_WAIT) {
        park(engine, qp, &r);
        return false;
    }
    if (how == OUTLOOK_HOPELESS)
        status = DOCA_ERROR_IO_FAILED;
    if (status == DOCA_SUCCESS) {
        status = carry_out(worker, qp, grant, &r);
        *moved += r.length;
        qp->stats.bytes += status == DOCA_SUCCESS ? r.length : 0;
    }
    worker->served++;
    qp->stats.requests++;
    qp->stats.errors += status != DOCA_SUCCESS;
    if (!qp->dead && qp_server_complete(&qp->ring, r.tag, status) < 0) {
        fail_queue_pair(engine, qp);
        return false;
    }
    return !qp->dead;
}

// Watching an idle queue pair saves a client on another CPU the wake-up, and keeps one
// on ours from running at all. Which it is shows: after a few spins in vain, one in many
// is tried again.
static void begin_idle(struct engine_queue_pair *qp, uint64_t now)
{
    qp->idle_since = now;
    qp->spinning = qp->vain_spins < VAIN_SPINS_MAX || ++qp->unwatched % SPIN_AGAIN == 0;
}

static void end_idle(struct engine *engine, struct engine_queue_pair *qp)
{
    // A spin that lasted longer was interrupted: the request came while others ran.
    bool hit = qp->spinning && now_ns() - qp->idle_since < engine->options.spin_ns;
    qp->vain_spins = hit ? 0 : qp->vain_spins + qp->spinning;
    qp->idle_since = 0;
}

// After a turn: runnable again, or asleep with its doorbell armed.
static void settle_queue_pair(struct engine *engine, struct engine_queue_pair *qp, bool more)
{
    uint64_t now = now_ns();

    if (!more && qp->idle_since == 0)
        begin_idle(qp, now);
    if (more || (qp->spinning && now - qp->idle_since < engine->options.spin_ns)) {
        make_runnable(engine, qp);
        return;
    }
    qp->vain_spins += qp->spinning;
    if (qp_server_sleep(&qp->ring)) {
        qp_server_awake(&qp->ring);
        qp->idle_since = 0;
        make_runnable(engine, qp);
    }
}

// A turn of one queue pair.
static void serve(struct worker *worker, struct engine_queue_pair *qp)
{
    struct engine *engine = worker->engine;
    struct engine_importer *importer = qp->importer;
    uint64_t moved = 0;
    bool more = true;

    qp->busy = true;
    for (int i = 0; i < TURN_REQUESTS && moved < TURN_BYTES && more; i++) {
        more = serve_one(worker, qp, &moved);
        if (more && qp->idle_since)
            end_idle(engine, qp);
    }
    qp->busy = false;
    if (qp->dead) {
        list_remove(&qp->link);
        free_queue_pair(qp);
        settle_importer(importer);
    } else if (!qp->stats.failed && qp->parked.length == 0) {
        settle_queue_pair(engine, qp, more);
    }
}

// ---- threads -----------------------------------------------------------------------------

static void activate(struct engine *engine, uint64_t id)
{
    uint32_t index = (uint32_t)id;
    struct engine_queue_pair *qp = index < QUEUE_PAIRS_MAX ? engine->queue_pairs[index] : NULL;
    // The event may be older than the queue pair that has the index now.
    if (!qp || qp->generation != id >> 32 || qp->busy || qp->stats.failed ||
        list_linked(&qp->run_link))
        return;
    qp_server_awake(&qp->ring);
    qp->idle_since = 0;
    make_runnable(engine, qp);
}

// Waits for doorbells with the lock given up. Doorbells are edge-triggered and never
// read: a client shares the description and could make a read block.
static void take_doorbells(struct engine *engine, int timeout_ms)
{
    struct epoll_event events[32];

    pthread_mutex_unlock(&engine->lock);
    int n = epoll_wait(engine->epoll, events, 32, timeout_ms);
    pthread_mutex_lock(&engine->lock);
    for (int i = 0; i < n; i++)
        if (events[i].data.u64 != WAKE_ID)
            activate(engine, events[i].data.u64);
}

// From here on somebody looks whether threads hang.
static void watch(struct engine *engine)
{
    if (engine->watching)
        return;
    engine->watching = engine->watch = true;
    wake_loop(engine);
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct engine *engine = worker->engine;
    unsigned turn = 0;

    pthread_setname_np(pthread_self(), "docad-engine");
    pthread_mutex_lock(&engine->lock);
    while (!engine->stopping) {
        bool idle = list_empty(&engine->runnable);
        if (idle || ++turn >= DOORBELL_TURNS || worker->served >= DOORBELL_EVERY) {
            turn = worker->served = 0;
            bool parked = !list_empty(&engine->parked);
            take_doorbells(engine, !idle ? 0 : parked ? PARKED_MS : -1);
            if (idle && parked)
                unpark_all(engine);
        }
        if (list_empty(&engine->runnable))
            continue;
        watch(engine);
        serve(worker, next_turn(engine));
    }
    worker->finished = true;
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

static int create_thread(struct engine *engine, struct worker *worker)
{
    const struct engine_options *options = &engine->options;
    pthread_attr_t attr;
    cpu_set_t one;
    size_t skip = (size_t)(worker - engine->workers);

    pthread_attr_init(&attr);
    if (options->pinned) {
        // Each thread has a CPU of its own, as far as there are enough.
        int cpu = -1;
        skip %= (size_t)CPU_COUNT(&options->cpus);
        do
            while (!CPU_ISSET(++cpu, &options->cpus))
                ;
        while (skip-- > 0);
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
    }
    int r = pthread_create(&worker->thread, &attr, work, worker);
    pthread_attr_destroy(&attr);
    return -r;
}

static int start_worker(struct engine *engine)
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

// Starts another thread when every one is in a copy that takes too long. It stays: an
// owner that hangs once may do it again.
static void on_watchdog(evutil_socket_t fd, short what, void *arg)
{
    struct engine *engine = arg;
    uint64_t now = now_ns();
    bool all_hang = true;
    (void)fd;
    (void)what;

    pthread_mutex_lock(&engine->lock);
    bool all_rest = list_empty(&engine->runnable);
    for (size_t i = 0; i < engine->n_workers; i++) {
        const struct worker *worker = &engine->workers[i];
        all_hang = all_hang && worker->busy_since && now - worker->busy_since > HANG_NS;
        all_rest = all_rest && !worker->busy_since;
    }
    if (all_hang)
        start_worker(engine);
    if (all_rest) { // an idle docad has no reason to wake up
        event_del(engine->watchdog);
        engine->watching = engine->watch = false;
    }
    pthread_mutex_unlock(&engine->lock);
}

// ---- importers and queue pairs ---------------------------------------------------------

int engine_importer_new(struct engine_importer **out, struct engine *engine)
{
    struct engine_importer *importer = calloc(1, sizeof(*importer));
    if (!importer)
        return -ENOMEM;
    importer->engine = engine;
    list_init(&importer->run_link);
    list_init(&importer->runnable);
    list_init(&importer->queue_pairs);
    list_init(&importer->ended.link);
    pthread_mutex_lock(&engine->lock);
    list_append(&engine->importers, &importer->link);
    pthread_mutex_unlock(&engine->lock);
    *out = importer;
    return 0;
}

// With the lock held: off every list, freed now or by the thread that works on it.
static void drop_queue_pair(struct engine_queue_pair *qp)
{
    struct engine *engine = qp->importer->engine;

    epoll_ctl(engine->epoll, EPOLL_CTL_DEL, qp->ring.doorbell, NULL);
    engine->queue_pairs[qp->index] = NULL;
    engine->n_queue_pairs--;
    make_unrunnable(qp);
    list_remove(&qp->failure.link);
    qp->failed_fn = NULL;
    qp->dead = true;
    if (!qp->busy) {
        list_remove(&qp->link);
        free_queue_pair(qp);
    }
}

void engine_importer_free(struct engine_importer *importer, engine_done_fn done, void *arg)
{
    struct engine *engine = importer->engine;
    struct engine_queue_pair *qp, *next;

    pthread_mutex_lock(&engine->lock);
    importer->ended.fn = done;
    importer->ended.arg = arg;
    importer->ended.release = release_importer;
    list_for_each_safe (qp, next, &importer->queue_pairs, link) {
        if (!qp->dead)
            drop_queue_pair(qp);
    }
    importer->dead = true;
    settle_importer(importer);
    pthread_mutex_unlock(&engine->lock);
}

// With the lock held: gives the queue pair an index and its doorbell to the threads.
static int publish_queue_pair(struct engine *engine, struct engine_queue_pair *qp)
{
    uint32_t index = 0;
    while (index < QUEUE_PAIRS_MAX && engine->queue_pairs[index])
        index++;
    if (index == QUEUE_PAIRS_MAX)
        return -ENOSPC;
    qp->index = index;
    qp->generation = ++engine->generation;
    struct epoll_event event = {.events = EPOLLIN | EPOLLET,
                                .data.u64 = (uint64_t)qp->generation << 32 | index};
    qp_server_sleep(&qp->ring); // before the doorbell is watched: the first request rings it
    if (epoll_ctl(engine->epoll, EPOLL_CTL_ADD, qp->ring.doorbell, &event) < 0)
        return -errno;
    engine->queue_pairs[index] = qp;
    engine->n_queue_pairs++;
    list_append(&qp->importer->queue_pairs, &qp->link);
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
    list_init(&qp->run_link);
    list_init(&qp->failure.link);
    int r = qp_server_init(&qp->ring, client_fds);
    if (r < 0) {
        free(qp);
        return r;
    }
    pthread_mutex_lock(&engine->lock);
    r = publish_queue_pair(engine, qp);
    pthread_mutex_unlock(&engine->lock);
    if (r < 0) {
        free_queue_pair(qp);
        for (int i = 0; i < 3; i++)
            close(client_fds[i]);
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

void engine_queue_pair_stats(const struct engine_queue_pair *qp, struct engine_stats *out)
{
    pthread_mutex_lock(&qp->importer->engine->lock);
    *out = qp->stats;
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
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = WAKE_ID};
    return epoll_ctl(engine->epoll, EPOLL_CTL_ADD, engine->wake_fd, &event) < 0 ? -errno : 0;
}

static int watch_events(struct engine *engine)
{
    engine->done_event =
        event_new(engine->base, engine->done_fd, EV_READ | EV_PERSIST, on_done, engine);
    engine->watchdog = event_new(engine->base, -1, EV_PERSIST, on_watchdog, engine);
    if (!engine->done_event || !engine->watchdog || event_add(engine->done_event, NULL) < 0)
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
    engine->done_fd = engine->wake_fd = engine->epoll = -1;
    engine->options = options ? *options : defaults;
    pthread_mutex_init(&engine->lock, NULL);
    list_init(&engine->runnable);
    list_init(&engine->parked);
    list_init(&engine->owners);
    list_init(&engine->done);
    list_init(&engine->importers);

    int r = open_descriptors(engine);
    if (r == 0)
        r = watch_events(engine);
    pthread_mutex_lock(&engine->lock);
    for (unsigned i = 0; r == 0 && i < engine->options.threads; i++)
        r = start_worker(engine);
    pthread_mutex_unlock(&engine->lock);
    if (r < 0) {
        engine_free(engine);
        return r;
    }
    *out = engine;
    return 0;
}

// False if a thread hangs in a copy and will not come back in time.
static bool join_workers(struct engine *engine)
{
    bool joined = true;
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    for (size_t i = 0; i < THREADS_MAX; i++)
        if (engine->workers[i].started &&
            pthread_timedjoin_np(engine->workers[i].thread, NULL, &limit) != 0)
            joined = false;
    return joined;
}

struct engine *engine_free(struct engine *engine)
{
    if (!engine)
        return NULL;
    uint64_t one = 1;
    pthread_mutex_lock(&engine->lock);
    engine->stopping = true;
    pthread_mutex_unlock(&engine->lock);
    ssize_t n = engine->wake_fd >= 0 ? write(engine->wake_fd, &one, sizeof(one)) : 0;
    (void)n;
    bool joined = join_workers(engine);
    if (engine->done_event)
        on_done(engine->done_fd, 0, engine); // what ended meanwhile
    assert(!joined || list_empty(&engine->importers));
    if (engine->done_event)
        event_free(engine->done_event);
    if (engine->watchdog)
        event_free(engine->watchdog);
    if (!joined) // the thread still uses it, and the process is about to end
        return NULL;
    close_fdp(&engine->done_fd);
    close_fdp(&engine->wake_fd);
    close_fdp(&engine->epoll);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
    return NULL;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs that cannot be done immediately are kept in a list of the executor's own: waits, and
// everything that goes through an engine.

#include "se_job.h"

#include "cleanup.h"
#include "queue/broker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

// An event's use of an executor.
struct se_link {
    struct work_source source;
    struct work_link *link;
    struct doca_sync_event *event;
    struct work_fifo kept;
    unsigned polls, unarmed;
    uint64_t sure_ms; // when it was last verified that waits go on
    // For one's own event, for sleepers: an epoll instance for the sessions of its exports, the
    // newest of which is `watched`.
    int sessions;
    const struct se_export *watched;
    uint32_t wakes; // of the page, at the last arming
    // For an event of another machine: waits read the counter at `next_read_ns`, and sleepers have
    // a timer for that.
    uint64_t next_read_ns;
    unsigned pause_us;
    bool due;
    int timer;
    struct severed severed;
};

#define POLLS_UNTIL_CLOCK  16
#define POLLS_OF_A_SLEEPER 64 // since it was armed

// ---- looking at a far counter now and then -------------------------------------------

// Reads the counter once for all waits.
static void begin_reads(struct se_link *mine)
{
    uint64_t now = clock_ns();

    mine->due = now >= mine->next_read_ns;
    if (!mine->due)
        return;
    mine->pause_us = se_longer_pause(mine->pause_us);
    mine->next_read_ns = now + mine->pause_us * 1000u;
}

static void set_timer(const struct se_link *mine)
{
    uint64_t at = mine->next_read_ns ? mine->next_read_ns : 1; // 0 is never
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(at / 1000000000u), .tv_nsec = (long)(at % 1000000000u)}};
    timerfd_settime(mine->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

// Returns whether the thread sleeps between its polls. One that polls often does not, even if its
// executor could be slept on.
static bool sleeps(const struct se_link *mine)
{
    return mine->link->executor->event_driven && mine->unarmed < POLLS_OF_A_SLEEPER;
}

// It is not time yet to read the counter again.
static bool rests(const struct work_item *item)
{
    const struct se_link *mine = item->link->state;
    const struct se_job *job = (const struct se_job *)item->job;

    if (mine->event->far)
        return !mine->due;
    // A sleeper reads again only when the counter has changed.
    return sleeps(mine) && job->fresh;
}

// ---- executing ------------------------------------------------------------------------

static enum work_status keep(struct work_item *item)
{
    struct se_link *mine = item->link->state;
    mine->pause_us = 0;
    work_fifo_push(&mine->kept, item);
    return executor_keep(item->link->executor);
}

static enum work_status finished(struct work_item *item, doca_error_t error)
{
    item->error = error;
    return WORK_DONE;
}

// The address is the program's, and may have any alignment.
static void put(const struct se_job *job, uint64_t value)
{
    if (job->out)
        *job->out = value;
}

// The counter is mapped. Returns false if a wait continues.
static bool do_direct(struct se_job *job)
{
    struct doca_sync_event *event = job->request.event;
    uint64_t value = job->request.value;

    switch (job->request.operation) {
    case SE_GET:
        put(job, atomic_load_explicit(event->word, memory_order_acquire));
        return true;
    case SE_SET:
        atomic_store(event->word, value);
        se_changed(event);
        return true;
    case SE_ADD:
        put(job, atomic_fetch_add(event->word, value));
        se_changed(event);
        return true;
    case SE_WAIT:
        return se_reached(job->condition, atomic_load_explicit(event->word, memory_order_acquire),
                          value, job->mask);
    }
    return true;
}

// Handles a result of the engine, or of a change with the lock. Returns false if a wait continues.
static bool do_indirect(struct se_job *job)
{
    struct doca_sync_event *event = job->request.event;

    switch (job->request.operation) {
    case SE_WAIT:
        if (se_reached(job->condition, job->request.seen, job->request.value, job->mask))
            return true;
        job->request.done = job->request.know = false;
        return false;
    case SE_SET:
        se_changed(event);
        return true;
    case SE_ADD:
        se_changed(event);
        put(job, job->request.seen);
        return true;
    case SE_GET:
        put(job, job->request.seen);
        return true;
    }
    return true;
}

// Posts the next request of a job to the engine. An error ends the job.
static doca_error_t go(struct work_item *item)
{
    struct se_job *job = se_job_of(item);
    struct doca_sync_event *event = job->request.event;
    struct broker_queue *queue = broker_port_queue(item->link->port, event->broker.node);

    if (!queue)
        return se_broker_error(event, DOCA_ERROR_NOT_CONNECTED);
    job->fresh = se_request_go(&job->request, queue); // else later
    return DOCA_SUCCESS;
}

enum work_status se_execute(struct work_item *item)
{
    struct se_job *job = se_job_of(item);
    struct doca_sync_event *event = job->request.event;

    doca_error_t e = se_alive(event);
    if (e != DOCA_SUCCESS)
        return finished(item, e);
    if (se_reach(event) == SE_DIRECT)
        return do_direct(job) ? finished(item, DOCA_SUCCESS) : keep(item);
    if (se_reach(event) == SE_LOCKED && se_request_locked(&job->request))
        return do_indirect(job) ? finished(item, DOCA_SUCCESS) : keep(item);
    e = go(item);
    return e == DOCA_SUCCESS ? keep(item) : finished(item, e);
}

static bool advance_brokered(struct work_item *item, doca_error_t lasts)
{
    struct se_job *job = se_job_of(item);
    struct se_request *request = &job->request;

    if (request->posted)
        return false;
    if (request->done) {
        item->error = request->error;
        if (request->error != DOCA_SUCCESS || do_indirect(job))
            return true;
        item->error = lasts;
        if (lasts != DOCA_SUCCESS && job->last)
            return true;
    }
    // Only a wait can sleep, or have no process left to wait for; then the counter is read once
    // more.
    if (request->operation == SE_WAIT && lasts == DOCA_SUCCESS && rests(item))
        return false;
    job->last = lasts != DOCA_SUCCESS;
    item->error = go(item);
    return item->error != DOCA_SUCCESS;
}

// The counter was just read for a wait that may have to end.
static bool wait_ended(struct work_item *item, bool reached, doca_error_t lasts)
{
    item->error = reached ? DOCA_SUCCESS : lasts;
    return item->error != DOCA_SUCCESS || reached;
}

// `lasts`: whether waits continue, as was found before.
static bool advance(struct work_item *item, doca_error_t lasts)
{
    struct se_job *job = se_job_of(item);
    const struct doca_sync_event *event = job->request.event;

    if (job->request.posted)
        return false;
    if (__builtin_expect(job->flushed, 0)) {
        item->error = DOCA_ERROR_SHUTDOWN;
        return true;
    }
    if (lasts != DOCA_SUCCESS && event->imported) {
        item->error = lasts;
        return true;
    }
    item->error = DOCA_SUCCESS;
    if (se_reach(event) == SE_DIRECT)
        return wait_ended(item, do_direct(job), lasts);
    if (se_reach(event) == SE_LOCKED && se_request_locked(&job->request))
        return wait_ended(item, do_indirect(job), lasts);
    return advance_brokered(item, lasts);
}

// ---- the source -----------------------------------------------------------------------

static bool advance_all(struct se_link *mine, doca_error_t lasts)
{
    struct work_fifo still;
    struct work_item *item;
    bool any = false;

    work_fifo_init(&still);
    while ((item = work_fifo_pop(&mine->kept))) {
        if (advance(item, lasts)) {
            executor_finish(mine->link->executor, item);
            any = true;
        } else {
            work_fifo_push(&still, item);
        }
    }
    work_fifo_init(&mine->kept);
    if (still.head)
        mine->kept = still;
    return any;
}

static void poll(struct work_source *source)
{
    struct se_link *mine = container_of(source, struct se_link, source);
    if (!mine->kept.head)
        return;
    if (mine->unarmed < POLLS_OF_A_SLEEPER)
        mine->unarmed++;
    bool sure =
        sleeps(mine) || (++mine->polls % POLLS_UNTIL_CLOCK == 0 && se_sure_due(&mine->sure_ms));
    if (mine->event->far)
        begin_reads(mine);
    advance_all(mine, se_wait_lasts(mine->event, sure));
    mine->due = false;
}

// Arms wake-ups by changes of an export, and by the end of docad, for each export that was made
// since the last time. Returns false if we cannot sleep yet.
static bool watch_exports(struct se_link *mine)
{
    struct epoll_event end = {.events = EPOLLRDHUP};
    const struct se_export *newest = se_exports(mine->event);

    if (!se_published_by_others(mine->event) || !newest)
        return true;
    for (const struct se_export *x = newest; x && x != mine->watched; x = x->next) {
        int fd = session_end_fd(dev_session(x->dev));
        if (epoll_ctl(mine->sessions, EPOLL_CTL_ADD, fd, &end) < 0 && errno != EEXIST)
            return false;
    }
    mine->watched = newest;
    return true;
}

// After the flag is set, every change of the counter wakes us.
static bool arm(struct work_source *source)
{
    struct se_link *mine = container_of(source, struct se_link, source);
    struct sync_page *page = mine->event->page;
    struct work_item *item;
    bool waits = false;

    mine->unarmed = 0;
    for (item = mine->kept.head; item; item = item->next)
        waits = waits || se_job_of(item)->request.operation == SE_WAIT;
    if (!waits)
        return false;
    if (mine->event->far) {
        set_timer(mine);
        return advance_all(mine, se_wait_lasts(mine->event, true));
    }
    bool watched = watch_exports(mine);
    // Before the flag is set: a count that is read later may have in it that our flag was cleared,
    // and then that of another sleeper passes for ours (tests/models/event.pml).
    uint32_t wakes = atomic_load(&page->wakes);
    bool was_set = atomic_exchange(&page->sleeping, 1);
    // Between the flag and the loads of the counter, which are acquires: pairs with se_changed(),
    // whose change of the counter and load of the flag are sequentially consistent.
    atomic_thread_fence(memory_order_seq_cst);
    if (!was_set || wakes != mine->wakes) {
        for (item = mine->kept.head; item; item = item->next)
            se_job_of(item)->fresh = false;
        mine->wakes = wakes;
        // Reads that are in flight may be too early; their answers wake us.
        if (se_reach(mine->event) == SE_ENGINE) {
            advance_all(mine, se_wait_lasts(mine->event, true));
            return true;
        }
    }
    return advance_all(mine, se_wait_lasts(mine->event, true)) || !watched;
}

// Our descriptors are edge-triggered: waiting for them undoes the wake-up.
static void clear(struct work_source *source)
{
    struct se_link *mine = container_of(source, struct se_link, source);
    struct epoll_event events[8];
    epoll_wait(mine->link->executor->epoll_fd, events, 8, 0);
}

// ---- executors come and go ------------------------------------------------------------

static doca_error_t add_edge(int epoll, int fd, uint32_t events, const char *what,
                             struct errtext *err)
{
    struct epoll_event edge = {.events = events | EPOLLET};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &edge) < 0)
        return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "cannot wait for %s: %s", what,
                           strerror(errno));
    return DOCA_SUCCESS;
}

// The descriptor that is readable when the counter is worth reading.
static int waker(const struct se_link *mine)
{
    return mine->event->far ? mine->timer : mine->event->timer;
}

// The descriptor that is readable when no process is left to wait for.
static int ender(const struct se_link *mine)
{
    return mine->event->imported ? mine->event->import.lifeline : mine->sessions;
}

static doca_error_t watch(struct se_link *mine, int epoll, struct errtext *err)
{
    const struct doca_sync_event *event = mine->event;

    if (event->far) {
        mine->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        if (mine->timer < 0)
            return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "cannot make a timer: %s",
                               strerror(errno));
    }
    if (!event->imported) {
        mine->sessions = epoll_create1(EPOLL_CLOEXEC);
        if (mine->sessions < 0)
            return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "cannot wait for docad's end: %s",
                               strerror(errno));
    }
    doca_error_t e = add_edge(epoll, waker(mine), EPOLLIN, "the event", err);
    if (e == DOCA_SUCCESS) {
        e = add_edge(epoll, ender(mine), EPOLLIN | EPOLLRDHUP, "the event's end", err);
        if (e != DOCA_SUCCESS)
            epoll_ctl(epoll, EPOLL_CTL_DEL, waker(mine), NULL);
    }
    if (e != DOCA_SUCCESS) {
        close_fdp(&mine->timer);
        close_fdp(&mine->sessions);
        return e;
    }
    mine->severed = (struct severed){.fds = {&mine->timer, &mine->sessions}};
    severed_add(&mine->severed);
    return e;
}

doca_error_t se_attach(struct work_link *link, struct doca_sync_event *event, struct errtext *err)
{
    struct executor *executor = link->executor;
    cleanup_free struct se_link *mine = calloc(1, sizeof(*mine));
    if (!mine)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for an executor's waits");
    mine->link = link;
    mine->timer = mine->sessions = -1;
    mine->event = event;
    mine->unarmed = POLLS_OF_A_SLEEPER;
    mine->wakes = atomic_load(&mine->event->page->wakes) - 1; // unknown so far
    work_fifo_init(&mine->kept);
    mine->source = (struct work_source){.poll = poll, .arm = arm, .clear = clear};
    if (executor->event_driven) {
        doca_error_t e = watch(mine, executor->epoll_fd, err);
        if (e != DOCA_SUCCESS)
            return e;
    }
    executor_add_source(executor, &mine->source);
    link->state = steal_ptr(mine);
    return DOCA_SUCCESS;
}

void se_detach(struct work_link *link)
{
    struct se_link *mine = link->state;

    list_remove(&mine->source.node);
    if (link->executor->event_driven) {
        epoll_ctl(link->executor->epoll_fd, EPOLL_CTL_DEL, waker(mine), NULL);
        epoll_ctl(link->executor->epoll_fd, EPOLL_CTL_DEL, ender(mine), NULL);
    }
    severed_remove(&mine->severed);
    close_fdp(&mine->timer);
    close_fdp(&mine->sessions);
    free(mine);
    link->state = NULL;
}

void se_flush(struct work_link *link)
{
    struct se_link *mine = link->state;

    for (struct work_item *item = mine->kept.head; item; item = item->next)
        if (se_job_of(item)->request.operation == SE_WAIT)
            se_job_of(item)->flushed = true;
    advance_all(mine, DOCA_SUCCESS);
}

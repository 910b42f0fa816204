// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Polls the calls and listeners of a context.

#include "clock.h"
#include "core/closing.h"
#include "core/process.h"
#include "rdma_context.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Polling the descriptors costs a system call, and the clock some ns. So every 16th poll reads the
// coarse clock, and polls the descriptors if it has advanced.
#define CLOCK_EVERY 16
#define EVENTS      16

// ---- descriptors -------------------------------------------------------------------------------

doca_error_t cm_watch(struct cm *cm, int fd, void *what, struct errtext *err)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};

    if (epoll_ctl(cm->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED, "cannot wait for a connection: %s",
                       strerror(errno));
}

void cm_close_fd(struct cm *cm, int *fd)
{
    if (*fd >= 0)
        epoll_ctl(cm->epoll_fd, EPOLL_CTL_DEL, *fd, NULL);
    closing_socket(fd);
}

// ---- time --------------------------------------------------------------------------------------

void cm_set_timer(struct cm *cm)
{
    struct itimerspec when = {0};
    const struct cm_call *call;
    uint64_t next = UINT64_MAX, now = clock_ms();

    list_for_each (call, &cm->pending, pending) {
        uint64_t at = call->again_ms ? call->again_ms : call->deadline_ms;
        next = at < next ? at : next;
    }
    if (next != UINT64_MAX) {
        uint64_t ms = next > now ? next - now : 0;
        when.it_value.tv_sec = (time_t)(ms / 1000);
        when.it_value.tv_nsec = (long)(ms % 1000) * 1000000 + 1; // 0 would stop it
    }
    timerfd_settime(cm->timer, 0, &when, NULL);
}

void cm_begin_waiting(struct doca_rdma_connection *connection)
{
    struct cm *cm = &connection->rdma->cm;

    connection->call.deadline_ms = clock_ms() + cm->timeout_ms;
    list_append(&cm->pending, &connection->call.pending);
    cm_set_timer(cm);
}

void cm_end_waiting(struct doca_rdma_connection *connection)
{
    list_remove(&connection->call.pending);
}

static void check_deadlines(struct doca_rdma_connection *connection, uint64_t now)
{
    struct cm_call *call = &connection->call;

    if (now >= call->deadline_ms)
        cm_fail(connection, DOCA_ERROR_TIME_OUT,
                call->stage == CM_CALLING  ? "no program listens at that port"
                : call->stage == CM_CALLED ? "the listener has not answered in time"
                                           : "the caller has not finished in time");
    else if (call->again_ms && now >= call->again_ms)
        cm_request(connection);
}

static void check_timer(struct cm *cm)
{
    struct cm_call *call, *next;
    uint64_t expired, now = clock_ms();

    ssize_t n = read(cm->timer, &expired, sizeof(expired));
    (void)n; // the timer may have been set again since
    list_for_each_safe (call, next, &cm->pending, pending)
        check_deadlines(container_of(call, struct doca_rdma_connection, call), now);
    cm_set_timer(cm);
}

// ---- the source --------------------------------------------------------------------------------

static struct cm_listener *listener_at(struct cm *cm, const void *what)
{
    struct cm_listener *listener;

    list_for_each (listener, &cm->listeners, link)
        if (listener == what)
            return listener;
    return NULL;
}

static void poll_descriptors(struct doca_rdma *rdma)
{
    struct epoll_event events[EVENTS];
    struct cm *cm = &rdma->cm;

    int n = epoll_wait(cm->epoll_fd, events, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        struct cm_listener *listener = listener_at(cm, events[i].data.ptr);
        if (listener)
            cm_take_calls(rdma, listener);
        else if (events[i].data.ptr == cm)
            check_timer(cm);
        else if (events[i].data.ptr == &cm->channel)
            cm->ops->receive_events(rdma);
        else if (((struct doca_rdma_connection *)events[i].data.ptr)->call.fd >= 0)
            cm_receive(events[i].data.ptr);
    }
    cm->poll_now = n == EVENTS;
}

static struct doca_rdma *context_of_source(struct work_source *source)
{
    return container_of(source, struct doca_rdma, cm.source);
}

static void poll_source(struct work_source *source)
{
    struct doca_rdma *rdma = context_of_source(source);
    struct cm *cm = &rdma->cm;

    if (!cm->poll_now) {
        if (++cm->polls % CLOCK_EVERY)
            return;
        uint64_t now = clock_coarse_ms();
        if (now == cm->polled_ms)
            return;
        cm->polled_ms = now;
    }
    poll_descriptors(rdma);
}

static bool arm(struct work_source *source)
{
    struct doca_rdma *rdma = context_of_source(source);
    struct epoll_event event = {.events = EPOLLIN};

    if (!rdma->cm.in_engine)
        rdma->cm.in_engine = epoll_ctl(rdma->ctx.pe->executor.epoll_fd, EPOLL_CTL_ADD,
                                       rdma->cm.epoll_fd, &event) == 0 ||
                             errno == EEXIST;
    return !rdma->cm.in_engine || rdma->cm.poll_now;
}

static void clear(struct work_source *source)
{
    context_of_source(source)->cm.poll_now = true;
}

// ---- lifetime ----------------------------------------------------------------------------------

void cm_init(struct cm *cm, const struct cm_ops *ops)
{
    *cm = (struct cm){.ops = ops, .timeout_ms = CM_TIMEOUT_MS, .epoll_fd = -1, .timer = -1};
    list_init(&cm->listeners);
    list_init(&cm->pending);
}

static doca_error_t open_descriptors(struct doca_rdma *rdma, struct errtext *err)
{
    struct cm *cm = &rdma->cm;

    cm->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    cm->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    doca_error_t r = cm->epoll_fd >= 0 && cm->timer >= 0
                         ? cm_watch(cm, cm->timer, cm, err)
                         : errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED,
                                       "cannot wait for connections: %s", strerror(errno));
    if (r == DOCA_SUCCESS && cm->ops->open)
        r = cm->ops->open(rdma, err);
    if (r != DOCA_SUCCESS) {
        close_fdp(&cm->epoll_fd);
        close_fdp(&cm->timer);
        return r;
    }
    cm->generation = process_generation();
    cm->severed = (struct severed){.fds = {&cm->epoll_fd, &cm->timer}};
    severed_add(&cm->severed);
    return r;
}

doca_error_t cm_open(struct doca_rdma *rdma, struct errtext *err)
{
    struct cm *cm = &rdma->cm;

    doca_error_t r = cm->open ? DOCA_SUCCESS : open_descriptors(rdma, err);
    if (r != DOCA_SUCCESS || cm->open)
        return r;
    cm->source = (struct work_source){.poll = poll_source, .arm = arm, .clear = clear};
    cm->open = cm->poll_now = true;
    cm->in_engine = false;
    executor_add_source(&rdma->ctx.pe->executor, &cm->source);
    pe_hold(rdma->ctx.pe);
    return DOCA_SUCCESS;
}

void cm_close(struct doca_rdma *rdma)
{
    struct cm *cm = &rdma->cm;

    if (!cm->open)
        return;
    while (!list_empty(&cm->listeners))
        cm_stop_listening(rdma, list_entry(cm->listeners.next, struct cm_listener, link));
    // If a child of fork() ended it on an ibverbs device, it would end for the parent, too.
    if (cm->ops->close && cm->generation == process_generation())
        cm->ops->close(rdma);
    list_remove(&cm->source.node);
    pe_release(rdma->ctx.pe);
    severed_remove(&cm->severed);
    close_fdp(&cm->epoll_fd); // which takes it out of the engine's set
    close_fdp(&cm->timer);
    cm->open = false;
}

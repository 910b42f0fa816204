// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "executor.h"
#include "plural.h"

#include "pacer.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

static doca_error_t items_new(uint32_t depth, struct work_item **out, struct errtext *err)
{
    if (depth == 0)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "a depth of 0 leaves no room for a job");
    if (depth > WORK_DEPTH_MAX)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "depth %u is above the limit of %u", depth,
                           WORK_DEPTH_MAX);
    size_t size = depth * sizeof(struct work_item);
    struct work_item *items = aligned_alloc(_Alignof(struct work_item), size);
    if (!items)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for %u job%s (%zu bytes)", depth,
                           PLURAL(depth), size);
    memset(items, 0, size);
    for (uint32_t i = 0; i < depth; i++)
        items[i].next = i + 1 < depth ? &items[i + 1] : NULL;
    *out = items;
    return DOCA_SUCCESS;
}

void executor_init_bare(struct executor *executor)
{
    *executor = (struct executor){.epoll_fd = -1, .event_fd = -1};
    work_fifo_init(&executor->queue);
    work_fifo_init(&executor->waiting);
    work_fifo_init(&executor->done);
    list_init(&executor->sources);
    list_init(&executor->links);
}

doca_error_t executor_init(struct executor *executor, uint32_t depth, struct errtext *err)
{
    struct work_item *items;

    doca_error_t r = items_new(depth, &items, err);
    if (r != DOCA_SUCCESS)
        return r;
    executor_init_bare(executor);
    executor->items = executor->free = items;
    executor->depth = depth;
    return DOCA_SUCCESS;
}

doca_error_t executor_set_depth(struct executor *executor, uint32_t depth, struct errtext *err)
{
    struct work_item *items;

    doca_error_t r = items_new(depth, &items, err);
    if (r != DOCA_SUCCESS)
        return r;
    free(executor->items);
    executor->items = executor->free = items;
    executor->depth = depth;
    return DOCA_SUCCESS;
}

void executor_fini(struct executor *executor)
{
    severed_remove(&executor->severed);
    close_fdp(&executor->epoll_fd);
    close_fdp(&executor->event_fd);
    free(executor->items);
    executor->items = executor->free = NULL;
}

static __attribute__((noinline)) void progress_waiting(struct executor *executor)
{
    struct work_item *item;
    struct work_fifo still;

    work_fifo_init(&still);
    while ((item = work_fifo_pop(&executor->waiting))) {
        enum work_status status = item->link->ops->progress(item);
        if (status != WORK_KEPT)
            work_fifo_push(status == WORK_DONE ? &executor->done : &still, item);
    }
    if (still.head) {
        executor->waiting.head = still.head;
        executor->waiting.tail = still.tail;
    }
}

static void move_all(struct executor *executor)
{
    struct work_source *source;

    list_for_each (source, &executor->sources, node)
        source->poll(source);
    // Last, after all sources: events that moving an item on leaves in them are reported when they
    // are armed. Before items that wait: graphs wait for paced items.
    if (__builtin_expect(executor->pacer != NULL, 0))
        pacer_poll(executor->pacer);
    if (executor->waiting.head)
        progress_waiting(executor);
}

void executor_move_on(struct executor *executor)
{
    if (executor->waiting.head || executor->pacer)
        move_all(executor);
}

struct work_item *executor_poll_waiting(struct executor *executor)
{
    move_all(executor);
    return work_fifo_pop(&executor->done);
}

void executor_finish_apart(struct work_item *item)
{
    if (item->account & WORK_PACED)
        pacer_finished(item);
    else
        item->over = true;
}

static void drop(struct work_item *item)
{
    if (item->link->ops->drop)
        item->link->ops->drop(item);
}

static void discard_from(struct executor *executor, struct work_fifo *fifo,
                         const struct work_link *link)
{
    struct work_item *item;
    struct work_fifo others;

    work_fifo_init(&others);
    while ((item = work_fifo_pop(fifo))) {
        if (item->link != link) {
            work_fifo_push(&others, item);
            continue;
        }
        if (fifo == &executor->queue)
            drop(item);
        executor_put(executor, item);
    }
    if (others.head) {
        fifo->head = others.head;
        fifo->tail = others.tail;
    }
}

void executor_discard(struct executor *executor, const struct work_link *link)
{
    discard_from(executor, &executor->queue, link);
    discard_from(executor, &executor->done, link);
}

void executor_fail_queued(struct executor *executor, const struct work_link *link,
                          doca_error_t error)
{
    struct work_fifo queue = executor->queue;
    struct work_item *item;

    if (link->pacing)
        pacer_fail(link, error);
    if (queue.head)
        work_fifo_init(&executor->queue);
    while ((item = work_fifo_pop(&queue))) {
        if (item->link == link) {
            drop(item);
            item->error = error;
        }
        work_fifo_push(item->link == link ? &executor->done : &executor->queue, item);
    }
    if (executor->armed && executor->done.head)
        executor_signal(executor);
}

void executor_cancel_waiting(struct executor *executor, const struct work_link *link,
                             enum work_status (*cancel)(struct work_item *item))
{
    struct work_fifo waiting = executor->waiting;
    struct work_item *item;

    if (link->pacing)
        pacer_cancel(link, cancel);
    if (!waiting.head)
        return;
    work_fifo_init(&executor->waiting);
    while ((item = work_fifo_pop(&waiting))) {
        bool done = item->link == link && cancel(item) == WORK_DONE;
        work_fifo_push(done ? &executor->done : &executor->waiting, item);
    }
    if (executor->armed && executor->done.head)
        executor_signal(executor);
}

// The part of a submission that need not signal, out of line.
__attribute__((noinline, cold)) void executor_signal(struct executor *executor)
{
    uint64_t one = 1;

    executor->armed = false;
    if (executor->signalled)
        return;
    // Set first: a thread that the write wakes may clear it before we are back.
    executor->signalled = true;
    // The write fails only when the counter is saturated, and then it is readable.
    ssize_t n = write(executor->event_fd, &one, sizeof(one));
    (void)n;
}

// ---- empty polls --------------------------------------------------------------------

#define BLOCK_ITEMS_MAX 64 // waiting items that are examined

// Returns whether all items wait for this one source.
static bool may_block(const struct executor *executor, const struct work_source *source)
{
    unsigned n = 0;

    if (executor->event_driven || executor->kept || !executor->waiting.head || !source->block ||
        source->node.next != &executor->sources)
        return false;
    for (const struct work_item *item = executor->waiting.head; item; item = item->next)
        if (!item->link->ops->may_block || ++n > BLOCK_ITEMS_MAX)
            return false;
    return true;
}

static bool block(struct executor *executor)
{
    struct work_source *source = list_entry(executor->sources.next, struct work_source, node);

    if (list_empty(&executor->sources) || !may_block(executor, source) || !source->block(source))
        return false;
    idle_blocked(&executor->idle, EXECUTOR_POLL_NS);
    return true;
}

__attribute__((noinline, cold)) void executor_let_others(struct executor *executor)
{
    enum idle_step step = idle_step(&executor->idle, EXECUTOR_POLL_NS);

    if (step == IDLE_YIELD || (step == IDLE_BLOCK && !block(executor)))
        idle_yield_cpu(&executor->idle, EXECUTOR_POLL_NS);
}

// ---- waiting ------------------------------------------------------------------------

static doca_error_t make_descriptors(struct executor *executor, struct errtext *err)
{
    cleanup_fd int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    cleanup_fd int event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN};

    if (epoll_fd < 0 || event_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event_fd, &event) < 0)
        return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM,
                           "cannot make the event descriptors: %s", strerror(errno));
    executor->epoll_fd = steal_fd(&epoll_fd);
    executor->event_fd = steal_fd(&event_fd);
    executor->severed = (struct severed){.fds = {&executor->epoll_fd, &executor->event_fd}};
    severed_add(&executor->severed);
    return DOCA_SUCCESS;
}

doca_error_t executor_set_event_driven(struct executor *executor, bool on, struct errtext *err)
{
    if (on && executor->epoll_fd < 0) {
        doca_error_t r = make_descriptors(executor, err);
        if (r != DOCA_SUCCESS)
            return r;
    }
    executor->event_driven = on;
    executor->armed = false;
    return DOCA_SUCCESS;
}

doca_error_t executor_arm(struct executor *executor, struct errtext *err)
{
    struct work_source *source;
    bool ready = executor->done.head;

    if (!executor->event_driven)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the work queue is in polling mode");
    if (!ready) {
        executor->arming = true;
        struct work_item *item = executor_poll(executor);
        executor->arming = false;
        if (item) {
            work_fifo_unpop(&executor->done, item); // others may be done after it
            ready = true;
        }
    }
    // From here on all items wait for others. A source that is armed will make its descriptor
    // readable; it reports what arrived before it was armed.
    executor->armed = true;
    if (!ready && (executor->waiting.head || executor->kept)) {
        list_for_each (source, &executor->sources, node)
            ready = source->arm(source) || ready;
        if (executor->pacer)
            ready = pacer_arm(executor->pacer) || ready;
    }
    if (ready)
        executor_signal(executor);
    return DOCA_SUCCESS;
}

doca_error_t executor_clear(struct executor *executor, struct errtext *err)
{
    struct work_source *source;
    uint64_t count;

    if (!executor->event_driven)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the work queue is in polling mode");
    if (read(executor->event_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
        return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "cannot read the event descriptor: %s",
                           strerror(errno));
    executor->signalled = false;
    executor->armed = false;
    list_for_each (source, &executor->sources, node)
        source->clear(source);
    if (executor->pacer)
        pacer_clear(executor->pacer);
    return DOCA_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A thread that was seen elsewhere once, after the state had changed, can only come back to the
// import to find that it has ended. So docad waits for each thread only once, however often its
// next jobs check the import.

#include "activity_page.h"

#include "cleanup.h"
#include "clock.h"
#include "config.h"
#include "log.h"
#include "memfd.h"
#include "node.h"
#include "session.h"

#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#define CHECK_MS 1

// For programs with very many work queues. Their threads are not remembered: while a thread returns
// to the import to find that it has ended, docad may wait for it again.
static bool any_more_in_use(const struct activity_page *page, const struct activity_wait *wait)
{
    uint32_t n = page->has_more
                     ? atomic_load_explicit(&page->shared->more_used, memory_order_relaxed)
                     : 0; // the client's word

    for (uint32_t i = 0; i < n && i < ACTIVITY_SLOTS - ACTIVITY_FIRST_SLOTS; i++)
        if (activity_names(&page->shared->more[i], wait->import))
            return true;
    return false;
}

// Returns false when every thread has left.
static bool any_in_use(const struct activity_page *page, struct activity_wait *wait)
{
    const struct activity *activity = page->shared;
    bool any = false;
    for (size_t word = 0; word < ARRAY_SIZE(wait->busy); word++) {
        for (uint64_t left = wait->busy[word]; left; left &= left - 1) {
            size_t i = word * 64 + (size_t)__builtin_ctzll(left);
            if (i < ACTIVITY_FIRST_SLOTS && activity_names(&activity->slots[i], wait->import))
                any = true;
            else
                wait->busy[word] &= ~(left & -left);
        }
    }
    return any_more_in_use(page, wait) || any;
}

void activity_wait_end(struct activity_wait *wait)
{
    void (*left)(void *arg) = wait->left;
    if (!left)
        return;
    list_remove(&wait->in_page);
    wait->left = NULL;
    left(wait->arg);
}

static void start_timer(struct activity_page *page)
{
    struct timeval later = ms_to_timeval(CHECK_MS);
    event_add(page->timer, &later);
}

static void give_up(const struct activity_page *page, struct activity_wait *wait)
{
    log_limited(LOG_LEVEL_WARNING,
                "session %" PRIu64 " (%s, pid %d): a thread has not released import %" PRIu64
                " within %" PRIu64 " ms (release_limit_ms) after it ended; docad waits no longer",
                page->session->id, page->session->program, (int)page->session->pid, wait->import,
                page->session->node->config->release_limit_ms);
    activity_wait_end(wait);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct activity_page *page = arg;
    struct activity_wait *wait, *next;
    (void)fd;
    (void)what;

    list_for_each_safe (wait, next, &page->waits, in_page) {
        if (!any_in_use(page, wait))
            activity_wait_end(wait);
        else if (clock_ms() >= wait->until_ms)
            give_up(page, wait);
    }
    if (!list_empty(&page->waits))
        start_timer(page);
}

static void check(struct activity_wait *wait)
{
    struct activity_page *page = wait->page;

    list_remove(&wait->in_page);
    list_append(&page->waits, &wait->in_page);
    if (any_in_use(page, wait))
        start_timer(page);
    else
        activity_wait_end(wait);
}

// The end of one wait may be that of others, and may begin new ones, for which this barrier is too
// early.
static void check_all(struct node *node)
{
    struct list waits;

    if (list_empty(&node->barrier_waits))
        return;
    activity_barrier(); // after the states were changed, before the threads are checked
    list_init(&waits);
    while (!list_empty(&node->barrier_waits)) {
        struct list *first = node->barrier_waits.next;
        list_remove(first);
        list_append(&waits, first);
    }
    while (!list_empty(&waits))
        check(list_entry(waits.next, struct activity_wait, in_page));
}

static void on_barrier(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    check_all(arg);
}

// After the other events of this round of the loop: a linked node may report the ends of many
// imports in a row.
static bool check_later(struct node *node)
{
    if (node->sched && !node->barrier)
        node->barrier = event_new(node->base, -1, 0, on_barrier, node);
    if (!node->sched || !node->barrier)
        return false;
    event_active(node->barrier, EV_TIMEOUT, 0);
    return true;
}

void activity_page_wait(struct activity_page *page, struct activity_wait *wait, uint64_t import,
                        void (*left)(void *arg), void *arg)
{
    assert(!wait->left);
    if (!page->shared) {
        left(arg);
        return;
    }
    struct node *node = page->session->node;
    wait->page = page;
    wait->import = import;
    wait->left = left;
    wait->arg = arg;
    wait->until_ms = clock_ms() + node->config->release_limit_ms;
    memset(wait->busy, 0xff, sizeof(wait->busy));
    list_append(&node->barrier_waits, &wait->in_page);
    if (node->barrier_batches == 0 && !check_later(node))
        check_all(node);
}

void activity_batch_begin(struct node *node)
{
    node->barrier_batches++;
}

void activity_batch_end(struct node *node)
{
    assert(node->barrier_batches > 0);
    if (--node->barrier_batches == 0)
        check_all(node);
}

void activity_batches_end(struct node *node)
{
    if (node->barrier)
        event_free(node->barrier);
    node->barrier = NULL;
}

// Asked of the kernel once.
static bool barriers_work(void)
{
    static int work = -1;
    if (work < 0)
        work = activity_barriers_work();
    return work;
}

static size_t size_of(const struct activity_page *page)
{
    return page->has_more ? sizeof(*page->shared) : ACTIVITY_SIZE_FIRST;
}

static int map(struct activity_page *page, struct event_base *base, const struct session *session,
               int fd, bool has_more)
{
    size_t size = has_more ? sizeof(struct activity) : ACTIVITY_SIZE_FIRST;
    struct activity *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        return -errno;
    shared->barriers = barriers_work();
    *page = (struct activity_page){
        .session = session, .shared = shared, .has_more = has_more, .fd = -1};
    list_init(&page->waits);
    page->timer = event_new(base, -1, 0, on_timer, page);
    if (!page->timer) {
        munmap(shared, size);
        page->shared = NULL;
        return -ENOMEM;
    }
    page->fd = fd;
    return 0;
}

int activity_page_restore(struct activity_page *page, struct event_base *base,
                          const struct session *session, int fd)
{
    if (memfd_check(fd, ACTIVITY_SIZE_FIRST, 1) == 0) // a docad of an older release made it
        return map(page, base, session, fd, false);
    int r = memfd_check(fd, sizeof(struct activity), 1);
    return r < 0 ? r : map(page, base, session, fd, true);
}

int activity_page_init(struct activity_page *page, struct event_base *base,
                       const struct session *session)
{
    cleanup_fd int fd = memfd_create_sealed("docad-activity", sizeof(struct activity));
    if (fd < 0)
        return fd;
    int r = map(page, base, session, fd, true);
    if (r == 0)
        steal_fd(&fd);
    return r;
}

void activity_page_fini(struct activity_page *page)
{
    if (!page->shared)
        return;
    assert(list_empty(&page->waits));
    event_free(page->timer);
    munmap((void *)page->shared, size_of(page));
    close_fdp(&page->fd);
    page->shared = NULL;
}

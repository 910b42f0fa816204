// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "chores.h"

#include "clock.h"
#include "thread.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define STOP_MS 2000

struct chores {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct list waiting, over;
    bool stopping;
    bool started;
    const char *name; // the thread's name
    pthread_t thread;
    int over_fd; // wakes the loop
    struct event *event;
};

static struct chore *take(struct list *list)
{
    struct chore *chore = list_entry(list->next, struct chore, in_chores);
    list_remove(&chore->in_chores);
    return chore;
}

static void *work(void *arg)
{
    struct chores *chores = arg;
    uint64_t one = 1;

    pthread_setname_np(pthread_self(), chores->name);
    pthread_mutex_lock(&chores->lock);
    for (;;) {
        while (list_empty(&chores->waiting) && !chores->stopping)
            pthread_cond_wait(&chores->more, &chores->lock);
        if (list_empty(&chores->waiting))
            break;
        struct chore *chore = take(&chores->waiting);
        pthread_mutex_unlock(&chores->lock);
        chore->work(chore);
        pthread_mutex_lock(&chores->lock);
        list_append(&chores->over, &chore->in_chores);
        ssize_t n = write(chores->over_fd, &one, sizeof(one));
        (void)n; // a saturated counter is readable too
    }
    pthread_mutex_unlock(&chores->lock);
    return NULL;
}

static void on_over(evutil_socket_t fd, short what, void *arg)
{
    struct chores *chores = arg;
    uint64_t count;
    ssize_t n = read(fd, &count, sizeof(count));
    (void)n;
    (void)what;

    pthread_mutex_lock(&chores->lock);
    while (!list_empty(&chores->over)) {
        struct chore *chore = take(&chores->over);
        pthread_mutex_unlock(&chores->lock);
        chore->done(chore);
        pthread_mutex_lock(&chores->lock);
    }
    pthread_mutex_unlock(&chores->lock);
}

static void dispose(struct chores *chores)
{
    if (chores->event)
        event_free(chores->event);
    if (chores->over_fd >= 0)
        close(chores->over_fd);
    pthread_cond_destroy(&chores->more);
    pthread_mutex_destroy(&chores->lock);
    free(chores);
}

struct chores *chores_new(struct event_base *base, const char *name)
{
    struct chores *chores = calloc(1, sizeof(*chores));
    if (!chores)
        return NULL;
    chores->name = name;
    pthread_mutex_init(&chores->lock, NULL);
    pthread_cond_init(&chores->more, NULL);
    list_init(&chores->waiting);
    list_init(&chores->over);
    chores->over_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (chores->over_fd >= 0)
        chores->event = event_new(base, chores->over_fd, EV_READ | EV_PERSIST, on_over, chores);
    if (!chores->event || event_add(chores->event, NULL) < 0) {
        dispose(chores);
        return NULL;
    }
    return chores;
}

bool chores_add(struct chores *chores, struct chore *chore)
{
    if (!chores->started)
        chores->started = thread_create(&chores->thread, NULL, work, chores) == 0;
    if (!chores->started)
        return false;
    pthread_mutex_lock(&chores->lock);
    list_append(&chores->waiting, &chore->in_chores);
    pthread_cond_signal(&chores->more);
    pthread_mutex_unlock(&chores->lock);
    return true;
}

static bool join(struct chores *chores)
{
    pthread_mutex_lock(&chores->lock);
    chores->stopping = true;
    pthread_cond_signal(&chores->more);
    pthread_mutex_unlock(&chores->lock);
    return thread_join_until(chores->thread, clock_ms() + STOP_MS);
}

bool chores_free(struct chores *chores)
{
    if (!chores)
        return true;
    // A finished chore may add another, so repeat until none is left.
    while (chores->started) {
        if (!join(chores)) {
            thread_keep(chores);
            return false;
        }
        chores->started = chores->stopping = false;
        on_over(chores->over_fd, 0, chores);
    }
    dispose(chores);
    return true;
}

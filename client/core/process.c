// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/process.h"

#include <stdbool.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER;
static struct call_lock *call_locks; // all that were ever taken; under `lists`
static struct fork_hook *fork_hooks; // all that were ever added; under `lists`

static unsigned generation; // changes only in a child that has one thread

// This thread, which forks, has the lock. A handler of the program may use the
// library.
static _Thread_local bool fork_has_lock __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
    pthread_mutex_lock(&lists);
    fork_has_lock = true;
}

static void after_fork_in_parent(void)
{
    fork_has_lock = false;
    pthread_mutex_unlock(&lists);
}

static void after_fork_in_child(void)
{
    generation++;
    for (struct call_lock *l = call_locks; l; l = l->next)
        pthread_mutex_init(&l->mutex, NULL);
    for (struct fork_hook *h = fork_hooks; h; h = h->next)
        h->in_child();
    after_fork_in_parent();
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void process_lock(void)
{
    pthread_once(&once, watch_forks);
    if (!fork_has_lock)
        pthread_mutex_lock(&lists);
}

void process_unlock(void)
{
    if (!fork_has_lock)
        pthread_mutex_unlock(&lists);
}

unsigned process_generation(void)
{
    pthread_once(&once, watch_forks);
    return generation;
}

void process_on_fork(struct fork_hook *hook)
{
    process_lock();
    struct fork_hook *h = fork_hooks;
    while (h && h != hook)
        h = h->next;
    if (!h) {
        hook->next = fork_hooks;
        fork_hooks = hook;
    }
    process_unlock();
}

void call_lock(struct call_lock *lock)
{
    process_lock();
    struct call_lock *l = call_locks;
    while (l && l != lock)
        l = l->next;
    if (!l) {
        lock->next = call_locks;
        call_locks = lock;
    }
    process_unlock();
    pthread_mutex_lock(&lock->mutex);
}

void call_unlock(struct call_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

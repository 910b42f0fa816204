// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "closer.h"

#include "cleanup.h"
#include "list.h"
#include "thread.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 16
#define CLOG        64 // descriptors of one uid that are not closed yet

struct item {
    struct list link;
    int fd;
    uid_t uid;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct list waiting, closing;
    unsigned threads, idle;
    bool stopping;
} closer = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .done = PTHREAD_COND_INITIALIZER,
    .waiting = {&closer.waiting, &closer.waiting},
    .closing = {&closer.closing, &closer.closing},
};

static void *work(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&closer.lock);
    for (;;) {
        while (list_empty(&closer.waiting) && !closer.stopping) {
            closer.idle++;
            pthread_cond_wait(&closer.work, &closer.lock);
            closer.idle--;
        }
        if (list_empty(&closer.waiting))
            break;
        struct item *item = list_entry(closer.waiting.next, struct item, link);
        list_remove(&item->link);
        list_append(&closer.closing, &item->link);
        pthread_mutex_unlock(&closer.lock);
        close(item->fd);
        pthread_mutex_lock(&closer.lock);
        list_remove(&item->link);
        free(item);
    }
    closer.threads--;
    pthread_cond_signal(&closer.done);
    pthread_mutex_unlock(&closer.lock);
    return NULL;
}

// With the lock held. True if there is a thread that will come to what waits.
static bool have_thread(void)
{
    pthread_attr_t attr;
    pthread_t thread;

    if (closer.idle > 0 || closer.threads == THREADS_MAX)
        return true;
    if (pthread_attr_init(&attr) != 0)
        return closer.threads > 0;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (thread_create(&thread, &attr, work, NULL) == 0)
        closer.threads++;
    pthread_attr_destroy(&attr);
    return closer.threads > 0;
}

// Memory files, pipes, Unix sockets and the like are the kernel's alone.
static bool closes_at_once(int fd)
{
    char link[32], path[16];
    int domain;
    socklen_t size = sizeof(domain);

    if (fcntl(fd, F_GET_SEALS) >= 0)
        return true;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0)
        return domain == AF_UNIX;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    return strncmp(path, "anon_inode:", 11) == 0 || strncmp(path, "pipe:", 5) == 0;
}

void closer_take(int fd, uid_t uid)
{
    struct item *item = closes_at_once(fd) ? NULL : malloc(sizeof(*item));
    if (!item) {
        close(fd);
        return;
    }
    *item = (struct item){.fd = fd, .uid = uid};
    pthread_mutex_lock(&closer.lock);
    bool taken = have_thread();
    if (taken) {
        list_append(&closer.waiting, &item->link);
        pthread_cond_signal(&closer.work);
    }
    pthread_mutex_unlock(&closer.lock);
    if (!taken) {
        close(fd);
        free(item);
    }
}

bool closer_is_clogged(uid_t uid)
{
    const struct item *item;
    unsigned n = 0;

    pthread_mutex_lock(&closer.lock);
    list_for_each (item, &closer.waiting, link)
        n += item->uid == uid;
    list_for_each (item, &closer.closing, link)
        n += item->uid == uid;
    pthread_mutex_unlock(&closer.lock);
    return n >= CLOG;
}

void closer_stop(void)
{
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec++;
    pthread_mutex_lock(&closer.lock);
    closer.stopping = true;
    pthread_cond_broadcast(&closer.work);
    while (closer.threads > 0 && pthread_cond_timedwait(&closer.done, &closer.lock, &limit) == 0)
        ;
    closer.stopping = false;
    pthread_mutex_unlock(&closer.lock);
}

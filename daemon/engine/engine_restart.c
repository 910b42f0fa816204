// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How an engine continues the work of an earlier one: queue pairs are not served until all of them
// are restored; then each continues with the request after its last completion.

#include "engine_private.h"

#include "cleanup.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

int engine_queue_pair_channel(const struct engine_queue_pair *qp)
{
    return qp->ring.channel;
}

int engine_queue_pair_restore(struct engine_importer *importer, struct engine_queue_pair **out,
                              const int fds[3])
{
    struct engine *engine = importer->engine;
    struct engine_queue_pair *qp = calloc(1, sizeof(*qp));
    if (!qp)
        return -ENOMEM;
    qp->importer = importer;
    qp->uid = importer->user->uid;
    qp->suspended = qp->restored = true;
    list_init(&qp->in_runnable);
    list_init(&qp->in_dozing);
    list_init(&qp->failure.in_done);
    int r = qp_server_restore(&qp->ring, fds);
    if (r < 0) {
        free(qp);
        return r;
    }
    pthread_mutex_lock(&engine->lock);
    qp->index = engine_free_place(engine);
    r = qp->index < QUEUE_PAIRS_MAX ? 0 : -ENOSPC;
    if (r == 0) {
        qp->generation = ++engine->generation;
        engine_take_place(engine, qp);
        list_append(&importer->queue_pairs, &qp->in_importer);
    }
    pthread_mutex_unlock(&engine->lock);
    if (r < 0) {
        engine_free_queue_pair(qp);
        return r;
    }
    *out = qp;
    return 0;
}

static void wake(struct engine *engine, struct engine_queue_pair *qp)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET,
                                .data.u64 = (uint64_t)qp->generation << 32 | qp->index};
    qp->suspended = false;
    epoll_ctl(engine->epoll, EPOLL_CTL_ADD, qp->ring.doorbell, &event);
    engine_make_runnable(qp);
}

// Makes a thread that waits for doorbells check for runnable queue pairs: this descriptor becomes
// readable once and then never again.
static void wake_thread(struct engine *engine)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = ENGINE_WAKE_ID};
    engine->resume_fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    if (engine->resume_fd >= 0)
        epoll_ctl(engine->epoll, EPOLL_CTL_ADD, engine->resume_fd, &event);
}

void engine_resume(struct engine *engine)
{
    struct engine_importer *importer;
    struct engine_queue_pair *qp;
    bool any = false;

    pthread_mutex_lock(&engine->lock);
    list_for_each (importer, &engine->importers, in_engine) {
        list_for_each (qp, &importer->queue_pairs, in_importer) {
            if (!qp->suspended)
                continue;
            wake(engine, qp);
            any = true;
        }
    }
    if (any)
        wake_thread(engine);
    pthread_mutex_unlock(&engine->lock);
}

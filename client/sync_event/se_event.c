// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Making, configuring, starting and ending a sync event.

#include "sync_event.h"

#include "core/closing.h"
#include "core/refused.h"

#include <sys/mman.h>

void se_init(struct doca_sync_event *event, struct doca_ctx *ctx)
{
    *event =
        (struct doca_sync_event){.ctx = ctx, .page_fd = -1, .timer = -1, .import.lifeline = -1};
    pthread_mutex_init(&event->lock, NULL);
    pthread_mutex_init(&event->broker.turn, NULL);
}

void se_fini(struct doca_sync_event *event)
{
    severed_remove(&event->severed);
    se_import_end(event);
    se_exports_end(event);
    if (event->page)
        munmap(event->page, SYNC_PAGE_SIZE);
    close_fdp(&event->page_fd);
    if (event->shared) // another process may watch it
        closing_take(steal_fd(&event->timer));
    close_fdp(&event->timer);
    dev_unref(event->publisher_dev);
    dev_unref(event->subscriber_dev);
    pthread_mutex_destroy(&event->lock);
    pthread_mutex_destroy(&event->broker.turn);
}

struct doca_dev *se_device(const struct doca_sync_event *event)
{
    return event->publisher_dev ? event->publisher_dev : event->subscriber_dev;
}

// ---- configuration --------------------------------------------------------------------

static doca_error_t set_location(struct doca_sync_event *event, enum se_location *location,
                                 enum se_location to, struct doca_dev **place, struct doca_dev *dev,
                                 struct errtext *err)
{
    if (event->imported)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "an imported event is configured already, by its owner");
    if (event->state != SE_CONFIGURED)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the event is started; add locations before");
    if (*location != SE_NOWHERE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the event has one publisher and one subscriber location, and this one "
                           "was added already");
    doca_error_t known = dev ? dev_known(dev, err) : DOCA_SUCCESS;
    if (known != DOCA_SUCCESS)
        return known;
    *location = to;
    if (dev)
        *place = dev_ref(dev);
    return DOCA_SUCCESS;
}

doca_error_t se_add_location(const char *function, struct doca_sync_event *event, bool publisher,
                             enum se_location to, struct doca_dev *dev)
{
    struct errtext err;
    pthread_mutex_lock(&event->lock);
    doca_error_t e =
        set_location(event, publisher ? &event->publisher : &event->subscriber, to,
                     publisher ? &event->publisher_dev : &event->subscriber_dev, dev, &err);
    pthread_mutex_unlock(&event->lock);
    return report(function, e, &err);
}

doca_error_t se_no_such(const char *function, const char *what)
{
    struct errtext err;
    return report(function,
                  errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED, "there are no %ss here", what), &err);
}

static doca_error_t set_addr(struct doca_sync_event *event, uint64_t *addr, struct errtext *err)
{
    if (event->imported)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "the owner of an imported event decides where its counter is");
    if (event->state != SE_CONFIGURED || se_exports(event))
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the event is started or exported; set its memory before");
    bool aligned = (uintptr_t)addr % SYNC_VALUE_SIZE == 0;
    event->user = addr;
    event->word = aligned ? (_Atomic uint64_t *)addr : NULL;
    atomic_store(&event->reach, aligned ? SE_DIRECT : SE_LOCKED);
    return DOCA_SUCCESS;
}

doca_error_t se_set_memory(const char *function, struct doca_sync_event *event, uint64_t *addr)
{
    struct errtext err;

    pthread_mutex_lock(&event->lock);
    doca_error_t e = set_addr(event, addr, &err);
    pthread_mutex_unlock(&event->lock);
    return report(function, e, &err);
}

// ---- started, and stopped -------------------------------------------------------------

static doca_error_t may_start(struct doca_sync_event *event, struct errtext *err)
{
    if (event->state != SE_CONFIGURED)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the event is started already");
    if (!event->imported && (event->publisher == SE_NOWHERE || event->subscriber == SE_NOWHERE))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the event has no %s location; add one",
                           event->publisher == SE_NOWHERE ? "publisher" : "subscriber");
    return DOCA_SUCCESS;
}

doca_error_t se_try_start(struct doca_sync_event *event, enum se_state state, struct errtext *err)
{
    pthread_mutex_lock(&event->lock);
    doca_error_t e = may_start(event, err);
    if (e == DOCA_SUCCESS) {
        event->state = state;
        event->was_synchronous = event->was_synchronous || state == SE_SYNCHRONOUS;
    }
    pthread_mutex_unlock(&event->lock);
    return e;
}

bool se_try_stop(struct doca_sync_event *event, enum se_state state)
{
    pthread_mutex_lock(&event->lock);
    bool started = event->state == state;
    if (started)
        event->state = SE_CONFIGURED;
    pthread_mutex_unlock(&event->lock);
    return started;
}

doca_error_t se_start(const char *function, struct doca_sync_event *event)
{
    struct errtext err;

    return report(function, se_try_start(event, SE_SYNCHRONOUS, &err), &err);
}

doca_error_t se_stop(const char *function, struct doca_sync_event *event)
{
    if (se_try_stop(event, SE_SYNCHRONOUS))
        return DOCA_SUCCESS;
    return refused(function, "the event was not started by doca_sync_event_start()");
}

struct doca_ctx *se_as_ctx(const char *function, const struct doca_sync_event *event)
{
    if (!event->was_synchronous)
        return event->ctx;
    refused(function, "the event was started by doca_sync_event_start()");
    return NULL;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Clients: on the host. A client requests a connection until its server accepts it.

#include "comch.h"

#include "core/device_card.h"
#include "core/refused.h"
#include "log/own.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>

#define PAUSE_MIN_MS 2u
#define PAUSE_MAX_MS 64u

doca_error_t comch_client_wait(struct comch_end *end, struct errtext *err)
{
    unsigned pause = PAUSE_MIN_MS << (end->tries < 5 ? end->tries : 5);
    struct itimerspec when = {.it_value.tv_nsec = (long)pause * 1000000};

    _Static_assert(PAUSE_MIN_MS << 5 == PAUSE_MAX_MS, "the shift ends there");
    end->tries++;
    if (timerfd_settime(end->timer, 0, &when, NULL) == 0)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot set a timer: %s", strerror(errno));
}

// A client waits for conditions that may end by themselves. If this process lacks resources, or its
// session has reached a limit, the start is refused; a client that has started keeps waiting in
// that case, too.
static bool may_pass(const struct comch_end *end, doca_error_t e)
{
    return e == DOCA_ERROR_AGAIN || (e == DOCA_ERROR_NO_MEMORY && end->tries > 0);
}

doca_error_t comch_client_request(struct comch_end *end, struct errtext *err)
{
    struct errtext why;

    doca_error_t e = cc_connect(end->ep, end->name, &end->requested, err);
    if (may_pass(end, e)) {
        (void)errtext_set(&why, e, "a client does not connect yet, and keeps trying: %s", err->s);
        (void)report_often("doca_ctx_start", e, why.s);
    } else if (e != DOCA_ERROR_CONNECTION_ABORTED) {
        return e;
    } else if (comch_is_logged(end->tries)) {
        log_own_warning("a Comch client of the server \"%s\" on %s is not connected yet, and keeps "
                        "trying: %s",
                        end->name, dev_function(end->ctx.device)->name, err->s);
    }
    return comch_client_wait(end, err);
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    struct comch_end *end = comch_end_of(ctx);

    doca_error_t e = comch_end_open(end, err);
    if (e != DOCA_SUCCESS)
        return e;
    end->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    severed_note(&end->severed);
    e = end->timer >= 0 ? comch_client_request(end, err)
                        : errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot make a timer: %s",
                                      strerror(errno));
    if (e == DOCA_SUCCESS)
        return DOCA_ERROR_IN_PROGRESS;
    comch_end_stopped(ctx);
    return e;
}

// The program gets the event in its engine's progress.
static doca_error_t stop(struct doca_ctx *ctx)
{
    struct comch_end *end = comch_end_of(ctx);

    if (!list_empty(&end->open))
        comch_connection_end(list_entry(end->open.next, struct doca_comch_connection, link));
    return list_empty(&end->ended) ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS;
}

static const struct ctx_kind kind = {
    .name = "Comch client",
    .work = {.library = WORK_LIBRARY_COMCH,
             .execute = comch_send_execute,
             .eager = true,
             .progress = comch_send_progress,
             .touches_no_imports = true,
             .lane = comch_send_lane},
    .tasks = comch_tasks,
    .n_tasks = 1,
    .most_tasks = CARD_COMCH_SEND_TASKS,
    .start = start,
    .stop = stop,
    .cancel = comch_send_cancel,
    .stopped = comch_end_stopped,
    .lose_peer = comch_send_lose_peer,
};

doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
                                      struct doca_comch_client **comch_client)
{
    struct errtext err;
    struct comch_end *end;

    if (!dev || !name || !comch_client)
        return REFUSED_NULL(dev, name, comch_client);
    if (devinfo_denies_clients(dev_devinfo(dev)))
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_INITIALIZATION, NO_CLIENTS,
                                  dev_function(dev)->name, dev_card(dev)->name),
                      &err);
    doca_error_t e = comch_end_new(&end, &kind, dev, name, &err);
    if (e == DOCA_SUCCESS && dev_function(dev)->can_list_reps) {
        (void)comch_end_free(__func__, end);
        e = errtext_set(&err, DOCA_ERROR_INITIALIZATION,
                        "device %s belongs to a DPU itself: clients use functions that have "
                        "representors",
                        dev_function(dev)->name);
    }
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    *comch_client = (struct doca_comch_client *)end;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
                                              struct doca_comch_connection **connection)
{
    if (!comch_client || !connection)
        return REFUSED_NULL(comch_client, connection);
    const struct comch_end *end = &comch_client->end;
    if (end->ctx.state != DOCA_CTX_STATE_RUNNING || list_empty(&end->open))
        return report_why(__func__, DOCA_ERROR_BAD_STATE,
                          "the client is not connected; its context runs when it is");
    *connection = list_entry(end->open.next, struct doca_comch_connection, link);
    return DOCA_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Clients: on the host. A client tries until its server is there.

#include "comch.h"

#include "core/refused.h"

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

doca_error_t comch_client_knock(struct comch_end *end, struct errtext *err)
{
    doca_error_t e = cc_connect(end->ep, end->name, &end->knocked, err);

    return e == DOCA_ERROR_CONNECTION_ABORTED ? comch_client_wait(end, err) : e;
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    struct comch_end *end = comch_end_of(ctx);

    doca_error_t e = comch_end_open(end, err);
    if (e != DOCA_SUCCESS)
        return e;
    end->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    e = end->timer >= 0 ? comch_client_knock(end, err)
                        : errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot make a timer: %s",
                                      strerror(errno));
    if (e == DOCA_SUCCESS)
        return DOCA_ERROR_IN_PROGRESS;
    comch_end_stopped(ctx);
    return e;
}

// The program is told in its engine's progress.
static doca_error_t stop(struct doca_ctx *ctx)
{
    struct comch_end *end = comch_end_of(ctx);

    if (!list_empty(&end->open))
        comch_connection_end(list_entry(end->open.next, struct doca_comch_connection, link));
    return list_empty(&end->ended) ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS;
}

static const struct ctx_kind kind = {
    .name = "Comch client",
    .work = {.execute = comch_send_execute, .at_once = true, .progress = comch_send_progress},
    .tasks = comch_tasks,
    .n_tasks = 1,
    .start = start,
    .stop = stop,
    .cancel = comch_send_cancel,
    .stopped = comch_end_stopped,
};

doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
                                      struct doca_comch_client **comch_client)
{
    struct errtext err;
    struct comch_end *end;

    if (!dev || !name || !comch_client)
        return REFUSED_NULL(dev, name, comch_client);
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

// ---- what servers and clients have in common -----------------------------------------------

doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client)
{
    return comch_client ? comch_end_free(__func__, &comch_client->end) : REFUSED_NULL(comch_client);
}

struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client)
{
    return comch_client ? &comch_client->end.ctx : NULL;
}

doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
                                                uint32_t size)
{
    if (!comch_client)
        return REFUSED_NULL(comch_client);
    return comch_set_max_message(__func__, &comch_client->end, size);
}

doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
                                                uint32_t *size)
{
    if (!comch_client || !size)
        return REFUSED_NULL(comch_client, size);
    *size = comch_client->end.max_message;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
                                                   uint32_t size)
{
    if (!comch_client)
        return REFUSED_NULL(comch_client);
    return comch_set_recv_queue(__func__, &comch_client->end, size);
}

doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
                                                   uint32_t *size)
{
    if (!comch_client || !size)
        return REFUSED_NULL(comch_client, size);
    *size = comch_client->end.recv_queue;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
                                          struct doca_dev **dev)
{
    if (!comch_client || !dev)
        return REFUSED_NULL(comch_client, dev);
    *dev = comch_client->end.ctx.device;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_task_send_set_conf(
    struct doca_comch_client *comch_client, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
    if (!comch_client || !task_completion_cb || !task_error_cb)
        return REFUSED_NULL(comch_client, task_completion_cb, task_error_cb);
    return comch_send_set_conf(__func__, &comch_client->end, task_completion_cb, task_error_cb,
                               num_send_tasks);
}

doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task)
{
    if (__builtin_expect(!comch_client || !peer || !msg || !task, 0))
        return REFUSED_NULL(comch_client, peer, msg, task);
    return comch_send_alloc(__func__, &comch_client->end, peer, msg, len, task);
}

doca_error_t doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
                                                       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
    if (!comch_client || !recv_event_cb)
        return REFUSED_NULL(comch_client, recv_event_cb);
    return comch_set_on_message(__func__, &comch_client->end, recv_event_cb);
}

doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
    if (!comch_client || !new_consumer_event_cb || !expired_consumer_event_cb)
        return REFUSED_NULL(comch_client, new_consumer_event_cb, expired_consumer_event_cb);
    return comch_set_on_consumer(__func__, &comch_client->end, new_consumer_event_cb,
                                 expired_consumer_event_cb);
}

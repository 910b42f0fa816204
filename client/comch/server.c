// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Servers: on a DPU, for a function of the host.

#include "comch.h"

#include "core/refused.h"

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    struct comch_end *end = comch_end_of(ctx);

    doca_error_t e = comch_end_open(end, err);
    if (e != DOCA_SUCCESS)
        return e;
    e = cc_listen(end->ep, end->name, err);
    if (e != DOCA_SUCCESS)
        comch_end_stopped(ctx);
    return e;
}

// It ends when its clients have disconnected. Those that connect now are rejected.
static doca_error_t stop(struct doca_ctx *ctx)
{
    struct comch_end *end = comch_end_of(ctx);

    return list_empty(&end->open) && list_empty(&end->ended) ? DOCA_SUCCESS
                                                             : DOCA_ERROR_IN_PROGRESS;
}

static const struct ctx_kind kind = {
    .name = "Comch server",
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

static doca_error_t check(const struct doca_dev *dev, const struct doca_dev_rep *repr,
                          struct errtext *err)
{
    if (dev_known(dev, err) != DOCA_SUCCESS)
        return DOCA_ERROR_INITIALIZATION;
    if (!dev_function(dev)->can_list_reps)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "device %s has no representors for a server: PFs of a DPU have",
                           dev_function(dev)->name);
    if (dev_rep_session(repr) != dev_session(dev))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the representor was opened on another connection to docad than device "
                           "%s; open both again",
                           dev_function(dev)->name);
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                      const char *name, struct doca_comch_server **comch_server)
{
    struct errtext err;
    struct comch_end *end;

    if (!dev || !repr || !name || !comch_server)
        return REFUSED_NULL(dev, repr, name, comch_server);
    doca_error_t e = check(dev, repr, &err);
    if (e == DOCA_SUCCESS)
        e = comch_end_new(&end, &kind, dev, name, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    end->is_server = true;
    end->rep = dev_rep_ref(repr);
    *comch_server = (struct doca_comch_server *)end;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
                                              struct doca_dev_rep **rep)
{
    if (!comch_server || !rep)
        return REFUSED_NULL(comch_server, rep);
    *rep = comch_server->end.rep;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
                                          struct doca_comch_connection *connection)
{
    if (!comch_server || !connection)
        return REFUSED_NULL(comch_server, connection);
    if (connection->end != &comch_server->end || !connection->address)
        return refused(__func__, "the server has no such connection, or it has ended");
    if (comch_path_used(connection->path))
        return report_why(__func__, DOCA_ERROR_IN_USE,
                          "the connection has consumers or producers; destroy them first");
    comch_connection_end(connection);
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_event_connection_status_changed_register(
    struct doca_comch_server *comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb)
{
    struct errtext err;

    if (!comch_server || !connect_event_cb || !disconnect_event_cb)
        return REFUSED_NULL(comch_server, connect_event_cb, disconnect_event_cb);
    doca_error_t e = context_configurable(&comch_server->end.ctx, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    comch_server->end.on_connect = connect_event_cb;
    comch_server->end.on_disconnect = disconnect_event_cb;
    return DOCA_SUCCESS;
}

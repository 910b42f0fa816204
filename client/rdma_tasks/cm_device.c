// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections by address on ibverbs devices: calls of librdmacm, and its events.

#include "cm_device.h"
#include "log/own.h"
#include "rdma/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define RESOLVE_MS     2000
#define EVENTS_AT_ONCE 16
#define NO_LISTENER    8 // a reason of a rejection: the other side's device has no such port
#define RNR_REPEATS    7 // for ever: the other side decides when it receives

static doca_error_t failed(const char *what, struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED, "cannot %s: %s", what, strerror(errno));
}

static doca_error_t check_device(const struct doca_rdma *rdma, const struct rdma_cm_id *id,
                                 struct errtext *err)
{
    const struct verbs_device *device = dev_verbs(rdma->ctx.device);
    const char *its = id->verbs ? ibv_get_device_name(id->verbs->device) : "no device";

    if (strcmp(its, ibv_get_device_name(device->context->device)) == 0 &&
        id->port_num == device->port)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "it is a connection of %s, not of %s", its,
                       dev_name(rdma->ctx.device));
}

// ---- the queue pair ----------------------------------------------------------------------------

static bool query_attr(struct rdma_cm_id *id, enum ibv_qp_state state, struct ibv_qp_attr *attr)
{
    int mask;

    *attr = (struct ibv_qp_attr){.qp_state = state};
    return rdma_init_qp_attr(id, attr, &mask) == 0;
}

static doca_error_t connect_end(struct doca_rdma_connection *connection, struct errtext *err)
{
    struct rdma_cm_id *id = connection->call.id;
    struct ibv_qp_attr receive, send;

    if (!query_attr(id, IBV_QPS_RTR, &receive) || !query_attr(id, IBV_QPS_RTS, &send))
        return failed("read the agreed attributes", err);
    send.retry_cnt = cm_retries(send.retry_cnt);
    return verbs_connect_by(&connection->end, &receive, &send, err);
}

static struct rdma_conn_param offer(const struct doca_rdma_connection *connection, const void *data,
                                    size_t size)
{
    const struct verbs_rc *rc = &connection->end.verbs->rc;
    const struct ibv_device_attr *limits = &rc->plan.device->limits;
    int reads = limits->max_qp_init_rd_atom;

    return (struct rdma_conn_param){.private_data = data,
                                    .private_data_len = (uint8_t)size,
                                    .responder_resources = rc->own.reads,
                                    .initiator_depth = (uint8_t)(reads < 16 ? reads : 16),
                                    .retry_count = cm_retries(rc->plan.retries),
                                    .rnr_retry_count = RNR_REPEATS,
                                    .srq = 1,
                                    .qp_num = rc->qp->qp_num};
}

static void drop(struct doca_rdma_connection *connection)
{
    if (connection->call.id)
        rdma_destroy_id(connection->call.id);
    connection->call.id = NULL;
}

// ---- the caller --------------------------------------------------------------------------------

static doca_error_t call_listener(struct doca_rdma_connection *connection, struct errtext *err)
{
    struct cm_call *call = &connection->call;
    struct cm_places places;
    union cm_place to;

    drop(connection); // of an earlier try
    doca_error_t r = cm_places_find(connection->rdma, &places, err);
    if (r != DOCA_SUCCESS)
        return r;
    union cm_place *from = (union cm_place *)cm_place_of_call(&places, &call->addr, &to);
    if (rdma_create_id(connection->rdma->cm.channel, &call->id, connection, RDMA_PS_TCP) != 0) {
        call->id = NULL;
        return failed("make a connection", err);
    }
    if (rdma_resolve_addr(call->id, from ? &from->any : NULL, &to.any, RESOLVE_MS) != 0)
        return failed("resolve the address", err);
    return DOCA_SUCCESS;
}

static doca_error_t address_found(struct doca_rdma_connection *connection, struct errtext *err)
{
    doca_error_t r = check_device(connection->rdma, connection->call.id, err);
    if (r == DOCA_SUCCESS && rdma_resolve_route(connection->call.id, RESOLVE_MS) != 0)
        r = failed("resolve a route", err);
    return r;
}

static doca_error_t route_found(struct doca_rdma_connection *connection, struct errtext *err)
{
    struct rdma_conn_param param = offer(connection, NULL, 0);

    if (rdma_connect(connection->call.id, &param) != 0)
        return failed("request a connection", err);
    connection->call.stage = CM_CALLED;
    return DOCA_SUCCESS;
}

static doca_error_t finish_call(struct doca_rdma_connection *connection, struct errtext *err)
{
    doca_error_t r = connect_end(connection, err);
    if (r == DOCA_SUCCESS && rdma_establish(connection->call.id) != 0)
        r = failed("finish the connection", err);
    return r;
}

// ---- the listener ------------------------------------------------------------------------------

static void stop_listening(struct doca_rdma *rdma, struct cm_listener *listener)
{
    (void)rdma;
    while (listener->n_ids)
        rdma_destroy_id(listener->ids[--listener->n_ids]);
}

// Not every GID is an address of the network interface. Returns 0, or an errno.
static int listen_at(struct doca_rdma *rdma, struct cm_listener *listener, union cm_place *place)
{
    struct rdma_cm_id *id;

    cm_place_set_port(place, listener->port);
    if (rdma_create_id(rdma->cm.channel, &id, listener, RDMA_PS_TCP) != 0)
        return errno;
    if (rdma_bind_addr(id, &place->any) == 0 && rdma_listen(id, 0) == 0) {
        listener->ids[listener->n_ids++] = id;
        return 0;
    }
    int error = errno;
    rdma_destroy_id(id);
    return error;
}

static doca_error_t listen_to(struct doca_rdma *rdma, struct cm_listener *listener,
                              struct errtext *err)
{
    struct cm_places places;
    int error = 0;

    doca_error_t r = cm_places_find(rdma, &places, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!places.n) // on InfiniBand, calls for other devices are rejected
        places.at[places.n++] = cm_place_any();
    for (unsigned i = 0; i < places.n && error != EADDRINUSE; i++)
        error = listen_at(rdma, listener, &places.at[i]);
    if (listener->n_ids && error != EADDRINUSE)
        return DOCA_SUCCESS;
    stop_listening(rdma, listener);
    return cm_listen_failed(error, listener->port, err);
}

static doca_error_t adopt(struct doca_rdma *rdma, struct rdma_cm_id *id,
                          struct doca_rdma_connection **out, struct errtext *err)
{
    struct doca_rdma_connection *connection;
    uint8_t bytes[16];

    doca_error_t r = check_device(rdma, id, err);
    if (r == DOCA_SUCCESS)
        r = rdma_connection_take(rdma, &connection, err);
    if (r != DOCA_SUCCESS)
        return r;
    connection->call.id = id;
    cm_place_bytes(rdma_get_peer_addr(id), bytes);
    cm_addr_set(&connection->call.addr, bytes, sizeof(bytes));
    connection->call.addr.port = ntohs(rdma_get_src_port(id));
    connection->call.stage = CM_REQUESTED;
    *out = connection;
    return DOCA_SUCCESS;
}

static void requested(struct doca_rdma *rdma, const struct cm_listener *listener,
                      struct rdma_cm_id *id)
{
    struct doca_rdma_connection *connection;
    struct errtext err;

    if (adopt(rdma, id, &connection, &err) == DOCA_SUCCESS) {
        id->context = connection;
        cm_queue_event(connection, CM_EVENT_REQUEST);
        return;
    }
    log_own_warning("RDMA on %s: a call at port %u is rejected: %s", dev_name(rdma->ctx.device),
                    listener->port, err.s);
    rdma_reject(id, NULL, 0);
    rdma_destroy_id(id);
}

static doca_error_t accept_call(struct doca_rdma_connection *connection, const void *data,
                                size_t size, struct errtext *err)
{
    doca_error_t r = connect_end(connection, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct rdma_conn_param param = offer(connection, data, size);
    return rdma_accept(connection->call.id, &param) == 0 ? DOCA_SUCCESS
                                                         : failed("accept the connection", err);
}

static void reject_call(struct doca_rdma_connection *connection)
{
    rdma_reject(connection->call.id, NULL, 0);
}

// ---- the end -----------------------------------------------------------------------------------

static void leave(struct doca_rdma_connection *connection)
{
    if (connection->call.id)
        rdma_disconnect(connection->call.id);
}

// Called when the connection has ended. Messages that have arrived are still received. A normal end
// is not logged.
static void lost(struct doca_rdma_connection *connection)
{
    struct rdma_end *end = &connection->end;

    leave(connection); // answers the other side
    while (rdma_state(end) == RDMA_STATE_CONNECTED && end->transport->take_rest(end))
        ;
    if (rdma_state(end) != RDMA_STATE_CONNECTED)
        return;
    if (end->n_sends)
        rdma_ended_now(end, DOCA_ERROR_CONNECTION_RESET);
    else
        end->transport->lose(end, DOCA_ERROR_CONNECTION_RESET);
}

static void other_left(struct doca_rdma_connection *connection)
{
    enum cm_stage stage = connection->call.stage;

    if (stage == CM_ESTABLISHED)
        lost(connection);
    else if (stage == CM_READY || stage == CM_ANSWERED)
        connection->call.over = true;
    else if (stage < CM_ESTABLISHED)
        cm_fail(connection, DOCA_ERROR_CONNECTION_RESET,
                "the other side has ended, or has given up");
}

static void refused_by_other(struct doca_rdma_connection *connection, int reason)
{
    bool by_listener = connection->call.stage == CM_CALLED;

    if (by_listener && reason == NO_LISTENER) {
        drop(connection);
        cm_call_later(connection);
        cm_set_timer(&connection->rdma->cm);
    } else if (by_listener) {
        cm_fail(connection, DOCA_ERROR_CONNECTION_ABORTED, "the listener has rejected it");
    } else {
        other_left(connection);
    }
}

// ---- events of librdmacm ----------------------------------------------------------------------

static void unreached(struct doca_rdma_connection *connection, int error)
{
    if (connection->call.stage < CM_READY)
        cm_fail(connection, DOCA_ERROR_CONNECTION_ABORTED,
                error < 0 ? strerror(-error) : "the other side cannot be reached");
}

static struct cm_listener *listener_of(const struct doca_rdma *rdma, const struct rdma_cm_id *id)
{
    struct cm_listener *listener;

    list_for_each (listener, &rdma->cm.listeners, link)
        if (id->context == listener)
            return listener;
    return NULL;
}

static void on_cm_event(struct doca_rdma_connection *connection, enum rdma_cm_event_type what,
                        int status)
{
    enum cm_stage stage = connection->call.stage;
    struct errtext err = {""};
    doca_error_t r = DOCA_SUCCESS;

    if (what == RDMA_CM_EVENT_ADDR_RESOLVED && stage == CM_CALLING) {
        r = address_found(connection, &err);
    } else if (what == RDMA_CM_EVENT_ROUTE_RESOLVED && stage == CM_CALLING) {
        r = route_found(connection, &err);
    } else if (what == RDMA_CM_EVENT_CONNECT_RESPONSE && stage == CM_CALLED) {
        connection->call.stage = CM_ANSWERED;
        cm_queue_event(connection, CM_EVENT_OPEN);
    } else if (what == RDMA_CM_EVENT_ESTABLISHED && stage == CM_ACCEPTED) {
        connection->call.stage = CM_READY;
        cm_queue_event(connection, CM_EVENT_OPEN);
    } else if (what == RDMA_CM_EVENT_REJECTED) {
        refused_by_other(connection, status);
    } else if (what == RDMA_CM_EVENT_DISCONNECTED || what == RDMA_CM_EVENT_DEVICE_REMOVAL) {
        other_left(connection);
    } else if (what == RDMA_CM_EVENT_ADDR_ERROR || what == RDMA_CM_EVENT_ROUTE_ERROR ||
               what == RDMA_CM_EVENT_UNREACHABLE || what == RDMA_CM_EVENT_CONNECT_ERROR) {
        unreached(connection, status);
    }
    if (r != DOCA_SUCCESS)
        cm_fail(connection, r, err.s);
}

// The kernel waits until no program listens at a device that is removed. Other events of a listener
// do not matter.
static void notified_of_listener(struct doca_rdma *rdma, struct cm_listener *listener,
                                 enum rdma_cm_event_type what)
{
    if (what == RDMA_CM_EVENT_DEVICE_REMOVAL)
        stop_listening(rdma, listener);
}

// Returns true if there was an event. An id can only be destroyed when its events have been
// acknowledged.
static bool take_event(struct doca_rdma *rdma)
{
    struct rdma_cm_event *event;

    if (rdma_get_cm_event(rdma->cm.channel, &event) != 0)
        return false;
    enum rdma_cm_event_type what = event->event;
    struct rdma_cm_id *id = event->id;
    struct cm_listener *listener = event->listen_id ? event->listen_id->context : NULL;
    int status = event->status;
    rdma_ack_cm_event(event);

    struct cm_listener *own = listener_of(rdma, id);
    if (what == RDMA_CM_EVENT_CONNECT_REQUEST)
        requested(rdma, listener, id);
    else if (own)
        notified_of_listener(rdma, own, what);
    else
        on_cm_event(id->context, what, status);
    return true;
}

static void receive_events(struct doca_rdma *rdma)
{
    for (unsigned i = 0; i < EVENTS_AT_ONCE; i++)
        if (!take_event(rdma))
            return;
}

// ---- lifetime ----------------------------------------------------------------------------------

static void close_channel(struct doca_rdma *rdma)
{
    rdma_destroy_event_channel(rdma->cm.channel);
    rdma->cm.channel = NULL;
}

static doca_error_t open_channel(struct doca_rdma *rdma, struct errtext *err)
{
    struct cm *cm = &rdma->cm;

    cm->channel = rdma_create_event_channel();
    if (!cm->channel)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "the kernel's connection manager is not there (%s): load the module "
                           "rdma_ucm, and let the program open /dev/infiniband/rdma_cm",
                           strerror(errno));
    int flags = fcntl(cm->channel->fd, F_GETFL);
    doca_error_t r = flags >= 0 && fcntl(cm->channel->fd, F_SETFL, flags | O_NONBLOCK) == 0
                         ? cm_watch(cm, cm->channel->fd, &cm->channel, err)
                         : failed("wait for connections", err);
    if (r != DOCA_SUCCESS)
        close_channel(rdma);
    return r;
}

const struct cm_ops cm_by_device = {
    .open = open_channel,
    .close = close_channel,
    .call = call_listener,
    .finish_call = finish_call,
    .listen = listen_to,
    .stop_listening = stop_listening,
    .adopt = adopt,
    .accept = accept_call,
    .reject = reject_call,
    .leave = leave,
    .lost = lost,
    .drop = drop,
    .receive_events = receive_events,
};

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Calls the program's callbacks for connections, and ends connections.

#include "core/refused.h"
#include "log/own.h"
#include "rdma_context.h"

// ---- pending events
// --------------------------------------------------------------------------------------

void cm_queue_event(struct doca_rdma_connection *connection, enum cm_event event)
{
    struct doca_rdma *rdma = connection->rdma;

    rdma->cm.n_events += connection->call.pending_event == CM_EVENT_NONE;
    connection->call.pending_event = event;
    pe_post(rdma->ctx.pe, &connection->call.event);
}

static void cancel_event(struct doca_rdma_connection *connection)
{
    struct doca_rdma *rdma = connection->rdma;

    if (connection->call.pending_event == CM_EVENT_NONE)
        return;
    rdma->cm.n_events--;
    connection->call.pending_event = CM_EVENT_NONE;
    pe_withdraw(rdma->ctx.pe, &connection->call.event);
}

static void hang_up(struct doca_rdma_connection *connection)
{
    cm_end_waiting(connection);
    cm_close_fd(&connection->rdma->cm, &connection->call.fd);
    connection->call.again_ms = connection->call.deadline_ms = 0;
}

void cm_release(struct doca_rdma_connection *connection)
{
    cancel_event(connection);
    hang_up(connection);
    rdma_connection_release(connection);
}

void cm_fail(struct doca_rdma_connection *connection, doca_error_t error, const char *why)
{
    struct cm_call *call = &connection->call;
    bool silent = call->stage == CM_REQUESTED && !call->reported; // the program has not got it yet

    if (!silent)
        log_own_warning("RDMA on %s: no connection with %s, port %u: %s (%s)",
                        dev_name(connection->rdma->ctx.device), call->addr.text, call->addr.port,
                        why, doca_error_get_name(error));
    hang_up(connection);
    if (silent) {
        cm_release(connection);
        return;
    }
    call->stage = CM_ENDED;
    cm_queue_event(connection, CM_EVENT_FAILURE);
}

// ---- callbacks
// -----------------------------------------------------------------------------------

// Calls a callback. If the program stops the context in it, the context stops after the callback
// has returned, and may then be gone.
#define CALL_PROGRAM(rdma, call_it)                                                                \
    do {                                                                                           \
        struct doca_pe *engine = (rdma)->ctx.pe;                                                   \
        struct doca_ctx *before = engine->current;                                                 \
        engine->current = &(rdma)->ctx;                                                            \
        call_it;                                                                                   \
        engine->current = before;                                                                  \
    } while (0)

static doca_error_t open_both(struct doca_rdma_connection *connection, struct errtext *err)
{
    // A listener's end was connected when it accepted.
    doca_error_t r = connection->call.stage == CM_ANSWERED
                         ? connection->rdma->cm.ops->finish_call(connection, err)
                         : DOCA_SUCCESS;
    if (r == DOCA_SUCCESS && !connection->end.link)
        r = rdma_end_attach(&connection->end, &connection->rdma->ctx.link, err);
    return r;
}

static void deliver_established(struct doca_rdma_connection *connection)
{
    struct doca_rdma *rdma = connection->rdma;
    struct errtext err = {""};

    doca_error_t r = open_both(connection, &err);
    if (r != DOCA_SUCCESS) {
        cm_fail(connection, r, err.s);
        return;
    }
    hang_up(connection);
    connection->call.stage = CM_ESTABLISHED;
    CALL_PROGRAM(rdma,
                 rdma->cm.on_established(connection, connection->user_data, rdma->ctx.user_data));
    if (connection->used && connection->call.stage == CM_ESTABLISHED && connection->call.over)
        rdma->cm.ops->lost(connection);
}

static void deliver_failure(struct doca_rdma_connection *connection)
{
    struct doca_rdma *rdma = connection->rdma;

    connection->call.reported = true;
    rdma_connection_discount(connection);
    CALL_PROGRAM(rdma, rdma->cm.on_failure(connection, connection->user_data, rdma->ctx.user_data));
    if (connection->used && connection->call.stage == CM_ENDED)
        rdma_connection_release(connection);
}

// The connection stays until the program has disconnected it, too.
static void deliver_disconnect(struct doca_rdma_connection *connection)
{
    struct doca_rdma *rdma = connection->rdma;
    bool left = connection->call.left;

    connection->call.reported = true;
    if (left)
        rdma_connection_discount(connection);
    if (rdma->cm.on_disconnect)
        CALL_PROGRAM(
            rdma, rdma->cm.on_disconnect(connection, connection->user_data, rdma->ctx.user_data));
    if (left && connection->used)
        rdma_connection_release(connection);
}

// Returns whether completions must come first: those of tasks that were done before the end, and of
// tasks at docad's engine.
static bool must_wait(struct doca_rdma_connection *connection)
{
    struct cm_call *call = &connection->call;

    if (call->pending_event != CM_EVENT_DISCONNECT)
        return false;
    if (connection->end.n_sends || rdma_holds_reports(&connection->end))
        return true;
    return call->before && connection->rdma->ctx.pe->executor.done.head && call->before--;
}

void cm_deliver(struct pe_event *event)
{
    struct doca_rdma_connection *connection =
        container_of(event, struct doca_rdma_connection, call.event);
    struct doca_rdma *rdma = connection->rdma;
    enum cm_event what = connection->call.pending_event;

    if (must_wait(connection)) {
        pe_post(rdma->ctx.pe, event);
        return;
    }
    cancel_event(connection);
    if (what == CM_EVENT_REQUEST) {
        connection->call.reported = true;
        CALL_PROGRAM(rdma, rdma->cm.on_request(connection, rdma->ctx.user_data));
    } else if (what == CM_EVENT_OPEN) {
        deliver_established(connection);
    } else if (what == CM_EVENT_FAILURE) {
        deliver_failure(connection);
    } else if (what == CM_EVENT_DISCONNECT) {
        deliver_disconnect(connection);
    }
    if (rdma->cm.stop_waits && !rdma->cm.n_events) {
        rdma->cm.stop_waits = false;
        context_stopped(&rdma->ctx);
    } else {
        context_settle(&rdma->ctx);
    }
}

doca_error_t cm_stop(struct doca_rdma *rdma)
{
    for (uint32_t i = 0; i < rdma->n_made; i++) {
        struct doca_rdma_connection *connection = rdma->connections[i];
        // Ends that are attached are stopped like those of other connections.
        if (connection->used && connection->call.stage > CM_NONE &&
            connection->call.stage < CM_ESTABLISHED && !connection->end.link)
            cm_release(connection);
    }
    rdma->cm.stop_waits = rdma->cm.n_events > 0;
    return rdma->cm.stop_waits ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS;
}

// ---- the end -----------------------------------------------------------------------------------

static uint32_t count_done(const struct executor *executor)
{
    const struct work_item *item;
    uint32_t n = 0;

    for (item = executor->done.head; item; item = item->next)
        n++;
    return n;
}

static void disconnected(struct doca_rdma_connection *connection)
{
    struct doca_rdma *rdma = connection->rdma;

    connection->call.stage = CM_ENDED;
    connection->call.reported = false;
    connection->call.before = count_done(&rdma->ctx.pe->executor);
    cm_queue_event(connection, CM_EVENT_DISCONNECT);
}

// Returns whether the connection of a bridged id is up, which the program may not have reported
// yet.
static bool stands_bridged(const struct cm_call *call)
{
    return call->bridged && (call->stage == CM_ACCEPTED || call->stage == CM_READY);
}

void cm_end_ended(struct doca_rdma_connection *connection)
{
    const struct cm_call *call = &connection->call;

    if ((call->stage == CM_ESTABLISHED || stands_bridged(call)) &&
        connection->rdma->ctx.state == DOCA_CTX_STATE_RUNNING)
        disconnected(connection);
}

static bool can_be_left(const struct doca_rdma_connection *connection)
{
    const struct cm_call *call = &connection->call;

    return connection->used &&
           (call->stage == CM_ESTABLISHED || call->stage == CM_ENDED || stands_bridged(call) ||
            (call->stage == CM_NONE && rdma_state(&connection->end) > RDMA_STATE_INIT));
}

doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection)
{
    if (!rdma_connection)
        return REFUSED_NULL(rdma_connection);
    struct cm_call *call = &rdma_connection->call;
    if (!can_be_left(rdma_connection))
        return refused(__func__, "the connection is not established, or has been disconnected");
    bool was_reported = call->stage == CM_ENDED && call->reported && !call->left;
    call->left = true;
    if (call->stage != CM_ENDED) {
        disconnected(rdma_connection);
        rdma_connection->end.transport->leave(&rdma_connection->end, DOCA_ERROR_CONNECTION_ABORTED);
        if (rdma_connection->rdma->cm.ops->leave)
            rdma_connection->rdma->cm.ops->leave(rdma_connection);
    } else if (was_reported) {
        rdma_connection_release(rdma_connection);
    }
    return DOCA_SUCCESS;
}

// ---- settings ----------------------------------------------------------------------------------

doca_error_t doca_rdma_set_connection_state_callbacks(
    struct doca_rdma *rdma, doca_rdma_connection_request_cb_t doca_rdma_connect_request_cb,
    doca_rdma_connection_established_cb_t doca_rdma_connect_established_cb,
    doca_rdma_connection_failure_cb_t doca_rdma_connect_failure_cb,
    doca_rdma_connection_disconnection_cb_t doca_rdma_disconnect_cb)
{
    struct errtext err;

    if (!rdma)
        return REFUSED_NULL(rdma);
    if (!doca_rdma_connect_established_cb || !doca_rdma_connect_failure_cb ||
        !doca_rdma_disconnect_cb)
        return REFUSED_NULL(doca_rdma_connect_established_cb, doca_rdma_connect_failure_cb,
                            doca_rdma_disconnect_cb);
    doca_error_t r = context_configurable(&rdma->ctx, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    rdma->cm.on_request = doca_rdma_connect_request_cb;
    rdma->cm.on_established = doca_rdma_connect_established_cb;
    rdma->cm.on_failure = doca_rdma_connect_failure_cb;
    rdma->cm.on_disconnect = doca_rdma_disconnect_cb;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_get_addr(const struct doca_rdma_connection *rdma_connection,
                                           struct doca_rdma_addr **addr)
{
    if (!rdma_connection || !addr)
        return REFUSED_NULL(rdma_connection, addr);
    if (!rdma_connection->used || rdma_connection->call.stage == CM_NONE)
        return refused(__func__, "the connection was not made by an address");
    *addr = (struct doca_rdma_addr *)&rdma_connection->call.addr;
    return DOCA_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The caller's side: it retries until there is a listener, and waits for its answer.

#include "clock.h"
#include "core/refused.h"
#include "rdma_context.h"

#define PAUSE_MIN_MS 2u
#define PAUSE_MAX_MS 64u

void cm_call_later(struct doca_rdma_connection *connection)
{
    struct cm_call *call = &connection->call;

    _Static_assert(PAUSE_MIN_MS << 5 == PAUSE_MAX_MS, "the shift ends there");
    call->stage = CM_CALLING;
    call->again_ms = clock_ms() + (PAUSE_MIN_MS << (call->tries < 5 ? call->tries : 5));
    call->tries++;
}

// DOCA_SUCCESS: it called, or will try again.
static doca_error_t request(struct doca_rdma_connection *connection, struct errtext *err)
{
    connection->call.again_ms = 0;
    return connection->rdma->cm.ops->call(connection, err);
}

void cm_request(struct doca_rdma_connection *connection)
{
    struct errtext err = {""};

    doca_error_t r = request(connection, &err);
    if (r != DOCA_SUCCESS)
        cm_fail(connection, r, err.s);
}

doca_error_t cm_check_transport(const struct doca_rdma *rdma, struct errtext *err)
{
    if (!rdma->set.dc)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                       "the transport is DC, which is connected by doca_rdma_export() and "
                       "doca_rdma_connect()");
}

static doca_error_t check(const struct doca_rdma *rdma, struct errtext *err)
{
    if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the RDMA context does not run");
    if (!rdma->cm.on_established)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the RDMA context has no callbacks for connections; see "
                           "doca_rdma_set_connection_state_callbacks()");
    return cm_check_transport(rdma, err);
}

static doca_error_t call(struct doca_rdma *rdma, const struct doca_rdma_addr *addr,
                         union doca_data user_data, struct errtext *err)
{
    struct doca_rdma_connection *connection;

    doca_error_t r = check(rdma, err);
    if (r == DOCA_SUCCESS)
        r = cm_open(rdma, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (rdma_connection_take(rdma, &connection, err) != DOCA_SUCCESS)
        return DOCA_ERROR_CONNECTION_ABORTED;
    connection->user_data = user_data;
    connection->call.addr = *addr;
    connection->call.here = cm_is_here(addr);
    connection->call.stage = CM_CALLING;
    if (rdma_connection_open(connection, err) != DOCA_SUCCESS ||
        request(connection, err) != DOCA_SUCCESS) {
        rdma_connection_release(connection);
        return DOCA_ERROR_CONNECTION_ABORTED;
    }
    cm_begin_waiting(connection);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connect_to_addr(struct doca_rdma *rdma, struct doca_rdma_addr *addr,
                                       union doca_data connection_user_data)
{
    struct errtext err = {""};

    if (!rdma || !addr)
        return REFUSED_NULL(rdma, addr);
    return report(__func__, call(rdma, addr, connection_user_data, &err), &err);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The listener's side: ports, and the program's answers to calls.

#include "core/refused.h"
#include "rdma_context.h"

#include <stdlib.h>

// ---- ports -------------------------------------------------------------------------------------

static struct cm_listener *find(struct cm *cm, uint16_t port)
{
    struct cm_listener *listener;

    list_for_each (listener, &cm->listeners, link)
        if (listener->port == port)
            return listener;
    return NULL;
}

static doca_error_t check(const struct doca_rdma *rdma, uint16_t port, struct errtext *err)
{
    if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the RDMA context does not run");
    if (!rdma->cm.on_request)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the RDMA context has no callback for requests; see "
                           "doca_rdma_set_connection_state_callbacks()");
    if (!port)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the port must be 1 to 65535");
    if (find((struct cm *)&rdma->cm, port))
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the RDMA context listens to port %u already",
                           port);
    if (rdma->cm.n_listeners == CM_LISTENERS)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the RDMA context listens to %u ports already", CM_LISTENERS);
    return cm_check_transport(rdma, err);
}

static doca_error_t listen_to(struct doca_rdma *rdma, uint16_t port, struct errtext *err)
{
    struct cm *cm = &rdma->cm;

    doca_error_t r = check(rdma, port, err);
    if (r == DOCA_SUCCESS)
        r = cm_open(rdma, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct cm_listener *listener = malloc(sizeof(*listener));
    if (!listener)
        return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED, "out of memory");
    *listener = (struct cm_listener){.port = port, .fd = -1};
    r = cm->ops->listen(rdma, listener, err);
    if (r != DOCA_SUCCESS) {
        free(listener);
        return r == DOCA_ERROR_NOT_SUPPORTED ? r : DOCA_ERROR_CONNECTION_ABORTED;
    }
    list_append(&cm->listeners, &listener->link);
    cm->n_listeners++;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port)
{
    struct errtext err = {""};

    if (!rdma)
        return REFUSED_NULL(rdma);
    return report(__func__, listen_to(rdma, port, &err), &err);
}

void cm_stop_listening(struct doca_rdma *rdma, struct cm_listener *listener)
{
    rdma->cm.ops->stop_listening(rdma, listener);
    list_remove(&listener->link);
    rdma->cm.n_listeners--;
    free(listener);
}

doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port)
{
    struct errtext err;

    if (!rdma)
        return REFUSED_NULL(rdma);
    struct cm_listener *listener = find(&rdma->cm, port);
    if (!listener)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                                  "the RDMA context does not listen to port %u", port),
                      &err);
    cm_stop_listening(rdma, listener);
    return DOCA_SUCCESS;
}

// ---- decisions ---------------------------------------------------------------------------------

static doca_error_t decidable(const struct doca_rdma_connection *connection, struct errtext *err)
{
    const struct cm_call *call = &connection->call;

    if (connection->used && call->stage == CM_REQUESTED && !call->bridged)
        return DOCA_SUCCESS;
    if (connection->used && call->stage == CM_ENDED)
        return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED, "the caller has ended");
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                       "the connection is not a request, or has been decided about");
}

static doca_error_t accept_it(struct doca_rdma_connection *connection, const void *data,
                              size_t size, struct errtext *err)
{
    doca_error_t r = decidable(connection, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (size > CM_PRIVATE_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%zu bytes of private data; RDMA CM carries %u", size, CM_PRIVATE_MAX);
    if (rdma_connection_open(connection, err) != DOCA_SUCCESS)
        return DOCA_ERROR_CONNECTION_ABORTED;
    if (connection->rdma->cm.ops->accept(connection, data, size, err) != DOCA_SUCCESS) {
        cm_release(connection);
        return DOCA_ERROR_CONNECTION_ABORTED;
    }
    connection->call.stage = CM_ACCEPTED;
    cm_begin_waiting(connection);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *rdma_connection,
                                         void *private_data, uint8_t private_data_len)
{
    struct errtext err = {""};

    if (!rdma_connection || (private_data_len && !private_data))
        return REFUSED_NULL(rdma_connection, private_data);
    return report(__func__, accept_it(rdma_connection, private_data, private_data_len, &err), &err);
}

doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *rdma_connection)
{
    struct errtext err;

    if (!rdma_connection)
        return REFUSED_NULL(rdma_connection);
    doca_error_t r = decidable(rdma_connection, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    rdma_connection->rdma->cm.ops->reject(rdma_connection);
    cm_release(rdma_connection);
    return DOCA_SUCCESS;
}

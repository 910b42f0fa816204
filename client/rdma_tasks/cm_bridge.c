// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections of programs that listen with librdmacm themselves, on ibverbs devices: a request that
// has come to the program's event channel becomes a connection. The channel stays the program's,
// and later events of the id arrive there.

#include "core/refused.h"
#include "rdma_context.h"

static doca_error_t check(const struct doca_rdma *rdma, struct errtext *err)
{
    if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the RDMA context does not run");
    if (!rdma->cm.ops->adopt)
        return errtext_set(
            err, DOCA_ERROR_NOT_SUPPORTED, "connections of %s are not made with librdmacm; use %s",
            dev_name(rdma->ctx.device),
            dev_verbs(rdma->ctx.device) ? "doca_rdma_export() and doca_rdma_connect()"
                                        : "doca_rdma_connect_to_addr() and "
                                          "doca_rdma_start_listen_to_port()");
    return cm_check_transport(rdma, err);
}

static doca_error_t prepare(struct doca_rdma *rdma, struct rdma_cm_id *id,
                            struct doca_rdma_connection **out, struct errtext *err)
{
    struct doca_rdma_connection *connection;

    doca_error_t r = check(rdma, err);
    if (r == DOCA_SUCCESS)
        r = rdma->cm.ops->adopt(rdma, id, &connection, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (rdma_connection_open(connection, err) != DOCA_SUCCESS) {
        connection->call.id = NULL; // it stays the program's
        rdma_connection_release(connection);
        return DOCA_ERROR_CONNECTION_ABORTED;
    }
    connection->call.bridged = connection->call.reported = true;
    *out = connection;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
                                                 struct doca_rdma_connection **rdma_connection)
{
    struct errtext err = {""};

    if (!rdma || !cm_id || !rdma_connection)
        return REFUSED_NULL(rdma, cm_id, rdma_connection);
    return report(__func__, prepare(rdma, cm_id, rdma_connection, &err), &err);
}

static bool has_prepared(const struct doca_rdma *rdma,
                         const struct doca_rdma_connection *connection, enum cm_stage stage)
{
    return rdma_has_connection(rdma, connection) && connection->call.bridged &&
           connection->call.stage == stage;
}

// The queue pair takes messages from the other side's answer on.
static doca_error_t accept_it(struct doca_rdma *rdma, const void *data, size_t size,
                              struct doca_rdma_connection *connection, struct errtext *err)
{
    doca_error_t r = check(rdma, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!has_prepared(rdma, connection, CM_REQUESTED))
        return errtext_set(
            err, DOCA_ERROR_INVALID_VALUE,
            "doca_rdma_bridge_prepare_connection() of this RDMA context has not made "
            "the connection, or it has been accepted");
    if (size > CM_PRIVATE_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%zu bytes of private data; RDMA CM carries %u", size, CM_PRIVATE_MAX);
    r = rdma_end_attach(&connection->end, &rdma->ctx.link, err);
    if (r == DOCA_SUCCESS)
        r = rdma->cm.ops->accept(connection, data, size, err);
    // After a failure the program disconnects it: the id may have pending events.
    connection->call.stage = r == DOCA_SUCCESS ? CM_ACCEPTED : CM_ENDED;
    return r == DOCA_SUCCESS ? r : DOCA_ERROR_CONNECTION_ABORTED;
}

doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
                                     uint8_t private_data_len,
                                     struct doca_rdma_connection *rdma_connection)
{
    struct errtext err = {""};

    if (!rdma || !rdma_connection || (private_data_len && !private_data))
        return REFUSED_NULL(rdma, rdma_connection, private_data);
    return report(__func__, accept_it(rdma, private_data, private_data_len, rdma_connection, &err),
                  &err);
}

doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
                                          struct doca_rdma_connection *rdma_connection)
{
    if (!rdma || !rdma_connection)
        return REFUSED_NULL(rdma, rdma_connection);
    // The tables list no other code, whatever its state.
    if (!rdma->cm.ops->adopt)
        return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED,
                          "no connection of the context was made with librdmacm");
    if (!has_prepared(rdma, rdma_connection, CM_ACCEPTED))
        return refused(__func__, "doca_rdma_bridge_accept() has not accepted the connection, or it "
                                 "is established, or has ended");
    rdma_connection->call.stage = CM_ESTABLISHED;
    if (rdma->cm.on_established) {
        rdma_connection->call.stage = CM_READY;
        cm_queue_event(rdma_connection, CM_EVENT_OPEN);
    }
    return DOCA_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections that a program makes with librdmacm. Software functions have none of its ids, and on
// ibverbs devices connections are made out of band.

#include "core/refused.h"
#include "rdma_context.h"

static doca_error_t no_id(const char *function, const struct doca_rdma *rdma)
{
    struct errtext err;

    if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
        return report_why(function, DOCA_ERROR_BAD_STATE, "the RDMA context does not run");
    return report(function,
                  errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED,
                              "connections of %s are not made with librdmacm; use %s",
                              dev_name(rdma->ctx.device),
                              dev_verbs(rdma->ctx.device)
                                  ? "doca_rdma_export() and doca_rdma_connect()"
                                  : "doca_rdma_connect_to_addr() and "
                                    "doca_rdma_start_listen_to_port()"),
                  &err);
}

doca_error_t doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
                                                 struct doca_rdma_connection **rdma_connection)
{
    if (!rdma || !cm_id || !rdma_connection)
        return REFUSED_NULL(rdma, cm_id, rdma_connection);
    return no_id(__func__, rdma);
}

doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
                                     uint8_t private_data_len,
                                     struct doca_rdma_connection *rdma_connection)
{
    if (!rdma || !rdma_connection || (private_data_len && !private_data))
        return REFUSED_NULL(rdma, rdma_connection, private_data);
    return no_id(__func__, rdma);
}

doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
                                          struct doca_rdma_connection *rdma_connection)
{
    if (!rdma || !rdma_connection)
        return REFUSED_NULL(rdma, rdma_connection);
    // The tables name no other code, whatever its state.
    return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED,
                      "no connection of the context was made with librdmacm");
}

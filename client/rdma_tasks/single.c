// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "single.h"

#include "core/refused.h"

// The program may export and connect in its callback for STARTING: RUNNING follows out of progress,
// as doca_ctx_start() has returned DOCA_ERROR_IN_PROGRESS.
static void connected(struct pe_event *event)
{
    struct rdma_single *single = container_of(event, struct rdma_single, connected);

    context_started(&single->rdma->ctx);
}

void rdma_single_stop(struct doca_rdma *rdma)
{
    struct rdma_single *single = rdma->single;

    if (!single)
        return;
    pe_withdraw(rdma->ctx.pe, &single->connected);
    single->connection = NULL; // it is closed with the others
}

doca_error_t rdma_single_create(struct doca_dev *dev, struct doca_rdma **out)
{
    struct doca_rdma *rdma;

    if (!dev || !out)
        return REFUSED_NULL(dev, out);
    struct rdma_single *single = calloc(1, sizeof(*single));
    doca_error_t r = single ? doca_rdma_create(dev, &rdma)
                            : report("doca_rdma_create", DOCA_ERROR_NO_MEMORY, NULL);
    if (r != DOCA_SUCCESS) {
        free(single);
        return r;
    }
    *single = (struct rdma_single){.rdma = rdma, .connected.deliver = connected};
    rdma->single = single;
    *out = rdma;
    return DOCA_SUCCESS;
}

doca_error_t rdma_single_export(struct doca_rdma *rdma, const void **details, size_t *size)
{
    if (!rdma || !details || !size)
        return REFUSED_NULL(rdma, details, size);
    struct doca_rdma_connection *connection = rdma_single_connection(rdma);
    if (!connection) {
        doca_error_t r = doca_rdma_export(rdma, details, size, &connection);
        if (r == DOCA_SUCCESS && rdma->single)
            rdma->single->connection = connection;
        return r;
    }
    // It is the same each time.
    *details = connection->end.details;
    *size = connection->end.details_size;
    return DOCA_SUCCESS;
}

doca_error_t rdma_single_connect(struct doca_rdma *rdma, const void *details, size_t size)
{
    struct errtext err;

    if (!rdma || !details)
        return REFUSED_NULL(rdma, details);
    struct rdma_single *single = rdma->single;
    if (!single || !single->connection)
        return report("doca_rdma_connect",
                      errtext_set(&err, DOCA_ERROR_BAD_STATE,
                                  "call doca_rdma_export() before, with the context started"),
                      &err);
    doca_error_t r = doca_rdma_connect(rdma, details, size, single->connection);
    if (r == DOCA_SUCCESS)
        pe_post(rdma->ctx.pe, &single->connected);
    return r;
}

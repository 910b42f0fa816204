// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections out of band: an end is made when a descriptor of it is exported, and connected by the
// descriptor of the other side.

#include "cleanup.h"
#include "core/refused.h"
#include "rdma_context.h"

// ---- making ------------------------------------------------------------------------------------

// Makes room for one more.
static doca_error_t grow(struct doca_rdma *rdma, struct errtext *err)
{
    size_t size = (rdma->n_made + 1) * sizeof(rdma->connections[0]);
    struct doca_rdma_connection **more = realloc(rdma->connections, size);

    if (more)
        rdma->connections = more;
    struct doca_rdma_connection *made = aligned_alloc(64, (sizeof(*made) + 63) & ~(size_t)63);
    if (!more || !made) {
        free(made);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    }
    *made = (struct doca_rdma_connection){.rdma = rdma, .id = rdma->n_made};
    rdma->connections[rdma->n_made++] = made;
    return DOCA_SUCCESS;
}

static doca_error_t open_end(struct doca_rdma_connection *connection, struct errtext *err)
{
    struct doca_rdma *rdma = connection->rdma;
    struct rdma_end *end = &connection->end;

    rdma_end_init(end);
    end->set = rdma->set;
    end->receives = &rdma->receives;
    end->shares_receives = end->shows_late = true;
    doca_error_t r = rdma_end_open(end, rdma->ctx.device, &rdma_on_shm, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = rdma_end_attach(end, &rdma->ctx.link, err);
    if (r != DOCA_SUCCESS)
        rdma_end_close(end);
    return r;
}

static doca_error_t make(struct doca_rdma *rdma, struct doca_rdma_connection **out,
                         struct errtext *err)
{
    doca_error_t r = DOCA_SUCCESS;

    if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the RDMA context does not run");
    if (rdma->n_used == rdma->max_connections)
        return errtext_set(err, DOCA_ERROR_FULL,
                           "the RDMA context has %u connections already; see "
                           "doca_rdma_set_max_num_connections()",
                           rdma->n_used);
    if (rdma->n_used == rdma->n_made)
        r = grow(rdma, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct doca_rdma_connection *connection = rdma->connections[rdma->n_used];
    if (open_end(connection, err) != DOCA_SUCCESS)
        return DOCA_ERROR_CONNECTION_ABORTED;
    connection->user_data = (union doca_data){0};
    rdma->n_used++;
    *out = connection;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **local_rdma_conn_details,
                              size_t *local_rdma_conn_details_size,
                              struct doca_rdma_connection **rdma_connection)
{
    struct errtext err;

    if (!rdma || !local_rdma_conn_details || !local_rdma_conn_details_size || !rdma_connection)
        return REFUSED_NULL(rdma, local_rdma_conn_details, local_rdma_conn_details_size,
                            rdma_connection);
    doca_error_t r = make(rdma, rdma_connection, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    *local_rdma_conn_details = (*rdma_connection)->end.details;
    *local_rdma_conn_details_size = (*rdma_connection)->end.details_size;
    return DOCA_SUCCESS;
}

static doca_error_t join(struct doca_rdma *rdma, const void *details, size_t size,
                         struct doca_rdma_connection *connection, struct errtext *err)
{
    if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the RDMA context does not run");
    if (!rdma_has_connection(rdma, connection))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the RDMA context has no such connection; stopping it ends them all");
    return rdma_end_connect(&connection->end, details, size, err);
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
                               size_t remote_rdma_conn_details_size,
                               struct doca_rdma_connection *rdma_connection)
{
    struct errtext err = {""};

    if (!rdma || !remote_rdma_conn_details || !rdma_connection)
        return REFUSED_NULL(rdma, remote_rdma_conn_details, rdma_connection);
    return report(
        __func__,
        join(rdma, remote_rdma_conn_details, remote_rdma_conn_details_size, rdma_connection, &err),
        &err);
}

// ---- the end -----------------------------------------------------------------------------------

void rdma_connections_leave(struct doca_rdma *rdma)
{
    for (uint32_t i = 0; i < rdma->n_used; i++)
        rdma_leave(&rdma->connections[i]->end, DOCA_ERROR_SHUTDOWN);
}

void rdma_connections_close(struct doca_rdma *rdma)
{
    while (rdma->n_used) {
        struct rdma_end *end = &rdma->connections[--rdma->n_used]->end;
        rdma_end_detach(end);
        rdma_end_close(end);
    }
}

void rdma_connections_free(struct doca_rdma *rdma)
{
    for (uint32_t i = 0; i < rdma->n_made; i++)
        free(rdma->connections[i]);
    free(rdma->connections);
}

// ---- what a connection has ---------------------------------------------------------------------

doca_error_t doca_rdma_connection_set_user_data(struct doca_rdma_connection *rdma_connection,
                                                union doca_data connection_user_data)
{
    if (!rdma_connection)
        return REFUSED_NULL(rdma_connection);
    rdma_connection->user_data = connection_user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_get_user_data(const struct doca_rdma_connection *rdma_connection,
                                                union doca_data *connection_user_data)
{
    if (!rdma_connection || !connection_user_data)
        return REFUSED_NULL(rdma_connection, connection_user_data);
    *connection_user_data = rdma_connection->user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *rdma_connection,
                                         uint32_t *connection_id)
{
    if (!rdma_connection || !connection_id)
        return REFUSED_NULL(rdma_connection, connection_id);
    *connection_id = rdma_connection->id;
    return DOCA_SUCCESS;
}

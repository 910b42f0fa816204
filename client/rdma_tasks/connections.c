// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections out of band: an end is made when a descriptor of it is exported, and connected by the
// descriptor of the other side.

#include "cleanup.h"
#include "core/refused.h"
#include "rdma/verbs.h"
#include "rdma_context.h"

// ---- making ------------------------------------------------------------------------------------

// Allocates one more connection.
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
    list_append(&rdma->spare, &made->spare);
    return DOCA_SUCCESS;
}

static void on_end(struct rdma_end *end)
{
    cm_end_ended(container_of(end, struct doca_rdma_connection, end));
}

doca_error_t rdma_connection_open(struct doca_rdma_connection *connection, struct errtext *err)
{
    struct doca_rdma *rdma = connection->rdma;
    struct rdma_end *end = &connection->end;

    end->set = rdma->set;
    end->receives = &rdma->receives;
    end->group = &rdma->group;
    end->others = &rdma_event_jobs;
    end->shares_receives = end->shows_late = true;
    end->ended = on_end;
    return rdma_end_open(end, rdma->ctx.device,
                         dev_verbs(rdma->ctx.device) ? &rdma_on_verbs : &rdma_on_shm, err);
}

doca_error_t rdma_connection_take(struct doca_rdma *rdma, struct doca_rdma_connection **out,
                                  struct errtext *err)
{
    if (!rdma_takes_connections(rdma))
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the RDMA context does not run");
    if (rdma->n_used == rdma->max_connections)
        return errtext_set(err, DOCA_ERROR_FULL,
                           "the RDMA context has %u connections already; see "
                           "doca_rdma_set_max_num_connections()",
                           rdma->n_used);
    doca_error_t r = list_empty(&rdma->spare) ? grow(rdma, err) : DOCA_SUCCESS;
    if (r != DOCA_SUCCESS)
        return r;
    struct doca_rdma_connection *connection =
        list_entry(rdma->spare.next, struct doca_rdma_connection, spare);
    list_remove(&connection->spare);
    rdma_end_init(&connection->end);
    connection->user_data = (union doca_data){0};
    connection->call = (struct cm_call){.fd = -1, .event = {.deliver = cm_deliver}};
    list_init(&connection->call.pending);
    connection->used = true;
    connection->ending = false;
    rdma->n_used++;
    *out = connection;
    return DOCA_SUCCESS;
}

void rdma_connection_discount(struct doca_rdma_connection *connection)
{
    connection->rdma->n_used -= !connection->ending;
    connection->ending = true;
}

void rdma_connection_release(struct doca_rdma_connection *connection)
{
    struct rdma_end *end = &connection->end;

    if (end->link)
        rdma_end_detach(end);
    if (rdma_state(end) != RDMA_STATE_RESET)
        rdma_end_close(end);
    if (connection->rdma->cm.ops->drop)
        connection->rdma->cm.ops->drop(connection);
    rdma_connection_discount(connection);
    connection->used = false;
    list_append(&connection->rdma->spare, &connection->spare);
}

static doca_error_t make(struct doca_rdma *rdma, struct doca_rdma_connection **out,
                         struct errtext *err)
{
    struct doca_rdma_connection *connection;

    doca_error_t r = rdma_connection_take(rdma, &connection, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = rdma_connection_open(connection, err);
    if (r == DOCA_SUCCESS)
        r = rdma_end_attach(&connection->end, &rdma->ctx.link, err);
    if (r != DOCA_SUCCESS) {
        rdma_connection_release(connection);
        return DOCA_ERROR_CONNECTION_ABORTED;
    }
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
    if (!rdma_takes_connections(rdma))
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the RDMA context does not run");
    if (!rdma_has_connection(rdma, connection))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the RDMA context has no such connection; stopping it ends them all");
    if (connection->call.stage != CM_NONE)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the connection is made by an address, or has been disconnected");
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
    for (uint32_t i = 0; i < rdma->n_made; i++) {
        struct rdma_end *end = &rdma->connections[i]->end;
        if (!rdma->connections[i]->used)
            continue;
        if (end->link)
            end->transport->leave(end, DOCA_ERROR_SHUTDOWN);
        else if (rdma_state(end) != RDMA_STATE_RESET)
            rdma_end_close(end); // failed; the callback was not called yet
    }
}

void rdma_connections_close(struct doca_rdma *rdma)
{
    for (uint32_t i = 0; i < rdma->n_made; i++)
        if (rdma->connections[i]->used)
            cm_release(rdma->connections[i]);
}

void rdma_connections_free(struct doca_rdma *rdma)
{
    for (uint32_t i = 0; i < rdma->n_made; i++)
        free(rdma->connections[i]);
    free(rdma->connections);
}

// ---- properties of a connection
// ---------------------------------------------------------------------

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

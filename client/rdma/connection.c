// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How an instance is connected, and what it has while it is. Everything runs under the context's
// lock.

#include "cleanup.h"
#include "core/closing.h"
#include "core/refused.h"
#include "rdma.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

// ---- the endpoint ------------------------------------------------------------------------

static void destroy_endpoint(struct doca_rdma *rdma)
{
    Docad__RdmaEndpointDestroy destroy = DOCAD__RDMA_ENDPOINT_DESTROY__INIT;

    destroy.endpoint_id = rdma->endpoint;
    // If docad has gone, the endpoint has gone too.
    session_call(rdma->session, message_of(RDMA_ENDPOINT_DESTROY, rdma_endpoint_destroy, &destroy),
                 NULL, 0, NULL, NULL, NULL);
}

static doca_error_t create_endpoint(struct doca_rdma *rdma, const struct rdma_desc *own,
                                    struct errtext *err)
{
    Docad__RdmaEndpointCreate create = DOCAD__RDMA_ENDPOINT_CREATE__INIT;
    Docad__RdmaVerbs verbs;
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    create.function_id = dev_function(rdma->ctx.device)->id;
    create.permissions = rdma->permissions;
    if (own->has_verbs) {
        rdma_desc_verbs_to_message(own, &verbs);
        create.verbs = &verbs;
    }
    doca_error_t r =
        session_call(rdma->session, message_of(RDMA_ENDPOINT_CREATE, rdma_endpoint_create, &create),
                     NULL, 0, &reply, &fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    const Docad__RdmaEndpointCreateReply *m = reply->rdma_endpoint_create_reply;
    if (reply->body_case != DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE_REPLY || fds.count != 1 ||
        m->state_slot >= rdma->table->slots || m->descriptor.len == 0 ||
        m->descriptor.len > sizeof(rdma->details))
        return errtext_set(err, DOCA_ERROR_UNEXPECTED, "docad's answer is not an RDMA endpoint");
    rdma->endpoint = m->endpoint_id;
    rdma->slot = m->state_slot;
    rdma->details_size = m->descriptor.len;
    memcpy(rdma->details, m->descriptor.data, m->descriptor.len);
    rdma->lifeline = fd_list_take(&fds, 0);
    return DOCA_SUCCESS;
}

static doca_error_t start(struct doca_rdma *rdma, struct errtext *err)
{
    const struct rdma_transport *transport = rdma->transport;
    struct rdma_desc own = {0};

    doca_error_t r = transport->start ? transport->start(rdma, &own, err) : DOCA_SUCCESS;
    if (r != DOCA_SUCCESS)
        return r;
    r = create_endpoint(rdma, &own, err);
    if (r != DOCA_SUCCESS && transport->stop)
        transport->stop(rdma);
    return r;
}

doca_error_t rdma_start(struct doca_ctx *ctx, const struct rdma_transport *transport,
                        struct errtext *err)
{
    struct doca_rdma *rdma = container_of(ctx, struct doca_rdma, ctx);

    rdma->session = session_ref(dev_session(ctx->device));
    rdma->table = session_state_table(rdma->session);
    rdma->transport = transport;
    doca_error_t r = start(rdma, err);
    if (r != DOCA_SUCCESS) {
        rdma->session = session_unref(rdma->session);
        return r == DOCA_ERROR_NOT_SUPPORTED || r == DOCA_ERROR_UNEXPECTED
                   ? r
                   : DOCA_ERROR_INITIALIZATION;
    }
    rdma->broken = rdma->in_message = false;
    rdma->entered = rdma->taken = rdma->filled = rdma->emptied = rdma->received = rdma->copied = 0;
    atomic_store(&rdma->state, DOCA_RDMA_STATE_INIT);
    return DOCA_SUCCESS;
}

void rdma_stop(struct doca_ctx *ctx)
{
    struct doca_rdma *rdma = container_of(ctx, struct doca_rdma, ctx);

    rdma_direct_drop(rdma);
    // A normal end: the other side need not ask docad what has happened to us.
    if (rdma_state(rdma) == DOCA_RDMA_STATE_CONNECTED &&
        atomic_load_explicit(&rdma->pair, memory_order_acquire))
        rdma_tell_end(rdma, RDMA_LEFT);
    if (rdma->transport->stop)
        rdma->transport->stop(rdma);
    rdma_pair_unmap(atomic_exchange(&rdma->pair, NULL));
    rdma->own = rdma->their = NULL;
    destroy_endpoint(rdma);
    closing_socket(&rdma->channel);
    close_fdp(&rdma->lifeline);
    rdma->session = session_unref(rdma->session);
    atomic_store(&rdma->state, DOCA_RDMA_STATE_RESET);
}

// ---- event-driven mode ------------------------------------------------------------------------

static doca_error_t watch(struct doca_rdma *rdma, int fd, struct errtext *err)
{
    struct epoll_event event = {.events = EPOLLIN};

    if (rdma->epoll_fd < 0 || fd < 0)
        return DOCA_SUCCESS;
    if (epoll_ctl(rdma->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 && errno != EEXIST)
        return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM,
                           "cannot wait for an RDMA connection: %s", strerror(errno));
    return DOCA_SUCCESS;
}

// The other side rings from now on. It reads this flag without a fence after its latest
// publication, so give that publication time to arrive.
static void show_mode(struct doca_rdma *rdma)
{
    bool event_driven = rdma->epoll_fd >= 0;

    atomic_store(&rdma->own->event_driven, event_driven);
    if (event_driven)
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

// ---- the work queue -----------------------------------------------------------------------------

doca_error_t rdma_attach(struct work_link *link, struct errtext *err)
{
    struct doca_rdma *rdma = container_of(link->ctx, struct doca_rdma, ctx);
    struct executor *executor = link->executor;

    if (rdma->link)
        return errtext_set(err, DOCA_ERROR_IN_USE,
                           "an RDMA instance has one work queue, and this one has it already");
    rdma->epoll_fd = executor->event_driven ? executor->epoll_fd : -1;
    if (atomic_load(&rdma->state) != DOCA_RDMA_STATE_ERROR) {
        doca_error_t r = watch(rdma, rdma->lifeline, err);
        if (r == DOCA_SUCCESS)
            r = watch(rdma, rdma->channel, err);
        if (r == DOCA_SUCCESS && rdma->transport->wakes)
            r = watch(rdma, rdma->transport->wakes(rdma), err);
        if (r != DOCA_SUCCESS) {
            rdma_forget_descriptors(rdma);
            return r;
        }
    }
    rdma->link = link;
    rdma->n_sends = rdma->n_recvs = 0;
    work_fifo_init(&rdma->posted);
    work_fifo_init(&rdma->stalled);
    work_fifo_init(&rdma->receives);
    link->state = rdma;
    rdma->source = rdma->transport->source;
    executor_add_source(executor, &rdma->source);
    if (atomic_load(&rdma->pair))
        show_mode(rdma);
    return DOCA_SUCCESS;
}

void rdma_detach(struct work_link *link)
{
    struct doca_rdma *rdma = link->state;

    list_remove(&rdma->source.node);
    rdma_forget_descriptors(rdma);
    // This work queue stays attached until now: flushed jobs complete there.
    if (rdma->transport->wakes && link->executor->epoll_fd >= 0)
        epoll_ctl(link->executor->epoll_fd, EPOLL_CTL_DEL, rdma->transport->wakes(rdma), NULL);
    if (atomic_load(&rdma->pair))
        show_mode(rdma);
    rdma->link = NULL;
}

// Jobs that wait for the other side would wait forever.
void rdma_discard(struct work_link *link)
{
    struct doca_rdma *rdma = link->state;

    rdma_leave(rdma); // afterwards everything that is kept is done
    executor_discard(link->executor, link);
}

// ---- connecting -----------------------------------------------------------------------------

static doca_error_t use_connection(struct doca_rdma *rdma, const Docad__RdmaConnectReply *reply,
                                   struct fd_list *fds, struct errtext *err)
{
    int channel = fds->count > 1 ? fds->fds[1] : -1;
    struct rdma_pair_shared *pair =
        reply->side < 2 && channel >= 0 ? rdma_pair_map(fds->fds[0]) : NULL;
    if (!pair)
        return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED,
                           "cannot use the RDMA connection that docad made: %s", strerror(errno));
    doca_error_t r = rdma->link ? watch(rdma, channel, err) : DOCA_SUCCESS;
    if (r != DOCA_SUCCESS) {
        rdma_pair_unmap(pair);
        return r;
    }
    rdma->channel = fd_list_take(fds, 1);
    rdma->remote_permissions = reply->permissions;
    rdma->same_user = reply->same_user;
    rdma->own = &pair->sides[reply->side];
    rdma->their = &pair->sides[1 - reply->side];
    rdma->tx = &pair->lanes[reply->side];
    rdma->rx = &pair->lanes[1 - reply->side];
    if (rdma->link)
        show_mode(rdma);
    // Release: a thread that sees it also sees the rest.
    atomic_store_explicit(&rdma->pair, pair, memory_order_release);
    return DOCA_SUCCESS;
}

static doca_error_t ask_connect(struct doca_rdma *rdma, const void *details, size_t size,
                                struct errtext *err)
{
    Docad__RdmaConnect connect = DOCAD__RDMA_CONNECT__INIT;
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    connect.endpoint_id = rdma->endpoint;
    connect.descriptor = (ProtobufCBinaryData){size, (uint8_t *)details};
    doca_error_t r = session_call(rdma->session, message_of(RDMA_CONNECT, rdma_connect, &connect),
                                  NULL, 0, &reply, &fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (reply->body_case != DOCAD__MESSAGE__BODY_RDMA_CONNECT_REPLY)
        return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED, "docad's answer has the wrong type");
    return use_connection(rdma, reply->rdma_connect_reply, &fds, err);
}

static doca_error_t connect_endpoint(struct doca_rdma *rdma, const void *details, size_t size,
                                     struct errtext *err)
{
    const struct rdma_transport *transport = rdma->transport;
    struct rdma_desc other;

    if (!rdma->ctx.started || atomic_load(&rdma->state) != DOCA_RDMA_STATE_INIT)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the instance is not started, or was connected already; stop and start "
                           "it to connect again");
    doca_error_t r = rdma_desc_decode(details, size, &other, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (!transport->connect == other.has_verbs)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "one of the two devices, %s, is an ibverbs device and the other one is "
                           "not; both sides need the same kind",
                           other.has_verbs ? "the other side's" : "this side's");
    r = ask_connect(rdma, details, size, err);
    bool linked = r == DOCA_SUCCESS;
    // docad does not know the other side's node, or cannot reach it.
    bool out_of_sight =
        r == DOCA_ERROR_NOT_FOUND || r == DOCA_ERROR_DRIVER || r == DOCA_ERROR_NOT_SUPPORTED;
    if (transport->connect && (linked || out_of_sight))
        r = transport->connect(rdma, &other, linked, err);
    if (r == DOCA_SUCCESS) {
        atomic_store(&rdma->state, DOCA_RDMA_STATE_CONNECTED);
        if (linked)
            rdma_tell_here(rdma);
    }
    return r == DOCA_SUCCESS || r == DOCA_ERROR_INVALID_VALUE ? r : DOCA_ERROR_CONNECTION_ABORTED;
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
                               size_t remote_rdma_conn_details_size)
{
    struct errtext err = {""};

    if (!rdma || !remote_rdma_conn_details)
        return REFUSED_NULL(rdma, remote_rdma_conn_details);
    pthread_mutex_lock(&rdma->ctx.lock);
    doca_error_t r =
        connect_endpoint(rdma, remote_rdma_conn_details, remote_rdma_conn_details_size, &err);
    pthread_mutex_unlock(&rdma->ctx.lock);
    return report(__func__, r, &err);
}

doca_error_t doca_rdma_export(const struct doca_rdma *rdma, const void **local_rdma_conn_details,
                              size_t *local_rdma_conn_details_size)
{
    struct doca_rdma *mine = (struct doca_rdma *)rdma; // only to lock it
    struct errtext err;

    if (!rdma || !local_rdma_conn_details || !local_rdma_conn_details_size)
        return REFUSED_NULL(rdma, local_rdma_conn_details, local_rdma_conn_details_size);
    pthread_mutex_lock(&mine->ctx.lock);
    bool started = rdma->ctx.started;
    pthread_mutex_unlock(&mine->ctx.lock);
    if (!started)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_BAD_STATE,
                                  "the instance is not started; call doca_ctx_start() first"),
                      &err);
    *local_rdma_conn_details = rdma->details;
    *local_rdma_conn_details_size = rdma->details_size;
    return DOCA_SUCCESS;
}

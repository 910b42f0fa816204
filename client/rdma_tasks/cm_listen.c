// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The listener's side: ports, calls, and what the program decides about them.

#include "cleanup.h"
#include "core/closing.h"
#include "core/refused.h"
#include "log/own.h"
#include "packet.h"
#include "rdma_context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

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
    if (dev_verbs(rdma->ctx.device))
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "%s is an ibverbs device, on which connections are made out of band; "
                           "see doca_rdma_export()",
                           dev_name(rdma->ctx.device));
    if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the RDMA context does not run");
    if (!rdma->cm.on_request)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the RDMA context has no callbacks for connections; see "
                           "doca_rdma_set_connection_state_callbacks()");
    if (!port)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the port must be 1 to 65535");
    if (find((struct cm *)&rdma->cm, port))
        return errtext_set(err, DOCA_ERROR_BAD_STATE, "the RDMA context listens to port %u already",
                           port);
    if (rdma->cm.n_listeners == CM_LISTENERS)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the RDMA context listens to %u ports already", CM_LISTENERS);
    return DOCA_SUCCESS;
}

static doca_error_t ask(const struct doca_rdma *rdma, uint16_t port, uint64_t *id,
                        struct fd_list *fds, struct errtext *err)
{
    Docad__RdmaListen m = DOCAD__RDMA_LISTEN__INIT;
    cleanup_message Docad__Message *reply = NULL;

    m.function_id = dev_function(rdma->ctx.device)->id;
    m.port = port;
    doca_error_t r =
        session_call(dev_session(rdma->ctx.device), message_of(RDMA_LISTEN, rdma_listen, &m), NULL,
                     0, &reply, fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (reply->body_case != DOCAD__MESSAGE__BODY_RDMA_LISTEN_REPLY || fds->count != 1)
        return errtext_set(err, DOCA_ERROR_UNEXPECTED, "docad's answer is not a listener");
    *id = reply->rdma_listen_reply->listener_id;
    return DOCA_SUCCESS;
}

static doca_error_t listen_to(struct doca_rdma *rdma, uint16_t port, struct errtext *err)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    struct cm *cm = &rdma->cm;

    doca_error_t r = check(rdma, port, err);
    if (r == DOCA_SUCCESS)
        r = cm_open(rdma, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct cm_listener *listener = malloc(sizeof(*listener));
    if (!listener)
        return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED, "out of memory");
    *listener = (struct cm_listener){.port = port};
    r = ask(rdma, port, &listener->id, &fds, err);
    if (r != DOCA_SUCCESS) {
        free(listener);
        return r == DOCA_ERROR_NOT_SUPPORTED ? r : DOCA_ERROR_CONNECTION_ABORTED;
    }
    listener->fd = fd_list_take(&fds, 0);
    list_append(&cm->listeners, &listener->link);
    cm->n_listeners++;
    r = cm_watch(cm, listener->fd, listener, err);
    if (r != DOCA_SUCCESS)
        cm_stop_listening(rdma, listener);
    return r;
}

doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port)
{
    struct errtext err = {""};

    if (!rdma)
        return REFUSED_NULL(rdma);
    return report(__func__, listen_to(rdma, port, &err), &err);
}

// Calls that wait in the socket find their listener gone.
void cm_stop_listening(struct doca_rdma *rdma, struct cm_listener *listener)
{
    Docad__RdmaListenEnd m = DOCAD__RDMA_LISTEN_END__INIT;

    m.listener_id = listener->id;
    // If docad has gone, the listener has gone too.
    session_call(dev_session(rdma->ctx.device), message_of(RDMA_LISTEN_END, rdma_listen_end, &m),
                 NULL, 0, NULL, NULL, NULL);
    cm_close_fd(&rdma->cm, &listener->fd);
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

// ---- calls -------------------------------------------------------------------------------------

// A connection for the program to decide about.
static doca_error_t request(struct doca_rdma *rdma, const struct cm_listener *listener,
                            const Docad__RdmaOffer *offer, struct fd_list *fds, struct errtext *err)
{
    struct doca_rdma_connection *connection;

    if (fds->count != 1 || offer->descriptor.len > sizeof(connection->call.other))
        return errtext_set(err, DOCA_ERROR_UNEXPECTED, "docad's offer is not a call");
    doca_error_t r = rdma_connection_take(rdma, &connection, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct cm_call *call = &connection->call;
    memcpy(call->other, offer->descriptor.data, offer->descriptor.len);
    call->other_size = offer->descriptor.len;
    cm_addr_set(&call->addr, offer->address.data, offer->address.len);
    call->addr.port = listener->port;
    call->stage = CM_REQUESTED;
    r = cm_watch(&rdma->cm, fds->fds[0], connection, err);
    if (r != DOCA_SUCCESS) {
        rdma_connection_release(connection);
        return r;
    }
    call->fd = fd_list_take(fds, 0);
    cm_tell(connection, CM_NEWS_REQUEST);
    return DOCA_SUCCESS;
}

static void turn_away(const struct doca_rdma *rdma, const struct cm_listener *listener,
                      const struct fd_list *fds, const struct errtext *why)
{
    Docad__RdmaCallMessage m = DOCAD__RDMA_CALL_MESSAGE__INIT;
    uint8_t packed[16];

    log_own_warning("RDMA on %s: a call at port %u is turned away: %s", dev_name(rdma->ctx.device),
                    listener->port, why->s);
    m.kind = DOCAD__RDMA_CALL_MESSAGE__KIND__REJECT;
    size_t size = docad__rdma_call_message__pack(&m, packed);
    if (fds->count == 1 && send(fds->fds[0], packed, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return; // the caller has gone
}

static void ended(struct doca_rdma *rdma, struct cm_listener *listener)
{
    log_own_warning("RDMA on %s: docad has ended the listener at port %u",
                    dev_name(rdma->ctx.device), listener->port);
    cm_close_fd(&rdma->cm, &listener->fd);
}

// True if there may be more.
static bool take_call(struct doca_rdma *rdma, struct cm_listener *listener)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    struct errtext err = {""};
    uint8_t packed[512];

    ssize_t n = packet_recv(listener->fd, packed, sizeof(packed), &fds, MSG_DONTWAIT);
    if (n == -EAGAIN || n == -EINTR)
        return false;
    if (n <= 0) {
        ended(rdma, listener);
        return false;
    }
    Docad__RdmaOffer *offer = docad__rdma_offer__unpack(NULL, (size_t)n, packed);
    if (!offer || request(rdma, listener, offer, &fds, &err) != DOCA_SUCCESS)
        turn_away(rdma, listener, &fds, &err);
    if (offer)
        docad__rdma_offer__free_unpacked(offer, NULL);
    return true;
}

void cm_take_calls(struct doca_rdma *rdma, struct cm_listener *listener)
{
    while (listener->fd >= 0 && take_call(rdma, listener))
        ;
}

// ---- decisions ---------------------------------------------------------------------------------

static doca_error_t decidable(const struct doca_rdma_connection *connection, struct errtext *err)
{
    const struct cm_call *call = &connection->call;

    if (connection->used && call->stage == CM_REQUESTED)
        return DOCA_SUCCESS;
    if (connection->used && call->stage == CM_ENDED)
        return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED, "the caller has gone");
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
    const struct cm_call *call = &connection->call;
    if (rdma_end_connect(&connection->end, call->other, call->other_size, err) != DOCA_SUCCESS) {
        cm_forget(connection);
        return DOCA_ERROR_CONNECTION_ABORTED;
    }
    if (!cm_say(connection, DOCAD__RDMA_CALL_MESSAGE__KIND__ACCEPT, data, size)) {
        errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED, "the caller has gone");
        cm_forget(connection);
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
    (void)cm_say(rdma_connection, DOCAD__RDMA_CALL_MESSAGE__KIND__REJECT, NULL, 0);
    cm_forget(rdma_connection);
    return DOCA_SUCCESS;
}

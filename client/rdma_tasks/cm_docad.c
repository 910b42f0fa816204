// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections by address on software functions: ports and calls that docad passes on, and the
// messages of a call, of both sides.

#include "bytes_only.h"
#include "cleanup.h"
#include "core/closing.h"
#include "core/connection.h"
#include "log/own.h"
#include "packet.h"
#include "rdma_context.h"
#include "unpack.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

// ---- messages ------------------------------------------------------------------------------

static bool send_message(struct doca_rdma_connection *connection, Docad__RdmaCallMessage__Kind kind,
                         const void *private_data, size_t size)
{
    Docad__RdmaCallMessage m = DOCAD__RDMA_CALL_MESSAGE__INIT;
    uint8_t packed[RDMA_DESC_SIZE_MAX + CM_PRIVATE_MAX + 32];

    m.kind = kind;
    if (kind == DOCAD__RDMA_CALL_MESSAGE__KIND__ACCEPT) {
        m.descriptor = (ProtobufCBinaryData){connection->end.details_size, connection->end.details};
        m.private_data = (ProtobufCBinaryData){size, (uint8_t *)private_data};
    }
    size_t n = docad__rdma_call_message__pack(&m, packed);
    return send(connection->call.fd, packed, n, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)n;
}

// Receives a message. NULL: there is none (errno is EAGAIN), the other side has closed the call or
// sent an invalid message (EPROTO), or memory has run out (ENOMEM), and the message is lost.
static Docad__RdmaCallMessage *receive(int fd)
{
    uint8_t packed[RDMA_DESC_SIZE_MAX + CM_PRIVATE_MAX + 32];
    struct unpack_memory memory;

    errno = 0;
    ssize_t n = bytes_recv(fd, packed, sizeof(packed), MSG_DONTWAIT);
    if (n <= 0)
        return NULL;
    unpack_memory_init(&memory);
    Docad__RdmaCallMessage *m =
        docad__rdma_call_message__unpack(&memory.allocator, (size_t)n, packed);
    errno = memory.ran_out ? ENOMEM : EPROTO;
    return m;
}

static void free_message(Docad__RdmaCallMessage **m)
{
    if (*m)
        docad__rdma_call_message__free_unpacked(*m, NULL);
}

// Neither side may send anything else, and each message only once.
static bool expected(const struct cm_call *call, const Docad__RdmaCallMessage *m)
{
    if (call->stage == CM_ACCEPTED)
        return m->kind == DOCAD__RDMA_CALL_MESSAGE__KIND__READY;
    return call->stage == CM_CALLED && (m->kind == DOCAD__RDMA_CALL_MESSAGE__KIND__REJECT ||
                                        m->kind == DOCAD__RDMA_CALL_MESSAGE__KIND__ACCEPT);
}

static void answered(struct doca_rdma_connection *connection, const Docad__RdmaCallMessage *m)
{
    struct cm_call *call = &connection->call;

    if (m->kind == DOCAD__RDMA_CALL_MESSAGE__KIND__REJECT) {
        cm_fail(connection, DOCA_ERROR_CONNECTION_ABORTED, "the listener has rejected it");
        return;
    }
    if (m->descriptor.len > sizeof(call->other) || m->private_data.len > CM_PRIVATE_MAX) {
        cm_fail(connection, DOCA_ERROR_CONNECTION_ABORTED, "the listener's answer is not valid");
        return;
    }
    memcpy(call->other, m->descriptor.data, m->descriptor.len);
    call->other_size = m->descriptor.len;
    call->stage = CM_ANSWERED;
    cm_queue_event(connection, CM_EVENT_OPEN);
}

void cm_receive(struct doca_rdma_connection *connection)
{
    struct cm_call *call = &connection->call;

    if (call->stage == CM_ANSWERED || call->stage == CM_READY)
        return; // the caller may have closed the call
    cleanup(free_message) Docad__RdmaCallMessage *m = receive(call->fd);

    if (!m && (errno == EAGAIN || errno == EINTR))
        return;
    if (!m && errno == ENOMEM) {
        cm_fail(connection, DOCA_ERROR_NO_MEMORY,
                "out of memory: a message of the other side is lost");
    } else if (!m && errno != EPROTO) {
        cm_fail(connection, DOCA_ERROR_CONNECTION_RESET,
                "the other side has ended, or has given up");
    } else if (!m || !expected(call, m)) {
        cm_fail(connection, DOCA_ERROR_CONNECTION_ABORTED, "the other side breaks the rules");
    } else if (call->stage == CM_ACCEPTED) {
        call->stage = CM_READY;
        cm_queue_event(connection, CM_EVENT_OPEN);
    } else {
        answered(connection, m);
    }
}

// ---- the caller --------------------------------------------------------------------------------

static doca_error_t request_listener(struct doca_rdma_connection *connection, struct fd_list *fds,
                                     struct errtext *err)
{
    struct cm_call *call = &connection->call;
    Docad__RdmaCall m = DOCAD__RDMA_CALL__INIT;

    m.endpoint_id = connection->end.endpoint;
    m.port = call->addr.port;
    if (!call->here)
        m.address = (ProtobufCBinaryData){sizeof(call->addr.bytes), call->addr.bytes};
    doca_error_t r = session_call(connection->end.session, message_of(RDMA_CALL, rdma_call, &m),
                                  NULL, 0, NULL, fds, err);
    if (r == DOCA_SUCCESS && fds->count != 1)
        return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED, "docad's answer is not a call");
    return r;
}

static doca_error_t call_listener(struct doca_rdma_connection *connection, struct errtext *err)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    struct cm_call *call = &connection->call;

    doca_error_t r = request_listener(connection, &fds, err);
    if (r == DOCA_ERROR_NOT_FOUND || r == DOCA_ERROR_AGAIN) {
        cm_call_later(connection);
        return DOCA_SUCCESS;
    }
    if (r == DOCA_SUCCESS)
        r = cm_watch(&connection->rdma->cm, fds.fds[0], connection, err);
    if (r != DOCA_SUCCESS)
        return r;
    call->fd = fd_list_take(&fds, 0);
    call->stage = CM_CALLED;
    return DOCA_SUCCESS;
}

static doca_error_t finish_call(struct doca_rdma_connection *connection, struct errtext *err)
{
    const struct cm_call *call = &connection->call;

    doca_error_t r = rdma_end_connect(&connection->end, call->other, call->other_size, err);
    if (r == DOCA_SUCCESS &&
        !send_message(connection, DOCAD__RDMA_CALL_MESSAGE__KIND__READY, NULL, 0))
        r = errtext_set(err, DOCA_ERROR_CONNECTION_RESET, "the listener has ended");
    return r;
}

// ---- the listener ------------------------------------------------------------------------------

static doca_error_t request_port(const struct doca_rdma *rdma, uint16_t port, uint64_t *id,
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

static void end_port(struct doca_rdma *rdma, uint64_t id)
{
    Docad__RdmaListenEnd m = DOCAD__RDMA_LISTEN_END__INIT;

    m.listener_id = id;
    // If docad has ended, the listener has ended, too.
    session_call(dev_session(rdma->ctx.device), message_of(RDMA_LISTEN_END, rdma_listen_end, &m),
                 NULL, 0, NULL, NULL, NULL);
}

static doca_error_t listen_to(struct doca_rdma *rdma, struct cm_listener *listener,
                              struct errtext *err)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    doca_error_t r = request_port(rdma, listener->port, &listener->id, &fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = cm_watch(&rdma->cm, fds.fds[0], listener, err);
    if (r == DOCA_SUCCESS)
        listener->fd = fd_list_take(&fds, 0);
    else
        end_port(rdma, listener->id);
    return r;
}

// Calls that wait in the socket find that their listener has ended.
static void stop_listening(struct doca_rdma *rdma, struct cm_listener *listener)
{
    end_port(rdma, listener->id);
    cm_close_fd(&rdma->cm, &listener->fd);
}

// Passes the program a connection that it has to accept or reject.
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
    cm_queue_event(connection, CM_EVENT_REQUEST);
    return DOCA_SUCCESS;
}

static void reject(const struct doca_rdma *rdma, const struct cm_listener *listener,
                   const struct fd_list *fds, const struct errtext *why)
{
    Docad__RdmaCallMessage m = DOCAD__RDMA_CALL_MESSAGE__INIT;
    uint8_t packed[16];

    log_own_warning("RDMA on %s: a call at port %u is rejected: %s", dev_name(rdma->ctx.device),
                    listener->port, why->s);
    m.kind = DOCAD__RDMA_CALL_MESSAGE__KIND__REJECT;
    size_t size = docad__rdma_call_message__pack(&m, packed);
    if (fds->count == 1 && send(fds->fds[0], packed, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return; // the caller has closed the call
}

static void ended(struct doca_rdma *rdma, struct cm_listener *listener)
{
    log_own_warning("RDMA on %s: docad has ended the listener at port %u",
                    dev_name(rdma->ctx.device), listener->port);
    cm_close_fd(&rdma->cm, &listener->fd);
}

static Docad__RdmaOffer *read_offer(const uint8_t *packed, size_t size, struct errtext *err)
{
    struct unpack_memory memory;

    unpack_memory_init(&memory);
    Docad__RdmaOffer *offer = docad__rdma_offer__unpack(&memory.allocator, size, packed);
    if (!offer && memory.ran_out)
        (void)errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    else if (!offer)
        (void)errtext_set(err, DOCA_ERROR_UNEXPECTED, "docad's offer is not valid");
    return offer;
}

// Returns true if there may be more.
static bool take_call(struct doca_rdma *rdma, struct cm_listener *listener)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    struct errtext err = {""};
    uint8_t packed[512];

    ssize_t n = packet_recv(listener->fd, packed, sizeof(packed), &fds, MSG_DONTWAIT);
    if (n == -EAGAIN || n == -EINTR)
        return false;
    if (n == -EBADMSG) { // its descriptor is lost, by which the caller gets the end
        log_own_warning("RDMA on %s: a call at port %u is lost: " NO_DESCRIPTOR_LEFT,
                        dev_name(rdma->ctx.device), listener->port);
        return true;
    }
    if (n <= 0) {
        ended(rdma, listener);
        return false;
    }
    Docad__RdmaOffer *offer = read_offer(packed, (size_t)n, &err);
    if (!offer || request(rdma, listener, offer, &fds, &err) != DOCA_SUCCESS)
        reject(rdma, listener, &fds, &err);
    if (offer)
        docad__rdma_offer__free_unpacked(offer, NULL);
    return true;
}

void cm_take_calls(struct doca_rdma *rdma, struct cm_listener *listener)
{
    while (listener->fd >= 0 && take_call(rdma, listener))
        ;
}

static doca_error_t accept_call(struct doca_rdma_connection *connection, const void *data,
                                size_t size, struct errtext *err)
{
    const struct cm_call *call = &connection->call;

    doca_error_t r = rdma_end_connect(&connection->end, call->other, call->other_size, err);
    if (r == DOCA_SUCCESS &&
        !send_message(connection, DOCAD__RDMA_CALL_MESSAGE__KIND__ACCEPT, data, size))
        r = errtext_set(err, DOCA_ERROR_CONNECTION_RESET, "the caller has ended");
    return r;
}

static void reject_call(struct doca_rdma_connection *connection)
{
    (void)send_message(connection, DOCAD__RDMA_CALL_MESSAGE__KIND__REJECT, NULL, 0);
}

const struct cm_ops cm_by_docad = {
    .call = call_listener,
    .finish_call = finish_call,
    .listen = listen_to,
    .stop_listening = stop_listening,
    .accept = accept_call,
    .reject = reject_call,
};

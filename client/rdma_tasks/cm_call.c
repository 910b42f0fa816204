// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The caller's side: it looks for a listener until there is one, and waits for its answer. And what
// is said over a call, by both sides.

#include "bytes_only.h"
#include "cleanup.h"
#include "clock.h"
#include "core/refused.h"
#include "rdma_context.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define PAUSE_MIN_MS 2u
#define PAUSE_MAX_MS 64u

// ---- looking for a listener --------------------------------------------------------------------

static doca_error_t ask(struct doca_rdma_connection *connection, struct fd_list *fds,
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

static void wait_for_listener(struct cm_call *call)
{
    _Static_assert(PAUSE_MIN_MS << 5 == PAUSE_MAX_MS, "the shift ends there");
    call->again_ms = clock_ms() + (PAUSE_MIN_MS << (call->tries < 5 ? call->tries : 5));
    call->tries++;
}

// DOCA_SUCCESS: it called, or will try again.
static doca_error_t knock(struct doca_rdma_connection *connection, struct errtext *err)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    struct cm_call *call = &connection->call;

    doca_error_t r = ask(connection, &fds, err);
    if (r == DOCA_ERROR_NOT_FOUND || r == DOCA_ERROR_AGAIN) {
        wait_for_listener(call);
        return DOCA_SUCCESS;
    }
    call->again_ms = 0;
    if (r == DOCA_SUCCESS)
        r = cm_watch(&connection->rdma->cm, fds.fds[0], connection, err);
    if (r != DOCA_SUCCESS)
        return r;
    call->fd = fd_list_take(&fds, 0);
    call->stage = CM_CALLED;
    return DOCA_SUCCESS;
}

void cm_knock(struct doca_rdma_connection *connection)
{
    struct errtext err = {""};

    doca_error_t r = knock(connection, &err);
    if (r != DOCA_SUCCESS)
        cm_fail(connection, r, err.s);
}

static doca_error_t check(const struct doca_rdma *rdma, struct errtext *err)
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
    return DOCA_SUCCESS;
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
    connection->call.addr.of_connection = true;
    connection->call.here = cm_is_here(addr);
    connection->call.stage = CM_CALLING;
    if (rdma_connection_open(connection, err) != DOCA_SUCCESS ||
        knock(connection, err) != DOCA_SUCCESS) {
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

// ---- what is said ------------------------------------------------------------------------------

bool cm_say(struct doca_rdma_connection *connection, Docad__RdmaCallMessage__Kind kind,
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

// NULL: nothing was said (errno is EAGAIN), the other side has hung up, or says nonsense.
static Docad__RdmaCallMessage *hear(int fd)
{
    uint8_t packed[RDMA_DESC_SIZE_MAX + CM_PRIVATE_MAX + 32];

    errno = 0;
    ssize_t n = bytes_recv(fd, packed, sizeof(packed), MSG_DONTWAIT);
    if (n <= 0)
        return NULL;
    Docad__RdmaCallMessage *m = docad__rdma_call_message__unpack(NULL, (size_t)n, packed);
    errno = EPROTO;
    return m;
}

static void free_message(Docad__RdmaCallMessage **m)
{
    if (*m)
        docad__rdma_call_message__free_unpacked(*m, NULL);
}

// Neither side may say anything else, and each only once.
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
    cm_tell(connection, CM_NEWS_OPEN);
}

void cm_heard(struct doca_rdma_connection *connection)
{
    struct cm_call *call = &connection->call;

    if (call->stage == CM_ANSWERED || call->stage == CM_READY)
        return; // the caller may have hung up by now
    cleanup(free_message) Docad__RdmaCallMessage *m = hear(call->fd);

    if (!m && (errno == EAGAIN || errno == EINTR))
        return;
    if (!m && errno != EPROTO) {
        cm_fail(connection, DOCA_ERROR_CONNECTION_RESET,
                "the other side has gone, or has given up");
    } else if (!m || !expected(call, m)) {
        cm_fail(connection, DOCA_ERROR_CONNECTION_ABORTED, "the other side breaks the rules");
    } else if (call->stage == CM_ACCEPTED) {
        call->stage = CM_READY;
        cm_tell(connection, CM_NEWS_OPEN);
    } else {
        answered(connection, m);
    }
}

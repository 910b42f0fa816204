// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/connection.h"

#include "cleanup.h"
#include "controls.h"
#include "server_user.h"
#include "socket_access.h"

#include <string.h>

#define ADVICE_SIZE    400
#define HELLO_RETRY_MS 2000

static doca_error_t no_answer(const char *path, int error, struct errtext *err)
{
    char advice[ADVICE_SIZE] = "start docad, or set DOCAD_SOCKET to the socket of the one to use";
    if (error == EACCES || error == EPERM)
        socket_access_advice(path, advice, sizeof(advice));
    return errtext_set(err, DOCA_ERROR_NOT_CONNECTED, "no docad answers at %s: %s; %s", path,
                       strerror(error), advice);
}

static doca_error_t is_other_user(const struct connection *c, struct errtext *err)
{
    unsigned uid = (unsigned)c->line.server;
    return errtext_set(err, DOCA_ERROR_NOT_CONNECTED,
                       "the process that listens at %s runs as user %u, which is neither root nor "
                       "docad nor this program's user, and gets nothing of this program; if it is "
                       "a docad that you trust, set " SERVER_USER_ENV "=%u",
                       c->path, uid, uid);
}

static doca_error_t has_ended(const struct connection *c, const char *why, struct errtext *err)
{
    return errtext_set(
        err, DOCA_ERROR_NOT_CONNECTED,
        "docad at %s has ended (%s); everything that it held for this process is lost: "
        "begin again with the list of devices once docad runs",
        c->path, why);
}

static doca_error_t too_slow(const struct connection *c, int64_t timeout_ms, struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_TIME_OUT,
                       "docad at %s did not answer within %lld ms; see its log, or restart it",
                       c->path, (long long)timeout_ms);
}

static doca_error_t failed(const struct connection *c, enum call_end end, int64_t timeout_ms,
                           struct errtext *err)
{
    int error = c->line.error;

    switch (end) {
    case CALL_NO_SOCKET:
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot make a socket for docad: %s",
                           strerror(error));
    case CALL_UNREACHABLE:
        return no_answer(c->path, error, err);
    case CALL_OTHER_USER:
        return is_other_user(c, err);
    case CALL_NOT_SENT:
        if (error == ENOMEM)
            return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the request is longer than %d bytes",
                           PACKET_SIZE_MAX);
    case CALL_UNREAD:
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory for the answer of docad");
    case CALL_TIMED_OUT:
        return too_slow(c, timeout_ms, err);
    case CALL_FOREIGN:
        return has_ended(c, "its answer does not belong to the protocol", err);
    default:
        return has_ended(c, error ? strerror(error) : "it closed the connection", err);
    }
}

static doca_error_t refused(const Docad__Error *error, struct errtext *err)
{
    bool known = error->code != DOCA_SUCCESS && error->code <= DOCA_ERROR_IN_PROGRESS;
    controls_replace(error->text, 0);
    return errtext_set(err, known ? (doca_error_t)error->code : DOCA_ERROR_UNEXPECTED, "%s",
                       error->text[0] ? error->text : "docad refused without giving a reason");
}

static doca_error_t check_hello(const struct connection *c, const Docad__Message *answer,
                                struct errtext *err)
{
    const Docad__HelloReply *h = answer->hello_reply;
    if (answer->body_case == DOCAD__MESSAGE__BODY_ERROR)
        return refused(answer->error, err);
    if (answer->body_case != DOCAD__MESSAGE__BODY_HELLO_REPLY || h->node.len != NODE_ID_SIZE ||
        h->version < PROTOCOL_VERSION_MIN || h->version > PROTOCOL_VERSION_MAX)
        return errtext_set(err, DOCA_ERROR_UNSUPPORTED_VERSION,
                           "what answers at %s does not speak this library's protocol; install "
                           "docad and libdoca-client of the same release",
                           c->path);
    return DOCA_SUCCESS;
}

doca_error_t connection_open(struct connection *c, bool tool, Docad__Message **hello,
                             struct fd_list *fds, struct errtext *err)
{
    cleanup_message Docad__Message *answer = NULL;

    c->line = (struct call_line){.sock = -1};
    if (!socket_path_for_client(c->path))
        return errtext_set(err, DOCA_ERROR_NOT_CONNECTED,
                           "the path of docad's socket is longer than %zu bytes; set DOCAD_SOCKET "
                           "to a shorter one",
                           SOCKET_PATH_MAX - 1);
    enum call_end end =
        call_open(&c->line, c->path, tool, CONNECTION_TIMEOUT_MS, HELLO_RETRY_MS, &answer, fds);
    if (end != CALL_DONE)
        return failed(c, end, CONNECTION_TIMEOUT_MS, err);
    doca_error_t e = check_hello(c, answer, err);
    if (e != DOCA_SUCCESS) {
        fd_list_close(fds);
        call_close(&c->line);
        return e;
    }
    c->line.keeps_room = true;
    *hello = steal_ptr(answer);
    return DOCA_SUCCESS;
}

void connection_close(struct connection *c)
{
    call_close(&c->line);
}

doca_error_t connection_call(struct connection *c, Docad__Message *request, const int *send_fds,
                             size_t n_send_fds, int64_t timeout_ms, Docad__Message **reply,
                             struct fd_list *fds, bool *broken, struct errtext *err)
{
    cleanup_message Docad__Message *answer = NULL;
    cleanup_fdlist struct fd_list answer_fds = FD_LIST_EMPTY;

    if (fds && !packet_has_room())
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "docad was not asked for this: " NO_DESCRIPTOR_LEFT);
    enum call_end end =
        call_exchange(&c->line, request, send_fds, n_send_fds, timeout_ms, &answer, &answer_fds);
    if (end != CALL_DONE) {
        if (end != CALL_NOT_SENT)
            *broken = true;
        return failed(c, end, timeout_ms, err);
    }
    if (answer->body_case == DOCAD__MESSAGE__BODY_ERROR)
        return refused(answer->error, err);
    if (reply)
        *reply = steal_ptr(answer);
    if (fds) {
        *fds = answer_fds;
        answer_fds.count = 0;
    }
    return DOCA_SUCCESS;
}

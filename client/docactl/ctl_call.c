// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "ctl_call.h"

#include "cleanup.h"
#include "copy_text.h"
#include "server_user.h"
#include "socket_access.h"
#include "socket_path.h"

#include <errno.h>
#include <string.h>

#define ADVICE_SIZE 400

// The most pages of one list, some millions of objects. A server that is not docad might send pages
// without end.
#define LIST_BYTES_MAX (256u << 20)
#define PAGE_BYTES     1024 // that a page counts for at least

_Static_assert(sizeof(((struct ctl *)0)->socket_path) >= SOCKET_PATH_MAX, "room for any socket");

enum outcome ctl_foreign(struct ctl *ctl)
{
    return ctl_fail(ctl, OUTCOME_NO_DAEMON, DOCA_ERROR_UNEXPECTED,
                    "what answers on %s does not speak docad's protocol", ctl->socket_path);
}

static enum outcome lost(struct ctl *ctl, int error)
{
    ctl->left = error == 0;
    return ctl_fail(ctl, OUTCOME_NO_DAEMON, DOCA_ERROR_NOT_CONNECTED,
                    "docad on %s closed the connection%s%s: its log says why", ctl->socket_path,
                    error ? ": " : "", error ? strerror(error) : "");
}

static enum outcome silent(struct ctl *ctl, uint64_t ms)
{
    return ctl_fail(ctl, OUTCOME_TIMED_OUT, DOCA_ERROR_TIME_OUT,
                    "docad on %s did not answer within %.3g s: it may be stopped or overloaded "
                    "(--timeout waits longer)",
                    ctl->socket_path, (double)ms / 1000);
}

static enum outcome unreachable(struct ctl *ctl, int error)
{
    char advice[ADVICE_SIZE];
    if (error != EACCES && error != EPERM)
        return ctl_fail(ctl, OUTCOME_NO_DAEMON, DOCA_ERROR_NOT_CONNECTED,
                        "no docad answers on %s (%s): start one, or name its socket with "
                        "--socket or DOCAD_SOCKET",
                        ctl->socket_path, strerror(error));
    socket_access_advice(ctl->socket_path, advice, sizeof(advice));
    return ctl_fail(ctl, OUTCOME_NO_DAEMON, DOCA_ERROR_NOT_CONNECTED,
                    "no access to docad's socket %s (%s): %s", ctl->socket_path, strerror(error),
                    advice);
}

static enum outcome other_user(struct ctl *ctl)
{
    unsigned uid = (unsigned)ctl->line.server;
    return ctl_fail(ctl, OUTCOME_NO_DAEMON, DOCA_ERROR_NOT_CONNECTED,
                    "the process that listens on %s runs as user %u, which is neither root nor "
                    "docad nor you; if it is a docad that you trust, set " SERVER_USER_ENV "=%u",
                    ctl->socket_path, uid, uid);
}

static enum outcome failed(struct ctl *ctl, enum call_end end, uint64_t limit_ms)
{
    int error = ctl->line.error;

    switch (end) {
    case CALL_NO_SOCKET:
        return ctl_fail(ctl, OUTCOME_NO_DAEMON, DOCA_ERROR_OPERATING_SYSTEM,
                        "cannot make a socket: %s", strerror(error));
    case CALL_UNREACHABLE:
        return unreachable(ctl, error);
    case CALL_OTHER_USER:
        return other_user(ctl);
    case CALL_NOT_SENT:
    case CALL_UNREAD:
        if (error == ENOMEM)
            return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NO_MEMORY, "out of memory");
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_INVALID_VALUE,
                        "the request is larger than the largest message");
    case CALL_TIMED_OUT:
        return silent(ctl, limit_ms);
    case CALL_FOREIGN:
        return ctl_foreign(ctl);
    default:
        return lost(ctl, error);
    }
}

static enum outcome refused(struct ctl *ctl, const Docad__Error *error)
{
    doca_error_t code = error->code ? (doca_error_t)error->code : DOCA_ERROR_UNKNOWN;
    const char *text = error->text && *error->text ? error->text : doca_get_error_string(code);
    return ctl_fail(ctl, code == DOCA_ERROR_TIME_OUT ? OUTCOME_TIMED_OUT : OUTCOME_REFUSED, code,
                    "%s", text);
}

static enum outcome take_answer(struct ctl *ctl, Docad__Message **answer,
                                Docad__Message__BodyCase kind, Docad__Message **reply)
{
    if ((*answer)->body_case == DOCAD__MESSAGE__BODY_ERROR)
        return refused(ctl, (*answer)->error);
    if ((*answer)->body_case != kind)
        return ctl_foreign(ctl);
    *reply = steal_ptr(*answer);
    return OUTCOME_DONE;
}

static enum outcome exchange(struct ctl *ctl, Docad__Message *request, uint32_t extra_ms,
                             Docad__Message__BodyCase kind, Docad__Message **reply)
{
    cleanup_message Docad__Message *answer = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    int64_t limit_ms = (int64_t)ctl->timeout_ms + extra_ms;
    enum call_end end = call_exchange(&ctl->line, request, NULL, 0, limit_ms, &answer, &fds);
    return end == CALL_DONE ? take_answer(ctl, &answer, kind, reply)
                            : failed(ctl, end, (uint64_t)limit_ms);
}

static enum outcome find_socket(struct ctl *ctl)
{
    if (!ctl->socket) {
        if (socket_path_for_client(ctl->socket_path))
            return OUTCOME_DONE;
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "the path of docad's socket ($DOCAD_SOCKET, or below $XDG_RUNTIME_DIR) is "
                        "longer than the %zu bytes of a socket address",
                        SOCKET_PATH_MAX - 1);
    }
    size_t length = strlen(ctl->socket);
    if (length == 0 || length >= SOCKET_PATH_MAX)
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "--socket takes a path of 1 to %zu bytes", SOCKET_PATH_MAX - 1);
    memcpy(ctl->socket_path, ctl->socket, length + 1);
    return OUTCOME_DONE;
}

enum outcome ctl_open(struct ctl *ctl)
{
    cleanup_message Docad__Message *answer = NULL, *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    if (ctl->line.sock >= 0)
        return OUTCOME_DONE;
    enum outcome outcome = find_socket(ctl);
    if (outcome != OUTCOME_DONE)
        return outcome;
    enum call_end end =
        call_open(&ctl->line, ctl->socket_path, true, ctl->timeout_ms, 0, &answer, &fds);
    if (end != CALL_DONE)
        return failed(ctl, end, ctl->timeout_ms);
    outcome = take_answer(ctl, &answer, DOCAD__MESSAGE__BODY_HELLO_REPLY, &reply);
    if (outcome == OUTCOME_DONE)
        copy_text(ctl->node_name, reply->hello_reply->node_name);
    else
        ctl_close(ctl);
    return outcome;
}

void ctl_close(struct ctl *ctl)
{
    call_close(&ctl->line);
}

// Returns whether a request changes nothing, so that it may be repeated to a restarted docad.
static bool only_asks(const Docad__Message *request)
{
    switch (request->body_case) {
    case DOCAD__MESSAGE__BODY_LIST:
    case DOCAD__MESSAGE__BODY_STATUS:
    case DOCAD__MESSAGE__BODY_FUNCTION_LIST:
    case DOCAD__MESSAGE__BODY_METRICS:
    case DOCAD__MESSAGE__BODY_EXPORT_GET:
    case DOCAD__MESSAGE__BODY_LOOKUP:
        return true;
    case DOCAD__MESSAGE__BODY_LOG_LEVEL:
        return !request->log_level->level[0];
    default:
        return false;
    }
}

// After a restart that did not keep the connection, requests once more whether a docad answers. If
// none does, reports the first failure; if one refuses, its reason.
static enum outcome call_anew(struct ctl *ctl, Docad__Message *request, uint32_t extra_ms,
                              Docad__Message__BodyCase kind, Docad__Message **reply)
{
    doca_error_t error = ctl->error;
    char why[sizeof(ctl->error_text)];

    memcpy(why, ctl->error_text, sizeof(why));
    ctl_close(ctl);
    enum outcome outcome = ctl_open(ctl);
    if (outcome == OUTCOME_DONE)
        return exchange(ctl, request, extra_ms, kind, reply);
    return outcome == OUTCOME_REFUSED ? outcome
                                      : ctl_fail(ctl, OUTCOME_NO_DAEMON, error, "%s", why);
}

enum outcome ctl_call(struct ctl *ctl, Docad__Message *request, uint32_t extra_ms,
                      Docad__Message__BodyCase kind, Docad__Message **reply)
{
    enum outcome outcome = ctl_open(ctl);
    if (outcome != OUTCOME_DONE)
        return outcome;
    ctl->left = false;
    outcome = exchange(ctl, request, extra_ms, kind, reply);
    return ctl->left && only_asks(request) ? call_anew(ctl, request, extra_ms, kind, reply)
                                           : outcome;
}

enum outcome ctl_next(struct ctl *ctl, Docad__Message **out)
{
    for (;;) {
        cleanup_message Docad__Message *message = NULL;
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        int r = message_recv(ctl->line.sock, &message, &fds, 0);
        if (r == -EINTR)
            continue;
        if (r == -EPROTO || r == -EBADMSG || r == -EMSGSIZE)
            return ctl_foreign(ctl);
        if (r <= 0)
            return lost(ctl, r == -ECONNRESET ? 0 : -r);
        if (message->serial != 0)
            return ctl_foreign(ctl); // no request waits
        *out = steal_ptr(message);
        return OUTCOME_DONE;
    }
}

enum outcome ctl_list(struct ctl *ctl, Docad__List__Kind kind,
                      void (*add)(const Docad__ListReply *page, void *arg), void *arg)
{
    Docad__List list = DOCAD__LIST__INIT;
    list.kind = kind;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_LIST;
    request.list = &list;
    for (size_t bytes = 0; bytes < LIST_BYTES_MAX;) {
        cleanup_message Docad__Message *reply = NULL;
        enum outcome outcome = ctl_call(ctl, &request, 0, DOCAD__MESSAGE__BODY_LIST_REPLY, &reply);
        if (outcome != OUTCOME_DONE)
            return outcome;
        add(reply->list_reply, arg);
        if (!reply->list_reply->more)
            return OUTCOME_DONE;
        if (reply->list_reply->last <= list.after)
            return ctl_foreign(ctl); // it would go on forever
        list.after = reply->list_reply->last;
        size_t size = docad__list_reply__get_packed_size(reply->list_reply);
        bytes += size > PAGE_BYTES ? size : PAGE_BYTES;
    }
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_UNEXPECTED,
                    "the list of what answers on %s is larger than %u MiB", ctl->socket_path,
                    LIST_BYTES_MAX >> 20);
}

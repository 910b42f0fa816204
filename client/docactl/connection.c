// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "connection.h"

#include "cleanup.h"
#include "socket_access.h"
#include "socket_path.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#define ADVICE_SIZE 400

_Static_assert(sizeof(((struct ctl *)0)->socket_path) >= SOCKET_PATH_MAX, "room for any socket");

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static enum outcome lost(struct ctl *ctl, int error)
{
    ctl->left = error == 0 || error == -ECONNRESET || error == -EPIPE;
    if (error == -EPROTO || error == -EBADMSG || error == -EMSGSIZE)
        return ctl_fail(ctl, OUTCOME_NO_DAEMON, DOCA_ERROR_UNEXPECTED,
                        "what answers on %s does not speak docad's protocol", ctl->socket_path);
    return ctl_fail(ctl, OUTCOME_NO_DAEMON, DOCA_ERROR_NOT_CONNECTED,
                    "docad on %s closed the connection%s%s: its log says why", ctl->socket_path,
                    error ? ": " : "", error ? strerror(-error) : "");
}

static enum outcome silent(struct ctl *ctl, uint64_t ms)
{
    return ctl_fail(ctl, OUTCOME_TIMED_OUT, DOCA_ERROR_TIME_OUT,
                    "docad on %s did not answer within %.3g s: it may be stopped or overloaded "
                    "(--timeout waits longer)",
                    ctl->socket_path, (double)ms / 1000);
}

// docad was restarted and has taken this connection up: it knows how to take a request that
// comes twice.
static int send_again(struct ctl *ctl, Docad__Message *request, const Docad__Message *resumed)
{
    request->again = resumed->resumed->restart;
    return message_send(ctl->sock, request, NULL, 0, 0);
}

// Waits for the answer to this request; anything else that arrives is dropped.
static enum outcome receive(struct ctl *ctl, Docad__Message *request, uint64_t limit_ms,
                            Docad__Message **reply)
{
    uint64_t end = now_ms() + limit_ms;
    for (;;) {
        uint64_t now = now_ms();
        struct pollfd wait = {.fd = ctl->sock, .events = POLLIN};
        uint64_t left = now < end ? end - now : 0;
        int ready = poll(&wait, 1, left > INT32_MAX ? INT32_MAX : (int)left);
        if (ready < 0 && errno != EINTR)
            return lost(ctl, -errno);
        if (ready == 0 && now_ms() >= end)
            return silent(ctl, limit_ms);
        if (ready <= 0)
            continue;

        cleanup_message Docad__Message *message = NULL;
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        int r = message_recv(ctl->sock, &message, &fds, MSG_DONTWAIT);
        if (r == -EAGAIN || r == -EINTR)
            continue;
        if (r <= 0)
            return lost(ctl, r);
        if (message->body_case == DOCAD__MESSAGE__BODY_RESUMED) {
            r = send_again(ctl, request, message);
            if (r < 0)
                return lost(ctl, r);
            continue;
        }
        if (message->serial != request->serial)
            continue;
        *reply = steal_ptr(message);
        return OUTCOME_DONE;
    }
}

static enum outcome refused(struct ctl *ctl, const Docad__Error *error)
{
    doca_error_t code = error->code ? (doca_error_t)error->code : DOCA_ERROR_UNKNOWN;
    const char *text = error->text && *error->text ? error->text : doca_get_error_string(code);
    return ctl_fail(ctl, code == DOCA_ERROR_TIME_OUT ? OUTCOME_TIMED_OUT : OUTCOME_REFUSED, code,
                    "%s", text);
}

static enum outcome exchange(struct ctl *ctl, Docad__Message *request, uint32_t extra_ms,
                             Docad__Message__BodyCase kind, Docad__Message **reply)
{
    request->serial = ++ctl->serial;
    request->again = 0;
    int r = message_send(ctl->sock, request, NULL, 0, 0);
    if (r == -EAGAIN)
        return silent(ctl, ctl->timeout_ms);
    if (r == -EMSGSIZE)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_INVALID_VALUE,
                        "the request is larger than a message may be");
    if (r < 0)
        return lost(ctl, r);

    cleanup_message Docad__Message *message = NULL;
    enum outcome outcome = receive(ctl, request, (uint64_t)ctl->timeout_ms + extra_ms, &message);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (message->body_case == DOCAD__MESSAGE__BODY_ERROR)
        return refused(ctl, message->error);
    if (message->body_case != kind)
        return lost(ctl, -EPROTO);
    *reply = steal_ptr(message);
    return OUTCOME_DONE;
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

static enum outcome connect_socket(struct ctl *ctl)
{
    cleanup_fd int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return ctl_fail(ctl, OUTCOME_NO_DAEMON, DOCA_ERROR_OPERATING_SYSTEM,
                        "cannot make a socket: %s", strerror(errno));
    // Also the time that connect(2) waits for room in the daemon's queue.
    struct timeval limit = {ctl->timeout_ms / 1000, ctl->timeout_ms % 1000 * 1000};
    if (ctl->timeout_ms == 0)
        limit.tv_usec = 1; // zero would mean for ever
    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));

    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, ctl->socket_path);
    if (connect(sock, (struct sockaddr *)&address, sizeof(address)) == 0) {
        ctl->sock = steal_fd(&sock);
        return OUTCOME_DONE;
    }
    if (errno == EAGAIN)
        return silent(ctl, ctl->timeout_ms);
    if (errno == EACCES || errno == EPERM) {
        char advice[ADVICE_SIZE];
        int error = errno;
        socket_access_advice(ctl->socket_path, advice, sizeof(advice));
        return ctl_fail(ctl, OUTCOME_NO_DAEMON, DOCA_ERROR_NOT_CONNECTED,
                        "no access to docad's socket %s (%s): %s", ctl->socket_path,
                        strerror(error), advice);
    }
    return ctl_fail(ctl, OUTCOME_NO_DAEMON, DOCA_ERROR_NOT_CONNECTED,
                    "no docad answers on %s (%s): start one, or name its socket with "
                    "--socket or DOCAD_SOCKET",
                    ctl->socket_path, strerror(errno));
}

enum outcome connection_open(struct ctl *ctl)
{
    if (ctl->sock >= 0)
        return OUTCOME_DONE;
    enum outcome outcome = find_socket(ctl);
    if (outcome == OUTCOME_DONE)
        outcome = connect_socket(ctl);
    if (outcome != OUTCOME_DONE)
        return outcome;

    Docad__Hello hello = DOCAD__HELLO__INIT;
    hello.version_min = PROTOCOL_VERSION_MIN;
    hello.version_max = PROTOCOL_VERSION_MAX;
    hello.program = (char *)"docactl";
    hello.tool = true;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_HELLO;
    request.hello = &hello;
    cleanup_message Docad__Message *reply = NULL;
    outcome = exchange(ctl, &request, 0, DOCAD__MESSAGE__BODY_HELLO_REPLY, &reply);
    if (outcome == OUTCOME_DONE)
        snprintf(ctl->node_name, sizeof(ctl->node_name), "%s", reply->hello_reply->node_name);
    return outcome;
}

void connection_close(struct ctl *ctl)
{
    close_fdp(&ctl->sock);
}

// Does it change nothing, so that it may be asked of the docad that comes after this one?
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

// A restart that did not keep the connection: once more, if somebody answers there. If not,
// the first failure is what is told.
static enum outcome call_anew(struct ctl *ctl, Docad__Message *request, uint32_t extra_ms,
                              Docad__Message__BodyCase kind, Docad__Message **reply)
{
    doca_error_t error = ctl->error;
    char why[sizeof(ctl->error_text)];

    memcpy(why, ctl->error_text, sizeof(why));
    connection_close(ctl);
    if (connection_open(ctl) == OUTCOME_DONE)
        return exchange(ctl, request, extra_ms, kind, reply);
    return ctl_fail(ctl, OUTCOME_NO_DAEMON, error, "%s", why);
}

enum outcome connection_call(struct ctl *ctl, Docad__Message *request, uint32_t extra_ms,
                             Docad__Message__BodyCase kind, Docad__Message **reply)
{
    enum outcome outcome = connection_open(ctl);
    if (outcome != OUTCOME_DONE)
        return outcome;
    ctl->left = false;
    outcome = exchange(ctl, request, extra_ms, kind, reply);
    return ctl->left && only_asks(request) ? call_anew(ctl, request, extra_ms, kind, reply)
                                           : outcome;
}

enum outcome connection_next(struct ctl *ctl, Docad__Message **out)
{
    for (;;) {
        cleanup_message Docad__Message *message = NULL;
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        int r = message_recv(ctl->sock, &message, &fds, 0);
        if (r == -EINTR)
            continue;
        if (r <= 0)
            return lost(ctl, r);
        if (message->serial != 0)
            continue;
        *out = steal_ptr(message);
        return OUTCOME_DONE;
    }
}

enum outcome connection_list(struct ctl *ctl, Docad__List__Kind kind,
                             void (*add)(const Docad__ListReply *page, void *arg), void *arg)
{
    Docad__List list = DOCAD__LIST__INIT;
    list.kind = kind;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_LIST;
    request.list = &list;
    for (;;) {
        cleanup_message Docad__Message *reply = NULL;
        enum outcome outcome =
            connection_call(ctl, &request, 0, DOCAD__MESSAGE__BODY_LIST_REPLY, &reply);
        if (outcome != OUTCOME_DONE)
            return outcome;
        add(reply->list_reply, arg);
        if (!reply->list_reply->more)
            return OUTCOME_DONE;
        if (reply->list_reply->last == list.after)
            return lost(ctl, -EPROTO); // it would go on for ever
        list.after = reply->list_reply->last;
    }
}

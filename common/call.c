// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "call.h"

#include "cleanup.h"
#include "clock.h"
#include "server_user.h"
#include "socket_path.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

static int64_t now_ms(void)
{
    return (int64_t)clock_ms();
}

static enum call_end ended(struct call_line *line, enum call_end end, int error)
{
    line->error = error == ECONNRESET || error == EPIPE ? 0 : error;
    return end;
}

// ---- connecting ---------------------------------------------------------------------------

static enum call_end dial(struct call_line *line, const char *path, uint32_t timeout_ms)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000};

    cleanup_fd int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return ended(line, CALL_NO_SOCKET, errno);
    if (timeout_ms == 0)
        limit.tv_usec = 1; // zero would mean forever
    // Applies to connect() and to sends, both of which a hung daemon can block.
    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    memcpy(address.sun_path, path, strlen(path) + 1);
    int r;
    do {
        r = connect(sock, (struct sockaddr *)&address, sizeof(address));
    } while (r < 0 && errno == EINTR);
    if (r < 0)
        return ended(line, errno == EAGAIN ? CALL_TIMED_OUT : CALL_UNREACHABLE, errno);
    if (!server_user(sock, &line->server) || !server_user_expected(line->server))
        return ended(line, CALL_OTHER_USER, 0);
    line->sock = steal_fd(&sock);
    return CALL_DONE;
}

static enum call_end send_hello(struct call_line *line, bool tool, uint32_t timeout_ms,
                                Docad__Message **reply, struct fd_list *fds)
{
    Docad__Hello hello = DOCAD__HELLO__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;

    hello.version_min = PROTOCOL_VERSION_MIN;
    hello.version_max = PROTOCOL_VERSION_MAX;
    hello.program = program_invocation_short_name;
    hello.tool = tool;
    hello.page_later = true;
    request.body_case = DOCAD__MESSAGE__BODY_HELLO;
    request.hello = &hello;
    return call_exchange(line, &request, NULL, 0, timeout_ms, reply, fds);
}

// There were too many connections, perhaps only because old ones are about to end.
static bool was_rejected(const Docad__Message *hello)
{
    return hello->serial == 0;
}

static bool pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    return true;
}

enum call_end call_open(struct call_line *line, const char *path, bool tool, uint32_t timeout_ms,
                        uint32_t retry_ms, Docad__Message **hello, struct fd_list *fds)
{
    int64_t deadline = now_ms() + retry_ms;
    cleanup_message Docad__Message *answer = NULL;
    enum call_end end;
    bool again;

    do { // dial() detects that no process listens any more
        *line = (struct call_line){.sock = -1};
        message_freep(&answer);
        end = dial(line, path, timeout_ms);
        if (end != CALL_DONE)
            return end;
        end = send_hello(line, tool, timeout_ms, &answer, fds);
        again = end == CALL_LOST || (end == CALL_DONE && was_rejected(answer));
        if (end != CALL_DONE || again)
            call_close(line);
    } while (again && now_ms() < deadline && pause_briefly());
    if (end == CALL_DONE)
        *hello = steal_ptr(answer);
    return end;
}

void call_close(struct call_line *line)
{
    close_fdp(&line->sock);
    message_room_free(&line->room);
}

// ---- request and answer -------------------------------------------------------------------

// Waits for the next message until `deadline`. Returns 1, 0 for the end of the stream, or -errno.
static int receive(struct call_line *line, int64_t deadline, Docad__Message **message,
                   struct fd_list *fds)
{
    for (;;) {
        int64_t left = deadline - now_ms();
        if (left < 0)
            left = 0;
        struct pollfd p = {.fd = line->sock, .events = POLLIN};
        int n = poll(&p, 1, left > INT32_MAX ? INT32_MAX : (int)left);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0 && left <= INT32_MAX)
            return -ETIMEDOUT;
        if (n <= 0)
            continue;
        int r = message_recv_in(&line->room, line->sock, message, fds, MSG_DONTWAIT);
        if (r != -EAGAIN)
            return r;
    }
}

static enum call_end not_received(struct call_line *line, int r)
{
    switch (-r) {
    case ETIMEDOUT:
        return ended(line, CALL_TIMED_OUT, 0);
    case ENOMEM:
        return ended(line, CALL_UNREAD, ENOMEM);
    case EPROTO:
    case EBADMSG:
    case EMSGSIZE:
        return ended(line, CALL_FOREIGN, -r);
    default:
        return ended(line, CALL_LOST, -r);
    }
}

static enum call_end not_sent(struct call_line *line, int r)
{
    switch (-r) {
    case EMSGSIZE:
    case ENOMEM:
        return ended(line, CALL_NOT_SENT, -r);
    case EAGAIN:
        return ended(line, CALL_TIMED_OUT, 0);
    default:
        return ended(line, CALL_LOST, -r);
    }
}

// docad may refuse a connection before it has read a request: the refusal then has no serial.
static bool is_refusal(const Docad__Message *request, const Docad__Message *message)
{
    return request->body_case == DOCAD__MESSAGE__BODY_HELLO && message->serial == 0 &&
           message->body_case == DOCAD__MESSAGE__BODY_ERROR;
}

// The connection has ended: returns whether docad refused it. What docad had sent can still be
// read.
static bool was_refused(struct call_line *line, const Docad__Message *request,
                        Docad__Message **reply, struct fd_list *fds)
{
    int r;

    do { // the end may be reported first, once
        cleanup_message Docad__Message *message = NULL;
        r = message_recv_in(&line->room, line->sock, &message, fds, MSG_DONTWAIT);
        if (r > 0 && is_refusal(request, message)) {
            *reply = steal_ptr(message);
            return true;
        }
        if (r > 0)
            fd_list_close(fds);
    } while (r == -ECONNRESET);
    return false;
}

static bool has_ended(int r)
{
    return r == -EPIPE || r == -ECONNRESET;
}

static enum call_end exchange(struct call_line *line, Docad__Message *request, const int *send_fds,
                              size_t n_send_fds, int64_t timeout_ms, Docad__Message **reply,
                              struct fd_list *fds)
{
    request->serial = ++line->serial;
    request->again = 0;
    int r = message_send(line->sock, request, send_fds, n_send_fds, 0);
    if (r < 0)
        return has_ended(r) && was_refused(line, request, reply, fds) ? CALL_DONE
                                                                      : not_sent(line, r);
    int64_t deadline = now_ms() + timeout_ms;
    for (;;) {
        cleanup_message Docad__Message *message = NULL;
        r = receive(line, deadline, &message, fds);
        if (r <= 0)
            return has_ended(r) && was_refused(line, request, reply, fds) ? CALL_DONE
                                                                          : not_received(line, r);
        if (message->serial == request->serial || is_refusal(request, message)) {
            *reply = steal_ptr(message);
            return CALL_DONE;
        }
        fd_list_close(fds);
        if (message->serial > request->serial)
            return ended(line, CALL_FOREIGN, 0);
        if (now_ms() >=
            deadline) // otherwise a peer that sends without end would keep this call waiting
            return ended(line, CALL_TIMED_OUT, 0);
        // The answer to a request that was abandoned, or a message that this version does not
        // define.
        if (message->serial != 0 || message->body_case != DOCAD__MESSAGE__BODY_RESUMED)
            continue;
        if (request->body_case == DOCAD__MESSAGE__BODY_HELLO)
            return ended(line, CALL_LOST, 0);
        // A restarted docad can handle a request that comes twice (see Resumed in
        // proto/docad.proto).
        request->again = message->resumed->restart;
        r = message_send(line->sock, request, send_fds, n_send_fds, 0);
        if (r < 0)
            return ended(line, CALL_LOST, -r);
    }
}

enum call_end call_exchange(struct call_line *line, Docad__Message *request, const int *send_fds,
                            size_t n_send_fds, int64_t timeout_ms, Docad__Message **reply,
                            struct fd_list *fds)
{
    enum call_end end = message_room_take(&line->room)
                            ? exchange(line, request, send_fds, n_send_fds, timeout_ms, reply, fds)
                            : not_sent(line, -ENOMEM);
    // The reserve may have been used. If it cannot be had again now, the next request tries.
    if (line->keeps_room)
        (void)message_room_take(&line->room);
    else
        message_room_free(&line->room);
    return end;
}

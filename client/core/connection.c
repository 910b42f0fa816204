// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/connection.h"

#include "cleanup.h"
#include "socket_access.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#define ADVICE_SIZE    400
#define HELLO_RETRY_MS 2000

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static doca_error_t nobody_answers(const char *path, int error, struct errtext *err)
{
    char advice[ADVICE_SIZE] = "start docad, or set DOCAD_SOCKET to the socket of the one to use";
    if (error == EACCES || error == EPERM)
        socket_access_advice(path, advice, sizeof(advice));
    return errtext_set(err, DOCA_ERROR_NOT_CONNECTED, "no docad answers at %s: %s; %s", path,
                       strerror(error), advice);
}

static doca_error_t has_gone(const struct connection *c, const char *why, struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_NOT_CONNECTED,
                       "docad at %s has gone (%s); what it held for this process went with it: "
                       "start again from the list of devices once it runs",
                       c->path, why);
}

static doca_error_t too_slow(const struct connection *c, int64_t timeout_ms, struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_TIME_OUT,
                       "docad at %s did not answer within %lld ms; see its log, or restart it",
                       c->path, (long long)timeout_ms);
}

static doca_error_t dial(struct connection *c, struct errtext *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval limit = {.tv_sec = CONNECTION_TIMEOUT_MS / 1000};

    if (!socket_path_for_client(c->path))
        return errtext_set(err, DOCA_ERROR_NOT_CONNECTED,
                           "the path of docad's socket is longer than %zu bytes; set DOCAD_SOCKET "
                           "to a shorter one",
                           SOCKET_PATH_MAX - 1);
    memcpy(address.sun_path, c->path, sizeof(address.sun_path));
    cleanup_fd int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (sock < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot make a socket for docad: %s",
                           strerror(errno));
    // Holds for connect() and for sends, both of which a hung daemon can block.
    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    int r;
    do {
        r = connect(sock, (struct sockaddr *)&address, sizeof(address));
    } while (r < 0 && errno == EINTR);
    if (r < 0 && errno == EAGAIN)
        return too_slow(c, CONNECTION_TIMEOUT_MS, err);
    if (r < 0)
        return nobody_answers(c->path, errno, err);
    c->sock = steal_fd(&sock);
    return DOCA_SUCCESS;
}

static doca_error_t say_hello(struct connection *c, bool tool, Docad__Message **reply,
                              struct fd_list *fds, struct errtext *err)
{
    Docad__Hello hello = DOCAD__HELLO__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    bool broken = false;

    hello.version_min = PROTOCOL_VERSION_MIN;
    hello.version_max = PROTOCOL_VERSION_MAX;
    hello.program = program_invocation_short_name;
    hello.tool = tool;
    request.body_case = DOCAD__MESSAGE__BODY_HELLO;
    request.hello = &hello;
    cleanup_message Docad__Message *answer = NULL;
    doca_error_t e =
        connection_call(c, &request, NULL, 0, CONNECTION_TIMEOUT_MS, &answer, fds, &broken, err);
    if (e != DOCA_SUCCESS)
        return e;
    const Docad__HelloReply *h = answer->hello_reply;
    if (answer->body_case != DOCAD__MESSAGE__BODY_HELLO_REPLY || h->node.len != NODE_ID_SIZE ||
        h->version < PROTOCOL_VERSION_MIN || h->version > PROTOCOL_VERSION_MAX) {
        fd_list_close(fds);
        return errtext_set(err, DOCA_ERROR_UNSUPPORTED_VERSION,
                           "what answers at %s does not speak this library's protocol; install "
                           "docad and libdoca-client of the same release",
                           c->path);
    }
    *reply = steal_ptr(answer);
    return DOCA_SUCCESS;
}

static bool pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    return true;
}

doca_error_t connection_open(struct connection *c, bool tool, Docad__Message **hello,
                             struct fd_list *fds, struct errtext *err)
{
    int64_t deadline = now_ms() + HELLO_RETRY_MS;
    doca_error_t e;

    // A docad that ends before it has answered is perhaps followed by another one: whether
    // somebody listens then, dial() finds out.
    do {
        *c = (struct connection){.sock = -1};
        e = dial(c, err);
        if (e != DOCA_SUCCESS)
            return e;
        e = say_hello(c, tool, hello, fds, err);
        if (e != DOCA_SUCCESS)
            connection_close(c);
    } while (e == DOCA_ERROR_NOT_CONNECTED && now_ms() < deadline && pause_briefly());
    return e;
}

void connection_close(struct connection *c)
{
    close_fdp(&c->sock);
}

// Waits for the next message until `deadline`. 1, 0 for the end of the stream, or -errno.
static int receive(struct connection *c, int64_t deadline, Docad__Message **message,
                   struct fd_list *fds)
{
    for (;;) {
        int64_t left = deadline - now_ms();
        if (left < 0)
            left = 0;
        struct pollfd p = {.fd = c->sock, .events = POLLIN};
        int n = poll(&p, 1, left > INT32_MAX ? INT32_MAX : (int)left);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0 && left <= INT32_MAX)
            return -ETIMEDOUT;
        if (n <= 0)
            continue;
        int r = message_recv(c->sock, message, fds, MSG_DONTWAIT);
        if (r != -EAGAIN)
            return r;
    }
}

// What is sent, and may have to be sent again.
struct outgoing {
    Docad__Message *request;
    const int *fds;
    size_t n_fds;
};

static int send_request(struct connection *c, const struct outgoing *out)
{
    return message_send(c->sock, out->request, out->fds, out->n_fds, 0);
}

// Waits for the reply. A docad that was restarted meanwhile is asked again, which it knows
// how to take (see Resumed in proto/docad.proto); what else it says unasked is for later
// versions.
static doca_error_t await_reply(struct connection *c, const struct outgoing *out,
                                int64_t timeout_ms, Docad__Message **reply, struct fd_list *fds,
                                struct errtext *err)
{
    int64_t deadline = now_ms() + timeout_ms;

    for (;;) {
        cleanup_message Docad__Message *message = NULL;
        int r = receive(c, deadline, &message, fds);
        if (r == -ETIMEDOUT)
            return too_slow(c, timeout_ms, err);
        if (r == 0 || r == -ECONNRESET)
            return has_gone(c, "it closed the connection", err);
        if (r < 0)
            return has_gone(c, strerror(-r), err);
        if (message->serial == out->request->serial) {
            *reply = steal_ptr(message);
            return DOCA_SUCCESS;
        }
        fd_list_close(fds);
        if (message->serial != 0)
            return has_gone(c, "it answered what was not asked", err);
        if (message->body_case != DOCAD__MESSAGE__BODY_RESUMED)
            continue;
        if (out->request->body_case == DOCAD__MESSAGE__BODY_HELLO)
            return has_gone(c, "it was restarted", err);
        out->request->again = message->resumed->restart;
        r = send_request(c, out);
        if (r < 0)
            return has_gone(c, strerror(-r), err);
    }
}

static doca_error_t refused(const Docad__Error *error, struct errtext *err)
{
    bool known = error->code != DOCA_SUCCESS && error->code <= DOCA_ERROR_IN_PROGRESS;
    return errtext_set(err, known ? (doca_error_t)error->code : DOCA_ERROR_UNEXPECTED, "%s",
                       error->text[0] ? error->text : "docad refused, and did not say why");
}

doca_error_t connection_call(struct connection *c, Docad__Message *request, const int *send_fds,
                             size_t n_send_fds, int64_t timeout_ms, Docad__Message **reply,
                             struct fd_list *fds, bool *broken, struct errtext *err)
{
    cleanup_message Docad__Message *answer = NULL;
    cleanup_fdlist struct fd_list answer_fds = FD_LIST_EMPTY;

    struct outgoing out = {request, send_fds, n_send_fds};

    request->serial = ++c->serial;
    request->again = 0;
    int r = send_request(c, &out);
    if (r == -EMSGSIZE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the request is longer than %d bytes",
                           PACKET_SIZE_MAX);
    if (r == -ENOMEM)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    if (r < 0) {
        *broken = true;
        return r == -EAGAIN ? too_slow(c, CONNECTION_TIMEOUT_MS, err)
                            : has_gone(c, strerror(-r), err);
    }
    doca_error_t e = await_reply(c, &out, timeout_ms, &answer, &answer_fds, err);
    if (e != DOCA_SUCCESS) {
        *broken = true;
        return e;
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

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "flood_session.h"

#include "cleanup.h"
#include "copy_text.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define ANSWER_MS 60000 // a flooded docad is slow
#define AHEAD     64    // requests that wait for answers

int flood_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    cleanup_fd int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    copy_text(address.sun_path, path);
    if (sock < 0 || connect(sock, (struct sockaddr *)&address, sizeof(address)) < 0)
        return -1;
    return steal_fd(&sock);
}

Docad__Message *flood_answer(int sock, struct fd_list *reply_fds)
{
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list received = FD_LIST_EMPTY;
    struct pollfd p = {.fd = sock, .events = POLLIN};

    if (poll(&p, 1, ANSWER_MS) != 1 || message_recv(sock, &reply, &received, 0) != 1)
        return NULL;
    if (reply_fds) {
        *reply_fds = received;
        received.count = 0;
    }
    return steal_ptr(reply);
}

Docad__Message *flood_ask(int sock, Docad__Message *request, const int *fds, size_t n_fds,
                          struct fd_list *reply_fds)
{
    request->serial = 1;
    if (message_send(sock, request, fds, n_fds, MSG_NOSIGNAL) < 0)
        return NULL;
    cleanup_message Docad__Message *reply = flood_answer(sock, reply_fds);
    return reply && reply->body_case != DOCAD__MESSAGE__BODY_ERROR ? steal_ptr(reply) : NULL;
}

size_t flood_ask_many(int sock, size_t n, flood_send_fn send, flood_take_fn take, void *arg)
{
    size_t sent = 0, answered = 0, granted = 0;
    bool more = true;

    for (;;) {
        while (more && sent < n && sent - answered < AHEAD) {
            more = send(sock, sent, arg);
            sent += more;
        }
        if (sent == answered)
            return granted;
        cleanup_message Docad__Message *reply = flood_answer(sock, NULL);
        if (!reply)
            return granted;
        answered++;
        if (reply->body_case == DOCAD__MESSAGE__BODY_ERROR) {
            more = false;
            continue;
        }
        if (take)
            take(reply, granted, arg);
        granted++;
    }
}

static int send_hello(const char *path, bool tool, bool page_later, uint8_t node[NODE_ID_SIZE])
{
    Docad__Hello hello = DOCAD__HELLO__INIT;
    cleanup_fd int sock = flood_connect(path);
    hello.version_min = PROTOCOL_VERSION_MIN;
    hello.version_max = PROTOCOL_VERSION_MAX;
    hello.program = (char *)"flood";
    hello.tool = tool;
    hello.page_later = page_later;
    cleanup_message Docad__Message *reply =
        sock < 0 ? NULL : flood_ask(sock, message_of(HELLO, hello, &hello), NULL, 0, NULL);
    if (!reply)
        return -1;
    if (node)
        memcpy(node, reply->hello_reply->node.data, NODE_ID_SIZE);
    return steal_fd(&sock);
}

int flood_session(const char *path, bool tool, uint8_t node[NODE_ID_SIZE])
{
    return send_hello(path, tool, false, node);
}

int flood_idle_session(const char *path)
{
    return send_hello(path, true, true, NULL);
}

bool flood_open_function(int sock)
{
    Docad__FunctionOpen m = DOCAD__FUNCTION_OPEN__INIT;
    m.function_id = 1;
    cleanup_message Docad__Message *reply =
        flood_ask(sock, message_of(FUNCTION_OPEN, function_open, &m), NULL, 0, NULL);
    return reply != NULL;
}

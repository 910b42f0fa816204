// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "request.h"

#include "cleanup.h"
#include "deadline.h"
#include "env.h"

#include <check.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int raw_connect(const char *socket_path)
{
    env_note_test();
    int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(sock, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    ck_assert_uint_lt(strlen(socket_path), sizeof(address.sun_path));
    strcpy(address.sun_path, socket_path);
    ck_assert_msg(connect(sock, (struct sockaddr *)&address, sizeof(address)) == 0, "%s: %s",
                  socket_path, strerror(errno));
    return sock;
}

// message_recv() that ends: a daemon that does not answer fails the test.
static int receive(int sock, Docad__Message **reply, struct fd_list *fds)
{
    struct pollfd p = {.fd = sock, .events = POLLIN};
    ck_assert_msg(poll(&p, 1, HARNESS_LIMIT_MS) == 1, "no answer from the daemon");
    return message_recv(sock, reply, fds, 0);
}

Docad__Message *raw_call(int sock, Docad__Message *request, const int *fds, size_t n_fds,
                         struct fd_list *reply_fds)
{
    static uint64_t serial;
    request->serial = ++serial;
    int r = message_send(sock, request, fds, n_fds, 0);
    ck_assert_msg(r == 0, "sending a request: %s", strerror(-r));
    Docad__Message *reply = NULL;
    struct fd_list dropped = FD_LIST_EMPTY;
    r = receive(sock, &reply, reply_fds ? reply_fds : &dropped);
    fd_list_close(&dropped);
    ck_assert_msg(r == 1, "receiving a reply: %s", r ? strerror(-r) : "connection closed");
    ck_assert_uint_eq(reply->serial, serial);
    return reply;
}

Docad__Message *raw_expect(int sock, Docad__Message *request, Docad__Message__BodyCase body)
{
    Docad__Message *reply = raw_call(sock, request, NULL, 0, NULL);
    if (reply->body_case == DOCAD__MESSAGE__BODY_ERROR && body != reply->body_case)
        ck_abort_msg("refused: %s", reply->error->text);
    ck_assert_int_eq(reply->body_case, body);
    return reply;
}

void raw_expect_closed(int sock)
{
    for (;;) {
        cleanup_message Docad__Message *message = NULL;
        struct fd_list fds = FD_LIST_EMPTY;
        int r = receive(sock, &message, &fds);
        fd_list_close(&fds);
        if (r == 0 || r == -ECONNRESET)
            return;
        ck_assert_msg(r == 1, "waiting for the end: %s", strerror(-r));
    }
}

int raw_hello(const char *socket_path)
{
    char program[] = "test";
    int sock = raw_connect(socket_path);
    Docad__Hello hello = DOCAD__HELLO__INIT;
    hello.version_min = PROTOCOL_VERSION_MIN;
    hello.version_max = PROTOCOL_VERSION_MAX;
    hello.program = program;
    hello.tool = true;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_HELLO;
    request.hello = &hello;
    cleanup_message Docad__Message *reply =
        raw_expect(sock, &request, DOCAD__MESSAGE__BODY_HELLO_REPLY);
    ck_assert_uint_eq(reply->hello_reply->version, PROTOCOL_VERSION_MAX);
    return sock;
}

Docad__Message *raw_list(int sock, Docad__List__Kind kind, uint64_t after)
{
    Docad__List list = DOCAD__LIST__INIT;
    list.kind = kind;
    list.after = after;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_LIST;
    request.list = &list;
    return raw_expect(sock, &request, DOCAD__MESSAGE__BODY_LIST_REPLY);
}

void raw_revoke(const char *socket_path, uint64_t export_id)
{
    cleanup_fd int sock = raw_hello(socket_path);
    Docad__ExportRevoke revoke = DOCAD__EXPORT_REVOKE__INIT;
    revoke.export_id = export_id;
    Docad__Message request = DOCAD__MESSAGE__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_EXPORT_REVOKE;
    request.export_revoke = &revoke;
    cleanup_message Docad__Message *reply = raw_expect(sock, &request, DOCAD__MESSAGE__BODY_OK);
    ck_assert_uint_eq(reply->serial, request.serial);
}

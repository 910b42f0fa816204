// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
//     crowd SOCKET SESSIONS EXPORTS
//
// Connects to docad as so many programs, each with a region and so many exports, and says
// "ready". For each line on its standard input, docad must have been restarted once: each of
// them must have been told, and be answered. It then says "still there".

#include "memfd.h"
#include "message.h"
#include "state_table.h"

#include <doca_types.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define LENGTH 4096

static uint64_t serial;

static void __attribute__((noreturn)) fail(const char *what, size_t session)
{
    fprintf(stderr, "crowd: session %zu: %s\n", session, what);
    exit(EXIT_FAILURE);
}

// Returns the next message, without its descriptors.
static Docad__Message *receive(int sock, size_t session)
{
    struct fd_list fds;
    Docad__Message *message;
    if (message_recv(sock, &message, &fds, 0) <= 0)
        fail("the connection has ended", session);
    fd_list_close(&fds);
    return message;
}

static Docad__Message *call(int sock, size_t session, Docad__Message *request, const int *fds,
                            size_t n_fds, Docad__Message__BodyCase expected)
{
    request->serial = ++serial;
    if (message_send(sock, request, fds, n_fds, 0) < 0)
        fail("cannot send", session);
    Docad__Message *reply = receive(sock, session);
    if (reply->body_case == DOCAD__MESSAGE__BODY_ERROR)
        fail(reply->error->text, session);
    if (reply->body_case != expected || reply->serial != serial)
        fail("another answer than expected", session);
    return reply;
}

static void release(Docad__Message *message)
{
    message_freep(&message);
}

static int begin(const char *path, size_t session)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    Docad__Hello hello = DOCAD__HELLO__INIT;
    int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (sock < 0 || connect(sock, (struct sockaddr *)&address, sizeof(address)) < 0)
        fail("cannot connect", session);
    hello.version_min = hello.version_max = PROTOCOL_VERSION_MAX;
    hello.program = (char *)"crowd";
    release(call(sock, session, message_of(HELLO, hello, &hello), NULL, 0,
                 DOCAD__MESSAGE__BODY_HELLO_REPLY));
    return sock;
}

static void fill(int sock, size_t session, unsigned exports)
{
    Docad__FunctionOpen open = DOCAD__FUNCTION_OPEN__INIT;
    Docad__RegionRegister region = DOCAD__REGION_REGISTER__INIT;
    Docad__ExportCreate export = DOCAD__EXPORT_CREATE__INIT;
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *segments = &segment;

    open.function_id = export.function_id = 1;
    release(call(sock, session, message_of(FUNCTION_OPEN, function_open, &open), NULL, 0,
                 DOCAD__MESSAGE__BODY_OK));
    region.address = segment.address = 0x10000;
    region.length = segment.length = LENGTH;
    region.access = DOCA_ACCESS_RDMA_READ;
    segment.mapped = region.has_memfd = region.has_memfd_ro = true;
    region.n_function_ids = region.n_segments = 1;
    region.function_ids = &open.function_id;
    region.segments = &segments;
    int fds[2] = {memfd_create_sealed("crowd", LENGTH)};
    fds[1] = memfd_reopen_readonly(fds[0]);
    Docad__Message *reply =
        call(sock, session, message_of(REGION_REGISTER, region_register, &region), fds, 2,
             DOCAD__MESSAGE__BODY_REGION_REGISTER_REPLY);
    export.region_id = reply->region_register_reply->region_id;
    release(reply);
    close(fds[0]);
    close(fds[1]);
    export.target = DOCAD__EXPORT_TARGET__TARGET_RDMA;
    for (unsigned i = 0; i < exports; i++)
        release(call(sock, session, message_of(EXPORT_CREATE, export_create, &export), NULL, 0,
                     DOCAD__MESSAGE__BODY_EXPORT_CREATE_REPLY));
}

static void check(int sock, size_t session)
{
    Docad__FunctionOpen open = DOCAD__FUNCTION_OPEN__INIT;
    Docad__Message *resumed = receive(sock, session);
    if (resumed->body_case != DOCAD__MESSAGE__BODY_RESUMED)
        fail("not told of the restart", session);
    release(resumed);
    open.function_id = 1;
    release(call(sock, session, message_of(FUNCTION_OPEN, function_open, &open), NULL, 0,
                 DOCAD__MESSAGE__BODY_OK));
}

static void say(const char *what)
{
    puts(what);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    size_t n = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    int *socks = calloc(n + 1, sizeof(*socks));
    char line[16];

    if (!n || !socks)
        fail("usage: crowd SOCKET SESSIONS EXPORTS", 0);
    for (size_t i = 0; i < n; i++) {
        socks[i] = begin(argv[1], i);
        fill(socks[i], i, (unsigned)strtoul(argv[3], NULL, 10));
    }
    say("ready");
    while (fgets(line, sizeof(line), stdin)) {
        for (size_t i = 0; i < n; i++)
            check(socks[i], i);
        say("still there");
    }
    free(socks);
    return EXIT_SUCCESS;
}

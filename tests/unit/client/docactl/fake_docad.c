// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fake_docad.h"

#include "cleanup.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

void fill_hello(Docad__Message *reply)
{
    static Docad__HelloReply hello = DOCAD__HELLO_REPLY__INIT;
    hello.version = 1;
    hello.node_name = (char *)"fake";
    hello.role = (char *)"host";
    reply->body_case = DOCAD__MESSAGE__BODY_HELLO_REPLY;
    reply->hello_reply = &hello;
}

Docad__Error refusal;

static void refuse_hello(int conn)
{
    Docad__Message message = DOCAD__MESSAGE__INIT;
    message.body_case = DOCAD__MESSAGE__BODY_ERROR;
    message.error = &refusal;
    ck_assert_int_eq(message_send(conn, &message, NULL, 0, 0), 0);
}

static void serve_one(const struct fake *fake, bool refuses)
{
    int conn = accept4(fake->listener, NULL, NULL, SOCK_CLOEXEC);
    ck_assert_int_ge(conn, 0);
    if (refuses)
        refuse_hello(conn);
    while (!refuses) {
        cleanup_message Docad__Message *request = NULL;
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        if (message_recv(conn, &request, &fds, 0) != 1)
            break;
        Docad__Message reply = DOCAD__MESSAGE__INIT;
        reply.serial = request->serial;
        if (request->body_case == DOCAD__MESSAGE__BODY_HELLO && request->hello->tool)
            fill_hello(&reply);
        else if (!fake->answer(request, &reply, conn))
            continue;
        // A client that gives up closes first: it has what it needs.
        message_send(conn, &reply, NULL, 0, 0);
    }
    close(conn);
}

static int serve(struct child *self, void *arg)
{
    const struct fake *fake = arg;
    (void)self;
    for (int i = 0; i == 0 || i < fake->connections; i++)
        serve_one(fake, fake->refuses && i > 0);
    return 0;
}

struct command_result result;

int run_against(struct fake *fake, const char *const words[])
{
    struct path path = temp_path("fake.sock");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path.s);
    fake->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fake->listener, 0);
    ck_assert_int_eq(bind(fake->listener, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(fake->listener, 1), 0);
    struct child *child = child_start(NULL, "fake docad", serve, fake);

    const char *argv[16] = {"docactl", "--socket", path.s};
    size_t n = 3;
    while (*words)
        argv[n++] = *words++;
    command_run(NULL, argv, &result);
    child_join(child);
    close(fake->listener);
    unlink(path.s);
    return result.status;
}

struct json_object *parsed(const char *text)
{
    struct json_object *value = json_tokener_parse(text);
    ck_assert_msg(value != NULL, "no JSON: %s", text);
    return value;
}

const char *member(struct json_object *object, const char *key)
{
    struct json_object *value;
    ck_assert_msg(json_object_object_get_ex(object, key, &value), "no member %s", key);
    return json_object_get_string(value);
}

// ---- answers ---------------------------------------------------------------------------------

bool pages(const Docad__Message *request, Docad__Message *reply, int conn)
{
    static Docad__ListReply list;
    static Docad__SessionInfo session;
    static Docad__SessionInfo *sessions[] = {&session};
    static char program[32];
    (void)conn;
    ck_assert_int_eq(request->body_case, DOCAD__MESSAGE__BODY_LIST);
    docad__list_reply__init(&list);
    docad__session_info__init(&session);
    uint64_t page = request->list->after / 10;
    session.id = list.last = (page + 1) * 10;
    session.region_bytes = UINT64_C(256) << 20;
    snprintf(program, sizeof(program), "program-%u", (unsigned)page);
    session.program = program;
    list.n_sessions = 1;
    list.sessions = sessions;
    list.more = page + 1 < PAGES;
    reply->body_case = DOCAD__MESSAGE__BODY_LIST_REPLY;
    reply->list_reply = &list;
    return true;
}

bool endless(const Docad__Message *request, Docad__Message *reply, int conn)
{
    static Docad__ListReply list;
    (void)request;
    (void)conn;
    docad__list_reply__init(&list);
    list.more = true;
    list.last = 7;
    reply->body_case = DOCAD__MESSAGE__BODY_LIST_REPLY;
    reply->list_reply = &list;
    return true;
}

bool another_answer(const Docad__Message *request, Docad__Message *reply, int conn)
{
    (void)request;
    (void)conn;
    fill_hello(reply);
    return true;
}

bool refuse(const Docad__Message *request, Docad__Message *reply, int conn)
{
    (void)request;
    (void)conn;
    reply->body_case = DOCAD__MESSAGE__BODY_ERROR;
    reply->error = &refusal;
    return true;
}

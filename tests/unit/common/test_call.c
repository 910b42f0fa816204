// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A client's requests, and all that a docad can make of them.

#include "call.h"

#include "cleanup.h"
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct call_line line;
static int docad; // the other end
static Docad__Message *reply;
static struct fd_list fds;

static void setup(void)
{
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    line = (struct call_line){.sock = ends[0], .serial = 6};
    docad = ends[1];
    reply = NULL;
}

static void teardown(void)
{
    message_freep(&reply);
    fd_list_close(&fds);
    call_close(&line);
    close(docad);
}

// docad says it, before or after it is asked.
static void say(uint64_t serial, Docad__Message__BodyCase body, const int *with, size_t n)
{
    Docad__Message message = DOCAD__MESSAGE__INIT;
    Docad__Empty empty = DOCAD__EMPTY__INIT;
    Docad__Resumed resumed = DOCAD__RESUMED__INIT;
    resumed.restart = 9;
    message.serial = serial;
    message.body_case = body;
    if (body == DOCAD__MESSAGE__BODY_RESUMED)
        message.resumed = &resumed;
    else
        message.ok = &empty;
    ck_assert_int_eq(message_send(docad, &message, with, n, 0), 0);
}

static enum call_end ask(int64_t ms)
{
    Docad__Message request = DOCAD__MESSAGE__INIT;
    Docad__Reload reload = DOCAD__RELOAD__INIT;
    request.body_case = DOCAD__MESSAGE__BODY_RELOAD;
    request.reload = &reload;
    message_freep(&reply);
    return call_exchange(&line, &request, NULL, 0, ms, &reply, &fds);
}

// The request that docad got: its serial and `again`.
static void assert_asked(uint64_t serial, uint64_t again)
{
    cleanup_message Docad__Message *message = NULL;
    struct fd_list with;
    ck_assert_int_eq(message_recv(docad, &message, &with, MSG_DONTWAIT), 1);
    ck_assert_uint_eq(message->serial, serial);
    ck_assert_uint_eq(message->again, again);
}

START_TEST(answer_and_what_comes_with_it)
{
    int own = STDIN_FILENO;
    say(7, DOCAD__MESSAGE__BODY_OK, &own, 1);
    ck_assert_int_eq(ask(1000), CALL_DONE);
    ck_assert_uint_eq(reply->serial, 7);
    ck_assert_uint_eq(fds.count, 1);
    assert_asked(7, 0);
}
END_TEST

// An event, and the answer to what was given up.
START_TEST(drops_what_was_not_asked_now)
{
    int own = STDIN_FILENO;
    say(0, DOCAD__MESSAGE__BODY_OK, &own, 1);
    say(6, DOCAD__MESSAGE__BODY_OK, &own, 1);
    say(7, DOCAD__MESSAGE__BODY_OK, NULL, 0);
    ck_assert_int_eq(ask(1000), CALL_DONE);
    ck_assert_uint_eq(reply->serial, 7);
    ck_assert_uint_eq(fds.count, 0);
}
END_TEST

START_TEST(asks_again_after_a_restart)
{
    say(0, DOCAD__MESSAGE__BODY_RESUMED, NULL, 0);
    say(7, DOCAD__MESSAGE__BODY_OK, NULL, 0);
    ck_assert_int_eq(ask(1000), CALL_DONE);
    assert_asked(7, 0);
    assert_asked(7, 9);
}
END_TEST

START_TEST(time_limit)
{
    ck_assert_int_eq(ask(10), CALL_TIMED_OUT);
    ck_assert_ptr_null(reply);
    // And may be asked something else.
    say(7, DOCAD__MESSAGE__BODY_OK, NULL, 0);
    say(8, DOCAD__MESSAGE__BODY_OK, NULL, 0);
    ck_assert_int_eq(ask(1000), CALL_DONE);
    ck_assert_uint_eq(reply->serial, 8);
}
END_TEST

START_TEST(end_of_the_connection)
{
    shutdown(docad, SHUT_WR);
    ck_assert_int_eq(ask(1000), CALL_LOST);
    ck_assert_int_eq(line.error, 0);
    shutdown(docad, SHUT_RDWR);
    ck_assert_int_eq(ask(1000), CALL_LOST);
    ck_assert_int_eq(line.error, 0);
}
END_TEST

START_TEST(another_protocol)
{
    say(8, DOCAD__MESSAGE__BODY_OK, NULL, 0); // it was not asked yet
    ck_assert_int_eq(ask(1000), CALL_FOREIGN);
    ck_assert_int_eq(packet_send(docad, "\xff\xff", 2, NULL, 0, 0), 0);
    ck_assert_int_eq(ask(1000), CALL_FOREIGN);
}
END_TEST

START_TEST(too_large_a_request)
{
    static char text[PACKET_SIZE_MAX + 1];
    Docad__Message request = DOCAD__MESSAGE__INIT;
    Docad__Error error = DOCAD__ERROR__INIT;
    memset(text, 'x', PACKET_SIZE_MAX);
    error.text = text;
    request.body_case = DOCAD__MESSAGE__BODY_ERROR;
    request.error = &error;
    ck_assert_int_eq(call_exchange(&line, &request, NULL, 0, 1000, &reply, &fds), CALL_NOT_SENT);
    ck_assert_int_eq(line.error, EMSGSIZE);
    say(8, DOCAD__MESSAGE__BODY_OK, NULL, 0);
    ck_assert_int_eq(ask(1000), CALL_DONE);
}
END_TEST

// ---- connecting -----------------------------------------------------------------------------

static char path[64];
static int listener;

static void listen_there(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(path, sizeof(path), "/tmp/test-call-%d.sock", (int)getpid());
    strcpy(address.sun_path, path);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(listener, 4), 0);
}

static enum call_end open_there(uint32_t ms)
{
    call_close(&line);
    return call_open(&line, path, true, ms, ms, &reply, &fds);
}

// Takes hello from connections as they come, and answers that of the last one.
static pid_t serve(unsigned connections, Docad__Message__BodyCase instead)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    for (unsigned i = 1; i <= connections; i++) {
        cleanup_message Docad__Message *hello = NULL;
        struct fd_list with;
        docad = accept(listener, NULL, NULL);
        if (message_recv(docad, &hello, &with, 0) != 1 ||
            hello->body_case != DOCAD__MESSAGE__BODY_HELLO || !hello->hello->tool)
            _exit(1);
        if (i == connections)
            say(hello->serial, DOCAD__MESSAGE__BODY_OK, NULL, 0);
        else if (instead)
            say(0, instead, NULL, 0);
        close(docad);
    }
    _exit(0);
}

static void assert_served(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

// A docad that ends before it has answered, or is another one by then, is asked anew.
START_TEST(says_hello_until_it_is_answered)
{
    listen_there();
    for (int restarted = 0; restarted < 2; restarted++) {
        pid_t child = serve(3, restarted ? DOCAD__MESSAGE__BODY_RESUMED : 0);
        ck_assert_int_eq(open_there(60000), CALL_DONE);
        ck_assert_int_eq(reply->body_case, DOCAD__MESSAGE__BODY_OK);
        assert_served(child);
        message_freep(&reply);
    }
    close(listener);
    unlink(path);
}
END_TEST

START_TEST(nobody_is_there)
{
    listen_there();
    ck_assert_int_eq(open_there(10), CALL_TIMED_OUT); // nobody answers
    close(listener);
    ck_assert_int_eq(open_there(1000), CALL_UNREACHABLE);
    ck_assert_int_eq(line.error, ECONNREFUSED);
    unlink(path);
    ck_assert_int_eq(open_there(1000), CALL_UNREACHABLE);
    ck_assert_int_eq(line.error, ENOENT);
    ck_assert_int_eq(line.sock, -1);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("call");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, answer_and_what_comes_with_it);
    tcase_add_test(tcase, drops_what_was_not_asked_now);
    tcase_add_test(tcase, asks_again_after_a_restart);
    tcase_add_test(tcase, time_limit);
    tcase_add_test(tcase, end_of_the_connection);
    tcase_add_test(tcase, another_protocol);
    tcase_add_test(tcase, too_large_a_request);
    tcase_add_test(tcase, says_hello_until_it_is_answered);
    tcase_add_test(tcase, nobody_is_there);
    return unit_run_case("call", tcase);
}

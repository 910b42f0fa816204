// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A client's requests, and all that a docad can make of them.

#include "call.h"

#include "cleanup.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

// docad refuses the connection before it has read the hello, or without reading it.
START_TEST(a_refusal_before_the_hello)
{
    Docad__Message refusal = DOCAD__MESSAGE__INIT, request = DOCAD__MESSAGE__INIT;
    Docad__Error error = DOCAD__ERROR__INIT;
    Docad__Hello hello = DOCAD__HELLO__INIT;

    error.code = 1;
    error.text = (char *)"too many";
    refusal.body_case = DOCAD__MESSAGE__BODY_ERROR;
    refusal.error = &error;
    if (_i == 1)
        ck_assert_int_eq(send(line.sock, "unread", 6, MSG_NOSIGNAL), 6);
    ck_assert_int_eq(message_send(docad, &refusal, NULL, 0, 0), 0);
    if (_i < 2)
        close_fdp(&docad);
    request.body_case = DOCAD__MESSAGE__BODY_HELLO;
    request.hello = &hello;
    ck_assert_int_eq(call_exchange(&line, &request, NULL, 0, 1000, &reply, &fds), CALL_DONE);
    ck_assert_int_eq(reply->body_case, DOCAD__MESSAGE__BODY_ERROR);
    ck_assert_str_eq(reply->error->text, "too many");
}
END_TEST

// Other requests are not refused so.
START_TEST(an_error_that_nobody_asked_for)
{
    Docad__Message refusal = DOCAD__MESSAGE__INIT;
    Docad__Error error = DOCAD__ERROR__INIT;

    refusal.body_case = DOCAD__MESSAGE__BODY_ERROR;
    refusal.error = &error;
    ck_assert_int_eq(message_send(docad, &refusal, NULL, 0, 0), 0);
    close_fdp(&docad);
    ck_assert_int_eq(ask(1000), CALL_LOST);
}
END_TEST

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

// However much lies there that was not asked: after the time limit it reads one message, no more.
START_TEST(chatter_does_not_take_longer)
{
    enum { SAID = 6 };
    cleanup_message Docad__Message *left = NULL;
    struct fd_list with;
    for (int i = 0; i < SAID; i++)
        say(0, i % 2 ? DOCAD__MESSAGE__BODY_RESUMED : DOCAD__MESSAGE__BODY_OK, NULL, 0);
    ck_assert_int_eq(ask(0), CALL_TIMED_OUT);
    assert_asked(7, 0);
    for (int i = 1; i < SAID; i++) {
        message_freep(&left);
        ck_assert_int_eq(message_recv(line.sock, &left, &with, MSG_DONTWAIT), 1);
    }
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

START_TEST(room_for_answers_is_kept)
{
    line.keeps_room = true;
    say(7, DOCAD__MESSAGE__BODY_OK, NULL, 0);
    ck_assert_int_eq(ask(1000), CALL_DONE);
    const struct message_room room = line.room;
    ck_assert(room.packet && room.reserve);
    say(8, DOCAD__MESSAGE__BODY_OK, NULL, 0);
    ck_assert_int_eq(ask(1000), CALL_DONE);
    ck_assert_ptr_eq(line.room.packet, room.packet);
    ck_assert_ptr_eq(line.room.reserve, room.reserve);
    line.keeps_room = false;
    say(9, DOCAD__MESSAGE__BODY_OK, NULL, 0);
    ck_assert_int_eq(ask(1000), CALL_DONE);
    ck_assert(!line.room.packet && !line.room.reserve);
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

// ---- who listens there ----------------------------------------------------------------------

#define STRANGER "64007" // a user that no machine has

// From now on the socket is this user's: listen() says so.
static void listen_as_stranger(void)
{
    int status;
    listen_there();
    pid_t child = fork();
    if (child == 0) {
        uid_t uid = (uid_t)atoi(STRANGER);
        _exit(setresuid(uid, uid, uid) != 0 || listen(listener, 16) != 0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

static void stop_listening(void)
{
    close(listener);
    unlink(path);
}

static bool cannot_become_another(void)
{
    if (geteuid() == 0)
        return false;
    puts("call: only root can test servers of other users");
    return true;
}

START_TEST(says_nothing_to_a_stranger)
{
    char byte;
    if (cannot_become_another())
        return;
    unsetenv("DOCAD_SERVER_USER");
    listen_as_stranger();
    ck_assert_int_eq(open_there(1000), CALL_OTHER_USER);
    ck_assert_int_eq(line.sock, -1);
    ck_assert_uint_eq(line.server, (uid_t)atoi(STRANGER));
    cleanup_fd int sock = accept(listener, NULL, NULL);
    ck_assert_int_eq(recv(sock, &byte, 1, MSG_DONTWAIT), 0);
    stop_listening();
}
END_TEST

START_TEST(talks_to_a_user_that_is_named)
{
    static const char *const lists[] = {STRANGER, "root, " STRANGER, "nobody-at-all," STRANGER};
    static const char *const others[] = {"6400", "64007x", "root,docad", ","};
    if (cannot_become_another())
        return;
    listen_as_stranger();
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        setenv("DOCAD_SERVER_USER", lists[i], 1);
        ck_assert_int_eq(open_there(10), CALL_TIMED_OUT); // it does not answer
    }
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        setenv("DOCAD_SERVER_USER", others[i], 1);
        ck_assert_int_eq(open_there(10), CALL_OTHER_USER);
    }
    stop_listening();
}
END_TEST

// As in a container with user namespaces, where docad's user does not exist.
static bool enter_container(void)
{
    uid_t uid = (uid_t)atoi(STRANGER) + 1;
    char map[32];
    ck_assert_int_eq(setresuid(uid, uid, uid), 0);
    prctl(PR_SET_DUMPABLE, 1);
    if (unshare(CLONE_NEWUSER) != 0) {
        puts("call: no user namespaces here");
        return false;
    }
    cleanup_fd int file = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
    int n = snprintf(map, sizeof(map), "0 %u 1", (unsigned)uid);
    ck_assert_int_eq(write(file, map, (size_t)n), n);
    return true;
}

static _Noreturn void be_in_container(void)
{
    if (enter_container()) {
        ck_assert_int_eq(open_there(10), CALL_TIMED_OUT);
        setenv("DOCAD_SERVER_USER", "1", 1);
        ck_assert_int_eq(open_there(10), CALL_OTHER_USER);
        setenv("DOCAD_SERVER_USER", "65534", 1);
        ck_assert_int_eq(open_there(10), CALL_TIMED_OUT);
    }
    _exit(0);
}

START_TEST(talks_to_a_server_outside_its_user_namespace)
{
    if (cannot_become_another())
        return;
    unsetenv("DOCAD_SERVER_USER");
    listen_there();
    ck_assert_int_eq(chmod(path, 0666), 0);
    pid_t child = fork();
    if (child == 0)
        be_in_container();
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    stop_listening();
    ck_assert_int_eq(status, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("call");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, a_refusal_before_the_hello, 0, 3);
    tcase_add_test(tcase, an_error_that_nobody_asked_for);
    tcase_add_test(tcase, answer_and_what_comes_with_it);
    tcase_add_test(tcase, drops_what_was_not_asked_now);
    tcase_add_test(tcase, chatter_does_not_take_longer);
    tcase_add_test(tcase, asks_again_after_a_restart);
    tcase_add_test(tcase, time_limit);
    tcase_add_test(tcase, end_of_the_connection);
    tcase_add_test(tcase, another_protocol);
    tcase_add_test(tcase, too_large_a_request);
    tcase_add_test(tcase, room_for_answers_is_kept);
    tcase_add_test(tcase, says_hello_until_it_is_answered);
    tcase_add_test(tcase, nobody_is_there);
    tcase_add_test(tcase, says_nothing_to_a_stranger);
    tcase_add_test(tcase, talks_to_a_user_that_is_named);
    tcase_add_test(tcase, talks_to_a_server_outside_its_user_namespace);
    return unit_run_case("call", tcase);
}

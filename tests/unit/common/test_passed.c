// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors that a service manager passes. Check has descriptors from 3 on, too: they are put
// aside meanwhile.

#include "unit.h"

#include "cleanup.h"
#include "passed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void offer(const char *pid, const char *n, const char *names)
{
    char own[16];
    snprintf(own, sizeof(own), "%d", (int)getpid());
    setenv("LISTEN_PID", pid ? pid : own, 1);
    if (n)
        setenv("LISTEN_FDS", n, 1);
    if (names)
        setenv("LISTEN_FDNAMES", names, 1);
}

struct taken {
    int n, error, flags[2];
    char **names;
};

// What docad takes where a manager has opened two descriptors. Nothing may fail meanwhile.
static struct taken take_of_two(void)
{
    struct taken t = {0};
    int aside[2];
    for (int i = 0; i < 2; i++) {
        aside[i] = fcntl(PASSED_FIRST + i, F_DUPFD_CLOEXEC, 100);
        dup2(STDERR_FILENO, PASSED_FIRST + i);
    }
    t.n = passed_take(&t.names);
    t.error = errno;
    for (int i = 0; i < 2; i++) {
        t.flags[i] = fcntl(PASSED_FIRST + i, F_GETFD);
        if (aside[i] >= 0)
            dup3(aside[i], PASSED_FIRST + i, O_CLOEXEC);
        else
            close(PASSED_FIRST + i);
        close_fdp(&aside[i]);
    }
    return t;
}

static void assert_taken(const char *first, const char *second)
{
    struct taken t = take_of_two();
    ck_assert_int_eq(t.n, 2);
    ck_assert_str_eq(t.names[0], first);
    ck_assert_str_eq(t.names[1], second);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(t.flags[i], FD_CLOEXEC);
        free(t.names[i]);
    }
    free(t.names);
    ck_assert_ptr_null(getenv("LISTEN_PID"));
    ck_assert_ptr_null(getenv("LISTEN_FDS"));
    ck_assert_ptr_null(getenv("LISTEN_FDNAMES"));
    ck_assert_int_eq(take_of_two().n, 0);
}

static void assert_nothing_is_taken(int result)
{
    struct taken t = take_of_two();
    ck_assert_int_eq(t.n, result);
    ck_assert_ptr_null(t.names);
    if (result < 0)
        ck_assert_int_eq(t.error, EINVAL);
}

START_TEST(each_has_its_name)
{
    offer(NULL, "2", "docad.socket:docad-records");
    assert_taken("docad.socket", "docad-records");
}
END_TEST

START_TEST(names_that_are_not_there)
{
    offer(NULL, "2", NULL);
    assert_taken("unknown", "unknown");
    offer(NULL, "2", "one");
    assert_taken("one", "unknown");
    offer(NULL, "2", ":two");
    assert_taken("", "two");
    offer(NULL, "2", "one:two:three");
    assert_taken("one", "two");
}
END_TEST

// A parent of this process got them, and left the variables to it.
START_TEST(those_of_another_process)
{
    offer("1", "2", "a:b");
    struct taken t = take_of_two();
    ck_assert_int_eq(t.n, 0);
    ck_assert_ptr_null(t.names);
    ck_assert_int_eq(t.flags[0], 0);
    offer(NULL, NULL, "a:b");
    assert_nothing_is_taken(0);
}
END_TEST

static const struct {
    const char *pid, *n;
} nonsense[] = {
    {NULL, ""}, {NULL, "-1"},         {NULL, "2x"},         {NULL, " 2"}, {"", "2"},
    {"x", "2"}, {NULL, "4294967298"}, {NULL, "2147483647"}, {NULL, "99"}, // not open
};

START_TEST(nonsense_is_refused)
{
    offer(nonsense[_i].pid, nonsense[_i].n, "a:b");
    assert_nothing_is_taken(-1);
}
END_TEST

// A socket with an address that the kernel chooses, below no directory.
static int socket_of(int type, bool listening)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, type, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address.sun_family)), 0);
    if (listening)
        ck_assert_int_eq(listen(fd, 1), 0);
    return fd;
}

START_TEST(what_is_a_listener)
{
    ck_assert(passed_is_listener(socket_of(SOCK_SEQPACKET, true)));
    ck_assert(!passed_is_listener(socket_of(SOCK_SEQPACKET, false)));
    ck_assert(!passed_is_listener(socket_of(SOCK_STREAM, true)));
    ck_assert(!passed_is_listener(STDERR_FILENO));
    int tcp = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(listen(tcp, 1), 0);
    ck_assert(!passed_is_listener(tcp));
    ck_assert(!passed_is_listener(-1));
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("passed");
    tcase_add_test(tcase, each_has_its_name);
    tcase_add_test(tcase, names_that_are_not_there);
    tcase_add_test(tcase, those_of_another_process);
    tcase_add_loop_test(tcase, nonsense_is_refused, 0, ARRAY_SIZE(nonsense));
    tcase_add_test(tcase, what_is_a_listener);
    return unit_run_case("passed", tcase);
}

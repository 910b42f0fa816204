// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tests what a child of fork() has in the place of an object's descriptors and pages.

#include "core/severed.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct object {
    int sock, event, later;
    uint8_t *page;
    struct severed severed;
};

static struct object object;
static int peer;

// The child may not use ck_assert: it has the test's results in a pipe.
#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            _exit((__LINE__ % 200) + 20);                                                          \
    } while (0)

static void make(void)
{
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    object = (struct object){.sock = ends[0], .event = eventfd(1, EFD_CLOEXEC), .later = -1};
    peer = ends[1];
    object.page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(object.page, MAP_FAILED);
    object.page[0] = 'p';
    object.severed = (struct severed){
        .pages = object.page, .length = 4096, .fds = {&object.sock, &object.event, &object.later}};
    severed_add(&object.severed);
}

static void in_child(void (*fn)(void))
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60); // ends a child that hangs
        fn();
        _exit(0);
    }
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(status == 0, "status %#x (line: exit status - 20, modulo 200)", status);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static bool peer_is_gone(int sock)
{
    char byte;
    return recv(sock, &byte, 1, MSG_DONTWAIT) == 0;
}

static bool not_signalled(int event)
{
    uint64_t n;
    return read(event, &n, sizeof(n)) < 0 && errno == EAGAIN;
}

static void is_severed(void)
{
    require(peer_is_gone(object.sock) && not_signalled(object.event));
    require(object.page[0] == 0);
    object.page[0] = 'c';
}

static void and_its_child(void)
{
    int status;
    is_severed();
    object.page[0] = 0;
    pid_t pid = fork();
    if (pid == 0) {
        is_severed();
        _exit(0);
    }
    require(waitpid(pid, &status, 0) == pid && status == 0);
}

START_TEST(replaced)
{
    make();
    in_child(and_its_child);
    ck_assert_uint_eq(object.page[0], 'p');
    ck_assert_int_eq(send(peer, "x", 1, MSG_NOSIGNAL), 1);
    severed_remove(&object.severed);
}
END_TEST

static void later_is_severed(void)
{
    require(peer_is_gone(object.later));
}

START_TEST(opened_later)
{
    int ends[2];
    make();
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    object.later = ends[0];
    severed_note(&object.severed);
    in_child(later_is_severed);
    severed_remove(&object.severed);
}
END_TEST

// The file of the program that has the number now.
static int theirs;

static void theirs_is_left(void)
{
    struct stat now;
    require(fstat(theirs, &now) == 0 && S_ISREG(now.st_mode));
    require(object.sock == -1 && not_signalled(object.event));
}

START_TEST(number_of_another_file)
{
    make();
    theirs = object.sock;
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(dup3(file, theirs, O_CLOEXEC), theirs);
    in_child(theirs_is_left);
    severed_remove(&object.severed);
}
END_TEST

static int numbers[2];

static void has_none(void)
{
    require(object.sock == -1 && object.event == -1);
    require(!is_open(numbers[0]) && !is_open(numbers[1]));
}

START_TEST(no_more_descriptors)
{
    struct rlimit was, none;
    make();
    numbers[0] = object.sock;
    numbers[1] = object.event;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &was), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = was.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    in_child(has_none);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &was), 0);
    severed_remove(&object.severed);
}
END_TEST

UNIT_MAIN("severed", replaced, opened_later, number_of_another_file, no_more_descriptors)

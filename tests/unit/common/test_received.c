// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The kind of a descriptor is found out without waiting: a test that waits does not end.

#include "cleanup.h"
#include "hanging.h"
#include "memfd.h"
#include "received.h"
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

static enum received_kind kind_of(int taken)
{
    cleanup_fd int fd = taken;
    ck_assert_int_ge(fd, 0);
    return received_kind(fd);
}

START_TEST(kinds)
{
    int pair[2];
    ck_assert_int_eq(kind_of(memfd_create_sealed("a", 4096)), RECEIVED_MEMORY);
    ck_assert_int_eq(kind_of(memfd_create("a", MFD_CLOEXEC)), RECEIVED_KERNEL);
    ck_assert_int_eq(kind_of(eventfd(0, EFD_CLOEXEC)), RECEIVED_KERNEL);
    ck_assert_int_eq(kind_of(open("/proc/self/mem", O_RDWR | O_CLOEXEC)), RECEIVED_KERNEL);
    ck_assert_int_eq(kind_of(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)), RECEIVED_FOREIGN);
    ck_assert_int_eq(kind_of(open("/dev/null", O_RDWR | O_CLOEXEC)), RECEIVED_FOREIGN);
    ck_assert_int_eq(kind_of(open("/", O_RDONLY | O_CLOEXEC)), RECEIVED_FOREIGN);
    ck_assert_int_eq(kind_of(open("/", O_PATH | O_CLOEXEC)), RECEIVED_FOREIGN);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
    ck_assert_int_eq(kind_of(pair[0]), RECEIVED_KERNEL);
    ck_assert_int_eq(kind_of(pair[1]), RECEIVED_KERNEL);
    ck_assert_int_eq(pipe2(pair, O_CLOEXEC), 0);
    ck_assert_int_eq(kind_of(pair[0]), RECEIVED_KERNEL);
    ck_assert_int_eq(kind_of(pair[1]), RECEIVED_KERNEL);
    ck_assert_int_eq(received_kind(-1), RECEIVED_FOREIGN);
}
END_TEST

static bool at_once(int taken)
{
    cleanup_fd int fd = taken;
    ck_assert_int_ge(fd, 0);
    return received_closes_at_once(fd);
}

START_TEST(closes_at_once)
{
    ck_assert(at_once(memfd_create_sealed("a", 4 << 20)));
    ck_assert(!at_once(memfd_create_sealed("a", 5 << 20)));
    ck_assert(!at_once(memfd_create("a", MFD_CLOEXEC))); // it may grow
    ck_assert(!at_once(eventfd(0, EFD_CLOEXEC)));
    ck_assert(!at_once(open("/proc/self/mem", O_RDWR | O_CLOEXEC)));
    ck_assert(!received_closes_at_once(-1));
}
END_TEST

struct answer {
    enum received_kind kind;
    bool memory_of_process, closes_at_once;
};

static void ask(int fd, int to)
{
    struct answer answer = {received_kind(fd), !received_not_memory_of_process(fd),
                            received_closes_at_once(fd)};
    ck_assert_int_eq(write(to, &answer, sizeof(answer)), sizeof(answer));
}

static enum received_kind expected(enum hanging_kind kind)
{
    switch (kind) {
    case HANGING_FILE:
    case HANGING_POSITION:
        return RECEIVED_FOREIGN;
    case HANGING_MEMFD:
        return RECEIVED_MEMORY;
    default:
        return RECEIVED_KERNEL;
    }
}

// In a process of its own: if it waits, the test fails and everything else ends. (Its end may
// wait; that is what the answer is for.)
START_TEST(asks_nobody)
{
    enum hanging_kind kind = (enum hanging_kind)_i;
    struct answer answer;
    struct hanging h;
    const char *why;
    int answers[2];

    if (!hanging_open(&h, kind, &why)) {
        fprintf(stderr, "skipped %s: %s\n", hanging_names[kind], why);
        return;
    }
    ck_assert_int_eq(pipe2(answers, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        ask(h.fd, answers[1]);
        _exit(0);
    }
    struct pollfd p = {.fd = answers[0], .events = POLLIN};
    int n = poll(&p, 1, 20000);
    hanging_end(&h);
    waitpid(pid, NULL, 0);
    ck_assert_msg(n == 1, "%s: waits", hanging_names[kind]);
    ck_assert_int_eq(read(answers[0], &answer, sizeof(answer)), sizeof(answer));
    ck_assert_int_eq(answer.kind, expected(kind));
    ck_assert(!answer.memory_of_process);
    ck_assert(answer.closes_at_once == (kind == HANGING_MEMFD));
    close(answers[0]);
    close(answers[1]);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("received");
    tcase_add_test(tcase, kinds);
    tcase_add_test(tcase, closes_at_once);
    tcase_add_loop_test(tcase, asks_nobody, 0, HANGING_KINDS);
    return unit_run_case("received", tcase);
}

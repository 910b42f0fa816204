// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors whose closing waits: TCP sockets that linger over data which the other end
// never reads.

#include "unit.h"

#include "cleanup.h"
#include "closer.h"
#include "memfd.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/eventfd.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#define SENDER 4711
#define MANY   64

static int listener = -1;
static struct sockaddr_in address;

static void listen_somewhere(void)
{
    socklen_t size = sizeof(address);
    address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, size), 0);
    int small = 4096; // and not grown by the kernel
    ck_assert_int_eq(setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
    ck_assert_int_eq(listen(listener, MANY), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&address, &size), 0);
}

// Closing it waits until *other is closed.
static int lingering(int *other)
{
    static const char data[65536];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;
    struct linger linger = {.l_onoff = 1, .l_linger = 3600};
    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    *other = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    ck_assert_int_ge(*other, 0);
    // Until the other side's buffer is full too: what is under way to it may make room once more.
    do
        while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
            ;
    while (poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 20) > 0);
    return fd;
}

START_TEST(waiting_closes_hold_up_nobody)
{
    int others[MANY];
    listen_somewhere();
    for (int i = 0; i < MANY; i++) {
        ck_assert(!closer_is_clogged(SENDER));
        closer_take(lingering(&others[i]), SENDER);
    }
    ck_assert(closer_is_clogged(SENDER));
    ck_assert(!closer_is_clogged(SENDER + 1));
    for (int i = 0; i < MANY; i++) // with unread data this resets the connection
        close(others[i]);
    while (closer_is_clogged(SENDER))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    closer_stop();
    close(listener);
}
END_TEST

// The next descriptor number shows that it was closed before closer_take() returned.
static void assert_closed_at_once(int fd)
{
    ck_assert_int_ge(fd, 0);
    closer_take(fd, SENDER);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
}

START_TEST(harmless_ones_close_at_once)
{
    int ends[2];
    assert_closed_at_once(memfd_create_sealed("a", 4096));
    assert_closed_at_once(eventfd(0, EFD_CLOEXEC));
    assert_closed_at_once(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    assert_closed_at_once(ends[0]);
    assert_closed_at_once(ends[1]);
}
END_TEST

START_TEST(files_are_closed_in_the_end)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    closer_take(fd, SENDER);
    closer_stop();
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
    closer_stop(); // nothing to stop
}
END_TEST

UNIT_MAIN("closer", waiting_closes_hold_up_nobody, harmless_ones_close_at_once,
          files_are_closed_in_the_end)

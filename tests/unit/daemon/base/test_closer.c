// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors whose closing waits: TCP sockets that linger over data which the other end
// never reads.

#include "unit.h"

#include "cleanup.h"
#include "closer.h"
#include "memfd.h"
#include "packet.h"

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

// Waits until nobody has the other end of a pipe.
static void await_hang_up(int reader)
{
    char byte;
    ck_assert_int_eq(read(reader, &byte, 1), 0);
    close(reader);
}

static int make_pipe(int *reader)
{
    int ends[2];
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    *reader = ends[0];
    return ends[1];
}

static void make_pair(int type, int pair[2])
{
    ck_assert_int_eq(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair), 0);
}

static bool is_closed(int fd)
{
    return fcntl(fd, F_GETFD) < 0;
}

START_TEST(waiting_closes_hold_up_nobody)
{
    int others[MANY], pair[2], reader;
    listen_somewhere();
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_eq(closer_load(SENDER), CLOSER_READY);
        closer_take(lingering(&others[i]), SENDER);
    }
    // Only the sender has to wait.
    ck_assert_int_ne(closer_load(SENDER), CLOSER_READY);
    make_pair(SOCK_STREAM, pair);
    int fd = make_pipe(&reader);
    ck_assert_int_eq(packet_send(pair[1], "", 1, &fd, 1, 0), 0);
    close(fd);
    close(pair[1]);
    closer_take(pair[0], SENDER + 1);
    await_hang_up(reader);
    while (closer_load(SENDER) != CLOSER_CLOGGED)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    ck_assert_int_eq(closer_load(SENDER + 1), CLOSER_READY);
    for (int i = 0; i < MANY; i++) // with unread data this resets the connection
        close(others[i]);
    while (closer_load(SENDER) != CLOSER_READY)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    closer_stop();
    close(listener);
}
END_TEST

static void assert_closed_at_once(int fd)
{
    ck_assert_int_ge(fd, 0);
    closer_take(fd, SENDER);
    ck_assert(is_closed(fd));
}

START_TEST(harmless_ones_close_at_once)
{
    int ends[2];
    assert_closed_at_once(memfd_create_sealed("a", 4096));
    assert_closed_at_once(eventfd(0, EFD_CLOEXEC));
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    assert_closed_at_once(ends[0]);
    assert_closed_at_once(ends[1]);
    closer_take(-1, SENDER);
    closer_end(-1, SENDER);
}
END_TEST

START_TEST(files_are_closed_in_the_end)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    closer_take(fd, SENDER);
    closer_stop();
    ck_assert(is_closed(fd));
    closer_stop(); // nothing to stop
}
END_TEST

// Whether the other side has closed, and whatever docad has said to it.
START_TEST(empty_sockets_end_at_once)
{
    for (int i = 0; i < 16; i++) {
        int pair[2];
        make_pair(i & 8 ? SOCK_STREAM : SOCK_SEQPACKET, pair);
        if (i & 1)
            ck_assert_int_eq(send(pair[0], "x", 1, 0), 1);
        if (i & 2)
            close(pair[1]);
        // The other side sees the end though this one is in the store, too.
        int again = i & 4 ? dup(pair[0]) : -1;
        closer_end(pair[0], SENDER);
        ck_assert(is_closed(pair[0]));
        if (!(i & 2)) {
            char byte;
            ck_assert_int_eq(recv(pair[1], &byte, 1, 0), i & 1);
            ck_assert_int_eq(recv(pair[1], &byte, 1, 0), 0);
            ck_assert_int_lt(send(pair[1], "x", 1, MSG_NOSIGNAL), 0);
            close(pair[1]);
        }
        close_fdp(&again);
    }
    ck_assert_int_eq(closer_load(SENDER), CLOSER_READY);
}
END_TEST

static const struct {
    int type, flags;
    size_t size;
} packets[] = {
    {SOCK_STREAM, 0, 1},
    {SOCK_STREAM, MSG_OOB, 1},
    {SOCK_SEQPACKET, 0, 1},
    {SOCK_SEQPACKET, 0, 0},
};

// It would not return if it closed what lingers.
START_TEST(sockets_with_descriptors_end_elsewhere)
{
    listen_somewhere();
    for (size_t i = 0; i < ARRAY_SIZE(packets); i++) {
        int pair[2], other, fd = lingering(&other);
        make_pair(packets[i].type, pair);
        ck_assert_int_eq(packet_send(pair[1], "x", packets[i].size, &fd, 1, packets[i].flags), 0);
        close(fd);
        close(pair[1]);
        closer_end(pair[0], SENDER);
        close(other);
    }
    closer_stop();
    close(listener);
}
END_TEST

// docad's end of a socket in which a descriptor lies unread.
static void end_with(int fd)
{
    int pair[2];
    make_pair(SOCK_STREAM, pair);
    ck_assert_int_eq(packet_send(pair[1], "", 1, &fd, 1, 0), 0);
    close(fd);
    close(pair[1]);
    closer_end(pair[0], SENDER);
}

// Otherwise a client that connects again and again could make docad run out of descriptors.
START_TEST(ends_do_not_wait_for_what_was_taken)
{
    int others[8], reader;
    listen_somewhere();
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        closer_take(lingering(&others[i]), SENDER);
    end_with(make_pipe(&reader));
    await_hang_up(reader);
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        close(others[i]);
    closer_stop();
    close(listener);
}
END_TEST

START_TEST(many_ends_do_not_linger)
{
    int others[MANY + MANY / 2], reader;
    listen_somewhere();
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        end_with(lingering(&others[i]));
    while (closer_load(SENDER) != CLOSER_READY)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        close(others[i]);
    end_with(make_pipe(&reader));
    await_hang_up(reader);
    closer_stop();
    close(listener);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {waiting_closes_hold_up_nobody,
                                  harmless_ones_close_at_once,
                                  files_are_closed_in_the_end,
                                  empty_sockets_end_at_once,
                                  sockets_with_descriptors_end_elsewhere,
                                  ends_do_not_wait_for_what_was_taken,
                                  many_ends_do_not_linger};
    setenv("CK_DEFAULT_TIMEOUT", "60", 0); // being clogged takes seconds
    return unit_run("closer", tests, ARRAY_SIZE(tests));
}

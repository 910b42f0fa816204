// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "packet.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

static int near, far;

static void open_pair(void)
{
    int pair[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    near = pair[0];
    far = pair[1];
}

static void close_pair(void)
{
    close_fdp(&near);
    close_fdp(&far);
}

static int lowest_free_fd(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

START_TEST(carries_bytes_and_descriptors)
{
    char buf[16];
    struct fd_list fds;
    int pipe_fds[2];

    open_pair();
    ck_assert_int_eq(pipe(pipe_fds), 0);
    ck_assert_int_eq(packet_send(near, "hello", 5, pipe_fds, 2, 0), 0);
    ck_assert_int_eq(packet_recv(far, buf, sizeof(buf), &fds, 0), 5);
    ck_assert_mem_eq(buf, "hello", 5);
    ck_assert_uint_eq(fds.count, 2);

    int reader = fd_list_take(&fds, 0);
    ck_assert_int_eq(fd_list_take(&fds, 0), -1);
    ck_assert_int_eq(fd_list_take(&fds, 2), -1);
    ck_assert(fcntl(reader, F_GETFD) & FD_CLOEXEC);
    ck_assert_int_eq(write(fds.fds[1], "x", 1), 1);
    ck_assert_int_eq(read(reader, buf, 1), 1);
    ck_assert_int_eq(buf[0], 'x');

    close(reader);
    fd_list_close(&fds);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    close_pair();
}
END_TEST

START_TEST(end_of_stream_and_nothing_there)
{
    char buf[16];
    struct fd_list fds;
    open_pair();
    ck_assert_int_eq(packet_recv(far, buf, sizeof(buf), &fds, MSG_DONTWAIT), -EAGAIN);
    close_fdp(&near);
    ck_assert_int_eq(packet_recv(far, buf, sizeof(buf), &fds, 0), 0);
    ck_assert_int_eq(packet_send(far, "x", 1, NULL, 0, 0), -EPIPE);
    close_pair();
}
END_TEST

START_TEST(too_large_keeps_no_descriptor)
{
    char buf[4];
    struct fd_list fds;
    open_pair();
    int before = lowest_free_fd();
    int zero = 0;
    ck_assert_int_eq(packet_send(near, "hello", 5, &zero, 1, 0), 0);
    ck_assert_int_eq(packet_recv(far, buf, sizeof(buf), &fds, 0), -EMSGSIZE);
    ck_assert_uint_eq(fds.count, 0);
    ck_assert_int_eq(lowest_free_fd(), before);
    close_pair();
}
END_TEST

// Sends more descriptors than packet_send() lets one send.
static void send_raw_fds(int sock, size_t n)
{
    char control[CMSG_SPACE(sizeof(int) * 64)] = {0};
    char x = 'x';
    struct iovec iov = {.iov_base = &x, .iov_len = 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = CMSG_SPACE(sizeof(int) * n)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * n);
    memset(CMSG_DATA(c), 0, sizeof(int) * n); // n times standard input
    ck_assert_int_eq(sendmsg(sock, &msg, 0), 1);
}

START_TEST(too_many_descriptors_are_all_closed)
{
    char buf[4];
    struct fd_list fds;
    open_pair();
    int before = lowest_free_fd();
    size_t counts[] = {PACKET_FDS_MAX + 1, PACKET_FDS_MAX + 2, 64};
    for (size_t i = 0; i < 3; i++) {
        send_raw_fds(near, counts[i]);
        ck_assert_int_eq(packet_recv(far, buf, sizeof(buf), &fds, 0), -EBADMSG);
        ck_assert_uint_eq(fds.count, 0);
        ck_assert_int_eq(lowest_free_fd(), before);
    }
    int zeros[PACKET_FDS_MAX + 1] = {0};
    ck_assert_int_eq(packet_send(near, "x", 1, zeros, PACKET_FDS_MAX + 1, 0), -E2BIG);
    close_pair();
}
END_TEST

UNIT_MAIN("packet", carries_bytes_and_descriptors, end_of_stream_and_nothing_there,
          too_large_keeps_no_descriptor, too_many_descriptors_are_all_closed)

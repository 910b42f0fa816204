// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "bytes_only.h"
#include "cleanup.h"
#include "packet.h"
#include "unit.h"

#include <errno.h>
#include <sys/socket.h>

static int closed;

static void count_closed(int fd)
{
    closed++;
    close(fd);
}

START_TEST(carries_bytes)
{
    char buf[8];
    int pair[2];
    ck_assert_int_eq(bytes_only_pair(SOCK_SEQPACKET | SOCK_CLOEXEC, pair), 0);
    ck_assert_int_eq(send(pair[0], "hello", 5, 0), 5);
    ck_assert_int_eq(bytes_recv(pair[1], buf, sizeof(buf), 0), 5);
    ck_assert_mem_eq(buf, "hello", 5);
    ck_assert_int_eq(bytes_recv(pair[1], buf, sizeof(buf), MSG_DONTWAIT), -1);
    ck_assert_int_eq(errno, EAGAIN);
    ck_assert_int_eq(send(pair[0], "hello", 5, 0), 5);
    ck_assert(bytes_drain(pair[1]));
    close(pair[0]);
    ck_assert(!bytes_drain(pair[1]));
    close(pair[1]);
}
END_TEST

// Where the kernel does not refuse them, they arrive, and are not kept.
START_TEST(takes_no_descriptors)
{
    char buf[8];
    int pair[2], fds[PACKET_FDS_MAX] = {0, 1, 2, 0};
    ck_assert_int_eq(bytes_only_pair(SOCK_SEQPACKET | SOCK_CLOEXEC, pair), 0);
    int r = packet_send(pair[0], "x", 1, fds, 4, MSG_DONTWAIT);
    ck_assert_int_eq(r, bytes_only(pair[1]) ? -EPERM : 0);
    close(pair[0]);
    close(pair[1]);

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    ck_assert(!bytes_only(pair[1]));
    fd_list_close_one = count_closed;
    ck_assert_int_eq(packet_send(pair[0], "x", 1, fds, 4, 0), 0);
    ck_assert_int_eq(bytes_recv(pair[1], buf, sizeof(buf), 0), -1);
    ck_assert_int_eq(errno, EBADMSG);
    ck_assert_int_eq(closed, 4);
    ck_assert_int_eq(packet_send(pair[0], "x", 1, fds, 1, 0), 0);
    ck_assert(!bytes_drain(pair[1]));
    ck_assert_int_eq(errno, EBADMSG);
    ck_assert_int_eq(closed, 5);
    close(pair[0]);
    close(pair[1]);
}
END_TEST

UNIT_MAIN("bytes_only", carries_bytes, takes_no_descriptors)

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "bytes_only.h"

#include "packet.h"

#include <errno.h>
#include <sys/socket.h>

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83 // since Linux 6.16; headers may be older than the kernel
#endif

bool bytes_only_set(int sock)
{
    int off = 0;
    return setsockopt(sock, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof(off)) == 0;
}

bool bytes_only(int sock)
{
    int takes = 1;
    socklen_t size = sizeof(takes);
    return getsockopt(sock, SOL_SOCKET, SO_PASSRIGHTS, &takes, &size) == 0 && !takes;
}

int bytes_only_pair(int type, int pair[2])
{
    int r = socketpair(AF_UNIX, type, 0, pair);
    if (r == 0 && bytes_only_set(pair[0]))
        bytes_only_set(pair[1]);
    return r;
}

// Returns true if there were any.
static bool dispose(struct msghdr *msg)
{
    struct fd_list fds = {.count = 0};
    bool control = msg->msg_controllen > 0;

    // Closes descriptors that do not fit into the list.
    packet_take_fds(msg, &fds);
    fd_list_close(&fds);
    return control || (msg->msg_flags & MSG_CTRUNC);
}

ssize_t bytes_recv(int sock, void *data, size_t size, int flags)
{
    union packet_control control;
    struct iovec iov = {.iov_base = data, .iov_len = size};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof(control.bytes)};

    ssize_t n = recvmsg(sock, &msg, flags | MSG_CMSG_CLOEXEC);
    if (n >= 0 && __builtin_expect(dispose(&msg), 0)) {
        errno = EBADMSG;
        return -1;
    }
    return n;
}

bool bytes_drain(int sock)
{
    char drop[256];
    ssize_t n;

    do
        n = bytes_recv(sock, drop, sizeof(drop), MSG_DONTWAIT);
    while (n > 0);
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "socket_empty.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// More packets than a client's socket has room for, if they carry messages.
#define DROPPED_PACKETS 1024

// Drops packets with bytes only. Returns true if no packet is left, not even an empty one. Each
// packet comes with credentials; there is no room for descriptors, so a packet with some is
// recognised, and keeps them.
static bool drops_all_packets(int fd)
{
    char byte, control[CMSG_SPACE(sizeof(struct ucred))];
    struct iovec iov = {.iov_base = &byte, .iov_len = 1};
    int on = 1;

    if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
        return false;
    for (unsigned i = 0; i < DROPPED_PACKETS; i++) {
        struct msghdr msg = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof(control)};
        ssize_t n = recvmsg(fd, &msg, MSG_PEEK | MSG_DONTWAIT);
        if (n < 0 && errno == EAGAIN)
            return true;
        if (n < 0 && errno != EINTR && errno != ECONNRESET)
            return false;
        if (n < 0)
            continue;
        if (n == 0 && msg.msg_controllen == 0)
            return true;
        if (msg.msg_flags & MSG_CTRUNC)
            return false;
        recv(fd, &byte, 1, MSG_DONTWAIT);
    }
    return false;
}

bool socket_is_empty(int fd)
{
    int type, bytes;
    socklen_t size = sizeof(type);

    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0)
        return false;
    return type == SOCK_STREAM ? ioctl(fd, FIONREAD, &bytes) == 0 && bytes == 0
                               : drops_all_packets(fd);
}

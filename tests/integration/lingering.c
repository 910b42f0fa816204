// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "lingering.h"

#include "cleanup.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define SECONDS 3600
#define FULL_MS 20

void lingering_open(struct lingering *l)
{
    static const char data[65536];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct linger linger = {.l_onoff = 1, .l_linger = SECONDS};
    socklen_t size = sizeof(address);
    int small = 4096; // and not grown by the kernel

    l->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    l->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(setsockopt(l->listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
    ck_assert_int_eq(setsockopt(l->fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
    ck_assert_int_eq(bind(l->listener, (struct sockaddr *)&address, size), 0);
    ck_assert_int_eq(listen(l->listener, 1), 0);
    ck_assert_int_eq(getsockname(l->listener, (struct sockaddr *)&address, &size), 0);
    ck_assert_int_eq(setsockopt(l->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
    ck_assert_int_eq(connect(l->fd, (struct sockaddr *)&address, size), 0);
    l->other = accept4(l->listener, NULL, NULL, SOCK_CLOEXEC);
    ck_assert_int_ge(l->other, 0);
    // Sends until the other side is full, too: bytes under way to it may make room once more.
    do
        while (send(l->fd, data, sizeof(data), MSG_DONTWAIT) > 0)
            ;
    while (poll(&(struct pollfd){.fd = l->fd, .events = POLLOUT}, 1, FULL_MS) > 0);
}

static bool send_fds(int sock, size_t size, const int *fds, size_t n_fds, int flags)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int) * LINGERING_MAX)];
        struct cmsghdr align;
    } control = {0};
    char bytes[4] = "\xff\xff\xff";
    struct iovec iov = {.iov_base = bytes, .iov_len = size};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = CMSG_SPACE(sizeof(int) * n_fds)};

    ck_assert(size <= sizeof(bytes) && n_fds <= LINGERING_MAX);
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
    memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
    ssize_t n = sendmsg(sock, &msg, flags | MSG_NOSIGNAL);
    if (n < 0 && (errno == EPERM || errno == EPIPE))
        return false;
    ck_assert_int_eq(n, (int)size);
    return true;
}

bool lingering_send(struct lingering *l, int sock, size_t size, size_t n_fds, int flags)
{
    int fds[LINGERING_MAX];
    for (size_t i = 0; i < n_fds; i++)
        fds[i] = i + 1 < n_fds ? l->listener : l->fd;
    return send_fds(sock, size, fds, n_fds, flags);
}

void lingering_send_each(struct lingering *l, size_t n, int sock)
{
    int fds[LINGERING_MAX];
    for (size_t i = 0; i < n; i++)
        fds[i] = l[i].fd;
    ck_assert(send_fds(sock, 1, fds, n, 0));
}

void lingering_leave(struct lingering *l)
{
    close_fdp(&l->fd);
}

void lingering_end(struct lingering *l)
{
    if (l->listener <= 0)
        return;           // it was not opened, or has ended
    close_fdp(&l->other); // with unread data this resets the connection
    close_fdp(&l->listener);
}

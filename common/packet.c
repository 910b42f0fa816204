// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "packet.h"

#include "cleanup.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

static void close_one(int fd)
{
    close(fd);
}

void (*fd_list_close_one)(int fd) = close_one;

void fd_list_close(struct fd_list *list)
{
    int saved = errno;
    for (size_t i = 0; i < list->count; i++)
        if (list->fds[i] >= 0)
            fd_list_close_one(list->fds[i]);
    list->count = 0;
    errno = saved;
}

int fd_list_take(struct fd_list *list, size_t index)
{
    return index < list->count ? steal_fd(&list->fds[index]) : -1;
}

bool packet_has_room(void)
{
    int fds[PACKET_FDS_MAX], n = 0;

    while (n < PACKET_FDS_MAX && (fds[n] = eventfd(0, EFD_CLOEXEC)) >= 0)
        n++;
    bool full = n < PACKET_FDS_MAX && (errno == EMFILE || errno == ENFILE);
    for (int i = 0; i < n; i++)
        close(fds[i]);
    return !full;
}

int packet_send(int sock, const void *data, size_t size, const int *fds, size_t n_fds, int flags)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int) * PACKET_FDS_MAX)];
        struct cmsghdr align;
    } control;
    struct iovec iov = {.iov_base = (void *)data, .iov_len = size};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

    if (n_fds > PACKET_FDS_MAX)
        return -E2BIG;
    if (n_fds > 0) {
        memset(&control, 0, sizeof(control));
        msg.msg_control = control.bytes;
        msg.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
        memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
    }
    for (;;) {
        ssize_t n = sendmsg(sock, &msg, flags | MSG_NOSIGNAL);
        if (n >= 0)
            return 0;
        if (errno != EINTR)
            return -errno;
    }
}

// Moves the descriptors of every SCM_RIGHTS record into the list. Closes those that
// exceed its capacity, and then returns false.
static int collect_fds(struct msghdr *msg, struct fd_list *fds)
{
    int fit = 1;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
            if (fds->count < PACKET_FDS_MAX) {
                fds->fds[fds->count++] = fd;
            } else {
                fd_list_close_one(fd);
                fit = 0;
            }
        }
    }
    return fit;
}

int packet_take_fds(struct msghdr *msg, struct fd_list *fds)
{
    int fit = collect_fds(msg, fds);
    if (!fit || (msg->msg_flags & MSG_CTRUNC)) {
        fd_list_close(fds);
        return -EBADMSG;
    }
    if (msg->msg_flags & MSG_TRUNC) {
        fd_list_close(fds);
        return -EMSGSIZE;
    }
    return 0;
}

ssize_t packet_recv(int sock, void *buf, size_t size, struct fd_list *fds, int flags)
{
    union packet_control control;
    struct iovec iov = {.iov_base = buf, .iov_len = size};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof(control.bytes)};
    ssize_t n;

    fds->count = 0;
    fds->no_room = false;
    do {
        n = recvmsg(sock, &msg, flags | MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;

    int r = packet_take_fds(&msg, fds);
    return r < 0 ? r : n;
}

// Without room for descriptors the kernel only reports that there are some. Those that it drops
// here are copies: the packet still has them.
static ssize_t peek(int sock, void *buf, size_t size, int flags, int *msg_flags)
{
    struct iovec iov = {.iov_base = buf, .iov_len = size};
    struct msghdr msg;
    ssize_t n;

    do {
        msg = (struct msghdr){.msg_iov = &iov, .msg_iovlen = 1};
        n = recvmsg(sock, &msg, flags | MSG_PEEK);
    } while (n < 0 && errno == EINTR);
    *msg_flags = msg.msg_flags;
    return n < 0 ? -errno : n;
}

ssize_t packet_recv_or_peek(int sock, void *buf, size_t size, int flags, size_t *seen)
{
    int msg_flags;
    ssize_t n = peek(sock, buf, size, flags, &msg_flags);

    if (n < 0)
        return n;
    *seen = (size_t)n;
    if (msg_flags & MSG_CTRUNC)
        return PACKET_BRINGS_FDS;
    if (msg_flags & MSG_TRUNC)
        return -EMSGSIZE;
    while (n > 0 && recv(sock, buf, (size_t)n, flags) < 0)
        if (errno != EINTR)
            return -errno;
    return n;
}

ssize_t packet_recv_plain(int sock, void *buf, size_t size, int flags)
{
    size_t seen;
    return packet_recv_or_peek(sock, buf, size, flags, &seen);
}

void packet_drop(int sock)
{
    while (recv(sock, NULL, 0, MSG_DONTWAIT) < 0 && errno == EINTR)
        ;
}

int packet_brings_fds(int sock)
{
    char byte;
    int msg_flags;
    ssize_t n = peek(sock, &byte, 1, MSG_DONTWAIT, &msg_flags);
    return n < 0 ? (int)n : (msg_flags & MSG_CTRUNC) != 0;
}

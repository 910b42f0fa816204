// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "flood_packet.h"

#include "cleanup.h"
#include "flood_session.h"

#include <sys/epoll.h>
#include <sys/socket.h>

static void drain(int sock)
{
    static uint8_t bytes[PACKET_SIZE_MAX];
    struct fd_list fds;
    while (packet_recv(sock, bytes, sizeof(bytes), &fds, MSG_DONTWAIT) > 0)
        fd_list_close(&fds);
}

void flood_with_packet(Docad__Message *message, const int *socks, size_t n, const int *listeners,
                       size_t n_listeners)
{
    static uint8_t packet[PACKET_SIZE_MAX];
    struct epoll_event events[64];
    cleanup_fd int epoll = epoll_create1(EPOLL_CLOEXEC);

    if (n == 0)
        return;
    message->serial = 1;
    size_t size = docad__message__pack(message, packet);
    for (size_t i = 0; i < n + n_listeners; i++) {
        struct epoll_event event = {.events = i < n ? EPOLLIN | EPOLLOUT : EPOLLIN,
                                    .data.fd = i < n ? socks[i] : listeners[i - n]};
        epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
    }
    for (;;) {
        int ready = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < ready; i++) {
            int sock = events[i].data.fd;
            if (events[i].events & EPOLLIN)
                drain(sock);
            if (events[i].events & (EPOLLHUP | EPOLLERR))
                epoll_ctl(epoll, EPOLL_CTL_DEL, sock, NULL);
            else if (events[i].events & EPOLLOUT)
                packet_send(sock, packet, size, NULL, 0, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
    }
}

size_t flood_open_sessions(const char *path, int *socks, size_t n, bool tool)
{
    size_t count = 0;
    while (count < n && (socks[count] = flood_session(path, tool, NULL)) >= 0)
        count++;
    return count;
}

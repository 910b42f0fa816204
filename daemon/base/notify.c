// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "notify.h"

#include "cleanup.h"
#include "packet.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define FD_WAIT_MS                                                                                 \
    3000 // wait for a busy manager, but a manager that hangs must not make docad
         // hang

static int manager = -1;
static bool hangs; // waiting timed out: do not wait again before the manager accepts something

void notify_init(void)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = path ? strlen(path) : 0;

    if (length < 2 || length >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(address.sun_path, path, length);
    if (path[0] == '@')
        address.sun_path[0] = '\0';
    cleanup_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, size) == 0)
        manager = steal_fd(&fd);
}

void notify_fini(void)
{
    close_fdp(&manager);
}

bool notify_is_on(void)
{
    return manager >= 0;
}

__attribute__((format(printf, 1, 0))) static bool send_text(const char *format, va_list args,
                                                            const int *fd, int wait_ms)
{
    char text[1024];

    if (manager < 0)
        return false;
    int n = vsnprintf(text, sizeof(text), format, args);
    if (n < 0 || (size_t)n >= sizeof(text))
        return false;
    int r = packet_send(manager, text, (size_t)n, fd, fd ? 1 : 0, MSG_DONTWAIT);
    struct pollfd p = {.fd = manager, .events = POLLOUT};
    // Others may fill the queue again before we send.
    for (int i = 0; r == -EAGAIN && wait_ms > 0 && !hangs && i < 100; i++) {
        hangs = poll(&p, 1, wait_ms) != 1;
        r = packet_send(manager, text, (size_t)n, fd, fd ? 1 : 0, MSG_DONTWAIT);
    }
    hangs = hangs && r != 0;
    return r == 0;
}

bool notify_send(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool sent = send_text(format, args, NULL, 0);
    va_end(args);
    return sent;
}

bool notify_send_fd(int fd, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool sent = send_text(format, args, fd >= 0 ? &fd : NULL, FD_WAIT_MS);
    va_end(args);
    return sent;
}

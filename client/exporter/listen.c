// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "listen.h"

#include "cleanup.h"
#include "copy_text.h"
#include "number.h"
#include "passed.h"

#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define BACKLOG 64

static int refuse(const char *address, const char *why)
{
    fprintf(stderr, "docad-exporter: cannot listen on %s: %s\n", address, why);
    return -1;
}

static int bind_and_listen(int family, const struct sockaddr *address, socklen_t size)
{
    cleanup_fd int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int on = 1;

    if (fd < 0)
        return -1;
    if (family != AF_UNIX && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
        return -1;
    if (bind(fd, address, size) < 0 || listen(fd, BACKLOG) < 0)
        return -1;
    return steal_fd(&fd);
}

// The socket file of a process that has ended is replaced; that of a running one is not.
static bool is_dead(const struct sockaddr_un *address)
{
    struct stat st;
    cleanup_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return fd >= 0 && lstat(address->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
           connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 &&
           errno == ECONNREFUSED;
}

static int listen_on_path(const char *address, const char *path)
{
    struct sockaddr_un unix_address = {.sun_family = AF_UNIX};

    if (!*path || strlen(path) >= sizeof(unix_address.sun_path))
        return refuse(address, "the path is empty, or too long");
    copy_text(unix_address.sun_path, path);
    if (is_dead(&unix_address))
        unlink(path);
    int fd = bind_and_listen(AF_UNIX, (struct sockaddr *)&unix_address, sizeof(unix_address));
    return fd >= 0 ? fd : refuse(address, strerror(errno));
}

// Cuts "[::1]:80" into "::1" and "80". Returns NULL if it is not written so.
static const char *cut_host(char *address)
{
    char *colon = strrchr(address, ':');
    if (!colon)
        return NULL;
    *colon = '\0';
    size_t length = strlen(address);
    if (address[0] != '[')
        return strchr(address, ':') ? NULL : address;
    if (length < 2 || address[length - 1] != ']')
        return NULL;
    address[length - 1] = '\0';
    return address + 1;
}

int listen_on(const char *address)
{
    if (strncmp(address, "unix:", 5) == 0)
        return listen_on_path(address, address + 5);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    cleanup_free char *copy = strdup(address);
    const char *host = copy ? cut_host(copy) : NULL;
    if (!host)
        return refuse(address, "use HOST:PORT, [IPv6]:PORT, :PORT or unix:PATH");
    const char *port = strrchr(address, ':') + 1;
    uint64_t number = 0;
    if (!number_read(port, 10, UINT16_MAX, &number) || !number)
        return refuse(address, "a port is a number from 1 to 65535"); // getaddrinfo() cuts others
    int r = getaddrinfo(*host ? host : NULL, port, &hints, &found);
    if (r != 0)
        return refuse(address, gai_strerror(r));
    int fd = -1;
    for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next)
        fd = bind_and_listen(a->ai_family, a->ai_addr, a->ai_addrlen);
    freeaddrinfo(found);
    return fd >= 0 ? fd : refuse(address, strerror(errno));
}

int listen_inherited(int *fds, int max)
{
    char **names = NULL;
    int n = passed_take(&names);

    if (n < 0)
        fprintf(stderr,
                "docad-exporter: cannot take the sockets of the service manager ($LISTEN_PID, "
                "$LISTEN_FDS): %s\n",
                strerror(errno));
    for (int i = 0; i < n; i++) {
        if (i < max)
            fds[i] = PASSED_FIRST + i;
        free(names[i]);
    }
    free(names);
    return n < max ? n : max;
}

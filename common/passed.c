// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "passed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool number(const char *variable, uint64_t max, uint64_t *out)
{
    const char *text = getenv(variable);
    char *end;
    if (!text || text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return !*end && errno == 0 && *out <= max;
}

static void free_names(char **names, int n)
{
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

// Splits a list with colons into one name for each of n descriptors.
static char **split(const char *list, int n)
{
    char **names = calloc((size_t)n + 1, sizeof(*names));
    for (int i = 0; names && i < n; i++) {
        size_t length = list ? strcspn(list, ":") : 0;
        names[i] = list ? strndup(list, length) : strdup("unknown");
        if (!names[i]) {
            free_names(names, i);
            return NULL;
        }
        list = list && list[length] ? list + length + 1 : NULL;
    }
    return names;
}

static int take(char ***names)
{
    uint64_t pid, n;
    if (!getenv("LISTEN_PID") || !getenv("LISTEN_FDS"))
        return 0;
    if (!number("LISTEN_PID", INT_MAX, &pid) || !number("LISTEN_FDS", INT_MAX - PASSED_FIRST, &n)) {
        errno = EINVAL;
        return -1;
    }
    if ((pid_t)pid != getpid() || n == 0) // they are for a parent of this process
        return 0;
    for (int fd = PASSED_FIRST; fd < PASSED_FIRST + (int)n; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags < 0 || fcntl(fd, F_SETFD, flags | FD_CLOEXEC) < 0) {
            errno = EINVAL;
            return -1;
        }
    }
    *names = split(getenv("LISTEN_FDNAMES"), (int)n);
    if (!*names) {
        errno = ENOMEM;
        return -1;
    }
    return (int)n;
}

int passed_take(char ***names)
{
    int n = take(names), error = errno;
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    errno = error;
    return n;
}

static bool is(int fd, int option, int value)
{
    int found;
    socklen_t size = sizeof(found);
    return getsockopt(fd, SOL_SOCKET, option, &found, &size) == 0 && found == value;
}

bool passed_is_listener(int fd)
{
    return is(fd, SO_DOMAIN, AF_UNIX) && is(fd, SO_TYPE, SOCK_SEQPACKET) &&
           is(fd, SO_ACCEPTCONN, 1);
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "failing.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum kind {
    NOTHING,
    MEMORY,
    EVENTS,
    FILES, // that are made
    PAIRS,
    DUPLICATES,
    MAPPINGS,
    ARRIVALS,
    MESSAGES,
    KINDS,
};

static _Thread_local struct {
    enum kind kind;
    unsigned left;
    bool on;
} chosen;

void failing_choose(struct input *in)
{
    chosen.kind = 1 + input_u8(in) % (KINDS - 1);
    chosen.left = input_u8(in) % 64;
}

void failing_forget(void)
{
    chosen.kind = NOTHING;
}

void failing_begin(void)
{
    chosen.on = true;
}

void failing_end(void)
{
    chosen.on = false;
}

static bool fails(enum kind kind, int error)
{
    if (!chosen.on || chosen.kind != kind || chosen.left-- > 0)
        return false;
    chosen.kind = NOTHING;
    errno = error;
    return true;
}

#define FAILS(kind, error, failure, result, name, parameters, arguments)                           \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        return fails(kind, error) ? (failure) : __real_##name arguments;                           \
    }

FAILS(MEMORY, ENOMEM, NULL, void *, malloc, (size_t size), (size))
FAILS(MEMORY, ENOMEM, NULL, void *, calloc, (size_t n, size_t size), (n, size))
FAILS(MEMORY, ENOMEM, NULL, void *, realloc, (void *p, size_t size), (p, size))
FAILS(MEMORY, ENOMEM, NULL, char *, strdup, (const char *text), (text))
FAILS(EVENTS, ENOMEM, NULL, struct event *, event_new,
      (struct event_base * base, evutil_socket_t fd, short what, event_callback_fn fn, void *arg),
      (base, fd, what, fn, arg))
FAILS(FILES, EMFILE, -1, int, memfd_create, (const char *name, unsigned flags), (name, flags))
FAILS(FILES, EMFILE, -1, int, eventfd, (unsigned count, int flags), (count, flags))
FAILS(PAIRS, EMFILE, -1, int, socketpair, (int domain, int type, int protocol, int *pair),
      (domain, type, protocol, pair))
FAILS(MAPPINGS, ENOMEM, MAP_FAILED, void *, mmap,
      (void *at, size_t size, int protection, int flags, int fd, off_t offset),
      (at, size, protection, flags, fd, offset))
FAILS(ARRIVALS, EMFILE, -1, int, accept4,
      (int fd, struct sockaddr *from, socklen_t *size, int flags), (fd, from, size, flags))
FAILS(ARRIVALS, ENOMEM, -1, ssize_t, recvmsg, (int fd, struct msghdr *message, int flags),
      (fd, message, flags))
FAILS(MESSAGES, ENOBUFS, -1, ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags),
      (fd, message, flags))

int __real_fcntl(int fd, int what, ...);
int __wrap_fcntl(int fd, int what, ...);
int __wrap_fcntl(int fd, int what, ...)
{
    va_list list;
    va_start(list, what);
    long value = va_arg(list, long);
    va_end(list);
    if (what == F_DUPFD_CLOEXEC && fails(DUPLICATES, EMFILE))
        return -1;
    return __real_fcntl(fd, what, value);
}

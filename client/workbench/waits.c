// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Functions of the C library by which a program waits for handles of DOCA. They are defined here
// with the version of the C library's, and pass on what they get.

#include "waits.h"
#include "waiting.h"
#include "waits_versions.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define EPOLL_MAX 16   // handles of an epoll set; one with more has others
#define INFO_MAX  4096 // bytes of its text

static atomic_bool wanted;

void waits_start(void)
{
    atomic_store(&wanted, true);
}

#if WAITS_ARE_WRAPPED

static const struct function function_poll = {.name = "poll"}, function_ppoll = {.name = "ppoll"},
                             function_epoll = {.name = "epoll_wait"},
                             function_epoll_pwait = {.name = "epoll_pwait"};

static void *next_of(_Atomic(void *) *cache, const char *name, const char *version)
{
    void *found = atomic_load_explicit(cache, memory_order_relaxed);
    if (!found) {
        found = symbol_next(name, version);
        atomic_store_explicit(cache, found, memory_order_relaxed);
    }
    return found;
}

// The program waits itself, and rules are looked at.
static bool is_checked(void)
{
    return atomic_load_explicit(&wanted, memory_order_relaxed) && waiting_is_watched() &&
           !call_is_inside();
}

// Reads which descriptors an epoll set has. Returns 0 if that is not known, or if there are many.
static unsigned read_set(int set, struct pollfd handles[EPOLL_MAX])
{
    char path[64], text[INFO_MAX + 1];
    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", set);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, INFO_MAX);
    unsigned count = 0;
    if (fd >= 0)
        close(fd);
    if (n <= 0 || n == INFO_MAX)
        return 0;
    text[n] = '\0';
    for (const char *at = text; (at = strstr(at, "tfd:")); at++) {
        if (count == EPOLL_MAX)
            return 0;
        handles[count++] = (struct pollfd){.fd = (int)strtol(at + strlen("tfd:"), NULL, 10)};
    }
    return count;
}

static void check_set(const struct function *function, int set)
{
    struct pollfd handles[EPOLL_MAX];
    int saved = errno, state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state); // reading opens a file
    unsigned count = read_set(set, handles);
    pthread_setcancelstate(state, NULL);
    if (count)
        waiting_for(function, handles, count);
    errno = saved;
}

__asm__(".symver wrap_poll, poll@@" VERSION_POLL);
WRAPPER int wrap_poll(struct pollfd *handles, nfds_t count, int timeout);
WRAPPER int wrap_poll(struct pollfd *handles, nfds_t count, int timeout)
{
    static _Atomic(void *) cache;
    __typeof__(poll) *next = (__typeof__(poll) *)next_of(&cache, "poll", VERSION_POLL);
    // The array may be none: then the kernel refuses it.
    if (timeout != 0 && is_checked() && next(handles, count, 0) >= 0)
        waiting_for(&function_poll, handles, count);
    return next(handles, count, timeout);
}

__asm__(".symver wrap_ppoll, ppoll@@" VERSION_PPOLL);
WRAPPER int wrap_ppoll(struct pollfd *handles, nfds_t count, const struct timespec *timeout,
                       const sigset_t *mask);
WRAPPER int wrap_ppoll(struct pollfd *handles, nfds_t count, const struct timespec *timeout,
                       const sigset_t *mask)
{
    static _Atomic(void *) cache;
    const struct timespec none = {0};
    __typeof__(ppoll) *next = (__typeof__(ppoll) *)next_of(&cache, "ppoll", VERSION_PPOLL);
    if ((!timeout || timeout->tv_sec || timeout->tv_nsec) && is_checked() &&
        next(handles, count, &none, NULL) >= 0)
        waiting_for(&function_ppoll, handles, count);
    return next(handles, count, timeout, mask);
}

__asm__(".symver wrap_epoll_wait, epoll_wait@@" VERSION_EPOLL_WAIT);
WRAPPER int wrap_epoll_wait(int set, struct epoll_event *events, int most, int timeout);
WRAPPER int wrap_epoll_wait(int set, struct epoll_event *events, int most, int timeout)
{
    static _Atomic(void *) cache;
    if (timeout != 0 && is_checked())
        check_set(&function_epoll, set);
    return ((__typeof__(epoll_wait) *)next_of(&cache, "epoll_wait", VERSION_EPOLL_WAIT))(
        set, events, most, timeout);
}

__asm__(".symver wrap_epoll_pwait, epoll_pwait@@" VERSION_EPOLL_PWAIT);
WRAPPER int wrap_epoll_pwait(int set, struct epoll_event *events, int most, int timeout,
                             const sigset_t *mask);
WRAPPER int wrap_epoll_pwait(int set, struct epoll_event *events, int most, int timeout,
                             const sigset_t *mask)
{
    static _Atomic(void *) cache;
    if (timeout != 0 && is_checked())
        check_set(&function_epoll_pwait, set);
    return ((__typeof__(epoll_pwait) *)next_of(&cache, "epoll_pwait", VERSION_EPOLL_PWAIT))(
        set, events, most, timeout, mask);
}

#endif

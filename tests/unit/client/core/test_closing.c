// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors whose close may wait are closed by a thread: at the latest by one that a later call
// makes. The linker routes pthread_create() to the one here, and what is about the size of stacks.

#include "core/closing.h"

#include "deadline.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/timerfd.h>
#include <unistd.h>

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *),
                          void *arg);

static bool no_threads;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *),
                          void *arg)
{
    return no_threads ? EAGAIN : __real_pthread_create(thread, attr, work, arg);
}

// The least that a stack may have on this machine, or another one.
static size_t least_stack;

int __real_pthread_attr_setstacksize(pthread_attr_t *attr, size_t size);
int __wrap_pthread_attr_setstacksize(pthread_attr_t *attr, size_t size);
long __real_sysconf(int name);
long __wrap_sysconf(int name);

int __wrap_pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
    return size < least_stack ? EINVAL : __real_pthread_attr_setstacksize(attr, size);
}

long __wrap_sysconf(int name)
{
    return name == _SC_THREAD_STACK_MIN && least_stack ? (long)least_stack : __real_sysconf(name);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void wait_closed(int fd)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (is_open(fd))
        ck_assert(deadline_pause(deadline));
}

// A timer, which another process may watch.
static int take_one(void)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    ck_assert_int_ge(fd, 0);
    errno = ENOENT;
    closing_take(fd);
    ck_assert_int_eq(errno, ENOENT);
    return fd;
}

START_TEST(a_thread_closes)
{
    no_threads = false;
    wait_closed(take_one());
}
END_TEST

// As on arm64, whose C library wants 128 KiB at least.
START_TEST(a_thread_closes_where_stacks_are_large)
{
    no_threads = false;
    least_stack = 128 * 1024;
    wait_closed(take_one());
    least_stack = 1024 * 1024;
    wait_closed(take_one());
}
END_TEST

START_TEST(the_next_request_closes_what_is_left)
{
    no_threads = true;
    int first = take_one(), second = take_one();
    ck_assert(is_open(first) && is_open(second));
    closing_again(); // still none
    ck_assert(is_open(first) && is_open(second));
    no_threads = false;
    closing_again();
    wait_closed(first);
    wait_closed(second);
}
END_TEST

UNIT_MAIN("closing", a_thread_closes, a_thread_closes_where_stacks_are_large,
          the_next_request_closes_what_is_left)

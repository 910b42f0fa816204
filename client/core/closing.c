// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/closing.h"

#include "bytes_only.h"
#include "cleanup.h"
#include "core/process.h"
#include "packet.h"
#include "received.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#define THREADS_MAX 4
#define WAITING_MAX 1024
#define STACK_SIZE  (64 * 1024)

// Under the process lock. A descriptor without a free slot stays open.
static int waiting[WAITING_MAX];
static unsigned n_waiting, n_threads;

// The threads are the parent's, and so is the last close.
static void reset_in_child(void)
{
    n_waiting = n_threads = 0;
}

static struct fork_hook on_fork = {.in_child = reset_in_child};

static void *close_all(void *unused)
{
    process_lock();
    while (n_waiting > 0) {
        int fd = waiting[--n_waiting];
        process_unlock();
        close(fd);
        process_lock();
    }
    n_threads--;
    process_unlock();
    return unused;
}

// A thread needs little, but the C library has a minimum size that differs between processors.
static size_t stack_size(void)
{
    long least = sysconf(_SC_THREAD_STACK_MIN);

    return least > STACK_SIZE ? (size_t)least : STACK_SIZE;
}

static bool start_thread(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    sigfillset(&all); // signals are for the program's threads; a thread inherits the mask
    bool ok = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
              pthread_attr_setstacksize(&attributes, stack_size()) == 0 &&
              pthread_sigmask(SIG_BLOCK, &all, &before) == 0;
    if (ok) {
        ok = pthread_create(&thread, &attributes, close_all, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return ok;
}

// Starts one more thread, if there is work for it and room.
static void help(void)
{
    process_lock();
    bool start = n_waiting > 0 && n_threads < THREADS_MAX;
    n_threads += start;
    process_unlock();
    if (start && !start_thread()) {
        process_lock();
        n_threads--;
        process_unlock();
    }
}

static void add_waiting(int fd)
{
    process_on_fork(&on_fork);
    process_lock();
    if (n_waiting < WAITING_MAX)
        waiting[n_waiting++] = fd;
    process_unlock();
    help();
}

void closing_take(int fd)
{
    int saved = errno;

    if (fd >= 0 && received_closes_at_once(fd))
        close(fd);
    else if (fd >= 0)
        add_waiting(fd);
    errno = saved;
}

void closing_socket(int *sock)
{
    if (*sock >= 0 && !bytes_only(*sock))
        closing_take(steal_fd(sock));
    else
        close_fdp(sock);
}

void closing_begin(void)
{
    // Written before there is a session; later calls, in parallel to threads that use one, only
    // read.
    if (fd_list_close_one != closing_take)
        fd_list_close_one = closing_take;
}

void closing_again(void)
{
    help();
}

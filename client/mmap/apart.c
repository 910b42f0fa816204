// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "mmap/apart.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>

struct call {
    void (*fn)(void *arg);
    void *arg;
};

static int make_call(void *arg)
{
    const struct call *call = arg;

    call->fn(call->arg);
    return 0;
}

int run_apart(void (*fn)(void *arg), void *arg, void *stack)
{
    struct call call = {fn, arg};
    sigset_t all, before;
    int status;
    pid_t pid;

    // The other process has the signal handlers of this one, which must not run there.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    // CLONE_VFORK: this thread is suspended until the other process has ended. It sends no signal.
    int made = clone(make_call, (char *)stack + APART_STACK, CLONE_VM | CLONE_VFORK, &call);
    int r = made < 0 ? -errno : 0;
    if (r == 0) {
        do {
            pid = waitpid(made, &status, __WCLONE);
        } while (pid < 0 && errno == EINTR);
        if (pid < 0 || !WIFEXITED(status))
            r = -ECANCELED;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return r;
}

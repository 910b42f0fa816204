// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "mmap/apart.h"

#include <errno.h>
#include <sched.h>
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
    pid_t pid;

    // CLONE_VFORK: this thread stands still until the other one has ended. It sends no signal.
    int made = clone(make_call, (char *)stack + APART_STACK, CLONE_VM | CLONE_VFORK, &call);
    if (made < 0)
        return -errno;
    do {
        pid = waitpid(made, NULL, __WCLONE);
    } while (pid < 0 && errno == EINTR);
    return 0;
}

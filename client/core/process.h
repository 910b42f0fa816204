// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Process-wide state of the library, and what fork() does to it.

#ifndef CLIENT_CORE_PROCESS_H
#define CLIENT_CORE_PROCESS_H

#include <pthread.h>

// The lock of the library's process-wide lists. Hold it for a few instructions only, never
// across a system call that can wait: fork() takes it, so that a child finds the lists
// complete.
void process_lock(void);
void process_unlock(void);

// A lock that may be held across a call to docad. fork() does not wait for it: in the
// child, where its holder does not exist, it is free again.
struct call_lock {
    pthread_mutex_t mutex;
    struct call_lock *next;
};

#define CALL_LOCK_INIT                                                                             \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                         \
    }

// For locks with static storage.
void call_lock(struct call_lock *lock);
void call_unlock(struct call_lock *lock);

// Counts the forks between the first process and this one: an object with another number was
// inherited, and its kernel objects belong to the parent.
unsigned process_generation(void);

// A function that a child calls first in its fork(), with the process lock held.
struct fork_hook {
    void (*in_child)(void);
    struct fork_hook *next;
};

// Adds a hook for this process and its children. The hook has static storage; adding it
// again has no effect.
void process_on_fork(struct fork_hook *hook);

#endif

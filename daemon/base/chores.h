// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Chores: system calls that take too long for the loop. A thread runs them one after the other and
// notifies the loop of each. A call that may block for an unlimited time needs a thread of its own.

#ifndef DAEMON_CHORES_H
#define DAEMON_CHORES_H

#include "list.h"

#include <stdbool.h>

struct chores;
struct event_base;

// Embedded in the object it belongs to. Each function is called once: work() by the thread,
// done() by the loop. done() may free the chore.
struct chore {
    struct list in_chores;
    void (*work)(struct chore *chore);
    void (*done)(struct chore *chore);
};

// Returns NULL if memory or descriptors run out. The thread starts with the first chore. `name` is
// the thread's name in the system: at most 15 characters, and it must outlive the chores.
struct chores *chores_new(struct event_base *base, const char *name);

// Returns false if no thread can be started; never false once a thread has been started.
bool chores_add(struct chores *chores, struct chore *chore);

// Waits for the outstanding chores, but not forever: false if some were left. Takes NULL.
bool chores_free(struct chores *chores);

#endif

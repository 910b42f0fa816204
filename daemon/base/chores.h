// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Chores: system calls that take too long for the loop. A thread does them, one after the
// other, and the loop is told of each. What may wait for something else has a thread of its own.

#ifndef DAEMON_CHORES_H
#define DAEMON_CHORES_H

#include "list.h"

#include <stdbool.h>

struct chores;
struct event_base;

// Embedded in what it is about. Both are called once: work() by the thread, done() by the
// loop, which may free it.
struct chore {
    struct list link;
    void (*work)(struct chore *chore);
    void (*done)(struct chore *chore);
};

// NULL if memory or descriptors are short. The thread starts with the first chore; `name` (at most
// 15 characters, and stays) is what the system calls it.
struct chores *chores_new(struct event_base *base, const char *name);

// False if no thread can be had; never once there was one.
bool chores_add(struct chores *chores, struct chore *chore);

// Waits for what is to be done, but not for ever: false if something was left. Takes NULL.
bool chores_free(struct chores *chores);

#endif

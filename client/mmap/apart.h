// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Runs a function on another stack while the stack of this thread is not in use.

#ifndef CLIENT_MMAP_APART_H
#define CLIENT_MMAP_APART_H

#include <stddef.h>

#define APART_STACK ((size_t)32 << 10)

// Calls fn(arg) on the given stack of APART_STACK bytes, in a process that shares this one's
// memory, and waits for its end. The function may replace the pages of this thread's stack; it only
// copies memory and makes system calls. No signal is handled until it has returned. Returns 0 or
// -errno; -ECANCELED if the process was killed.
int run_apart(void (*fn)(void *arg), void *arg, void *stack);

#endif

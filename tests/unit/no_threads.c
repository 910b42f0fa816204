// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

// Stands in for pthread_create() in unit tests without the label `threads`: ThreadSanitizer's
// build leaves them out, so that a thread in one of them would be a thread that nobody watches.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    (void)thread;
    (void)attributes;
    (void)start;
    (void)argument;
    fputs("This test starts a thread: give it the label `threads` in its CMakeLists.txt.\n",
          stderr);
    abort();
}

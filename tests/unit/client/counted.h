// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Counts allocations and locks, and lets the n-th allocation fail. The linker sends these calls
// here: --wrap=malloc and so on.

#ifndef TESTS_COUNTED_H
#define TESTS_COUNTED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static unsigned allocations, locks;
static unsigned allocation_fails; // the number of the allocation that fails; 0: none

static inline bool counted_fails(void)
{
    return ++allocations == allocation_fails;
}

#define COUNTED_ALLOCATION(name, parameters, arguments)                                            \
    void *__real_##name parameters;                                                                \
    void *__wrap_##name parameters;                                                                \
    void *__wrap_##name parameters                                                                 \
    {                                                                                              \
        return counted_fails() ? NULL : __real_##name arguments;                                   \
    }
#define COUNTED_LOCK(name)                                                                         \
    int __real_##name(pthread_mutex_t *mutex);                                                     \
    int __wrap_##name(pthread_mutex_t *mutex);                                                     \
    int __wrap_##name(pthread_mutex_t *mutex)                                                      \
    {                                                                                              \
        locks++;                                                                                   \
        return __real_##name(mutex);                                                               \
    }

COUNTED_ALLOCATION(malloc, (size_t n), (n))
COUNTED_ALLOCATION(calloc, (size_t n, size_t size), (n, size))
COUNTED_ALLOCATION(realloc, (void *p, size_t n), (p, n))
COUNTED_ALLOCATION(aligned_alloc, (size_t alignment, size_t n), (alignment, n))
COUNTED_LOCK(pthread_mutex_lock)
COUNTED_LOCK(pthread_mutex_trylock)

#endif

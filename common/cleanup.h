// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Makes ownership visible at the declaration: scope-bound cleanup of descriptors, heap
// memory and streams.

#ifndef COMMON_CLEANUP_H
#define COMMON_CLEANUP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define cleanup(func) __attribute__((cleanup(func)))
#define cleanup_fd    cleanup(close_fdp)
#define cleanup_free  cleanup(freep)
#define cleanup_file  cleanup(fclosep)

// Closes *fd if it is open and marks it closed; errno survives.
static inline void close_fdp(int *fd)
{
    if (*fd >= 0) {
        int saved = errno;
        close(*fd);
        errno = saved;
    }
    *fd = -1;
}

static inline void freep(void *p)
{
    free(*(void **)p);
    *(void **)p = NULL;
}

static inline void fclosep(FILE **f)
{
    if (*f)
        fclose(*f);
    *f = NULL;
}

// Passes a descriptor on: the variable no longer owns it.
static inline int steal_fd(int *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

#define steal_ptr(p)                                                                               \
    ({                                                                                             \
        __typeof__(p) steal_ptr_taken = (p);                                                       \
        (p) = NULL;                                                                                \
        steal_ptr_taken;                                                                           \
    })

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member) ((type *)((char *)(ptr) - __builtin_offsetof(type, member)))

#endif

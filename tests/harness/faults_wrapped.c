// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory that fails where a sanitizer has malloc() for itself: calls of what is linked with the
// test are led here by the linker (--wrap), and on to the sanitizer. Nothing is counted: the
// sanitizer finds what is lost.

#include "faults.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

static struct faults *_Atomic followed;

const char *faults_name(enum faults_function function)
{
    return function == FAULTS_MALLOC ? "malloc" : function == FAULTS_MMAP ? "mmap" : "other";
}

void faults_follow(struct faults *page)
{
    atomic_store(&followed, page);
}

static bool fails(enum faults_function function)
{
    struct faults *f = atomic_load_explicit(&followed, memory_order_relaxed);
    if (!f || atomic_load_explicit(&f->function, memory_order_relaxed) != (int)function ||
        atomic_fetch_add(&f->calls, 1) + 1 != atomic_load(&f->nth))
        return false;
    atomic_fetch_add(&f->fired, 1);
    errno = ENOMEM;
    return true;
}

#define FAILS(function, failure, result, name, parameters, arguments)                              \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        return fails(function) ? (failure) : __real_##name arguments;                              \
    }

FAILS(FAULTS_MALLOC, NULL, void *, malloc, (size_t size), (size))
FAILS(FAULTS_MALLOC, NULL, void *, calloc, (size_t n, size_t size), (n, size))
FAILS(FAULTS_MALLOC, NULL, void *, realloc, (void *p, size_t size), (p, size))
FAILS(FAULTS_MALLOC, NULL, void *, aligned_alloc, (size_t at, size_t size), (at, size))
FAILS(FAULTS_MALLOC, NULL, char *, strdup, (const char *text), (text))
FAILS(FAULTS_MMAP, MAP_FAILED, void *, mmap,
      (void *at, size_t size, int protection, int flags, int fd, off_t offset),
      (at, size, protection, flags, fd, offset))

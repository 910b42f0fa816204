// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the tests of fork() with moved pages share.

#ifndef TESTS_FORK_STEPS_H
#define TESTS_FORK_STEPS_H

#include "mmap/backing.h"
#include "mmap/maps.h"
#include "mmap/pages.h"

#include "unit.h"

#include <doca_types.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define RW    DOCA_ACCESS_DPU_READ_WRITE
#define PAGES 8

// The library reads it when the first pages move, and each test is a process of its own.
static inline void set_limit(const char *limit)
{
    ck_assert_int_eq(setenv("DOCAD_FORK_COPY", limit, 1), 0);
}

static inline struct backing *make(void *start, size_t length)
{
    struct errtext err = {""};
    struct backing *b = NULL;
    doca_error_t e = backing_new((uintptr_t)start, length, RW, &b, &err);
    ck_assert_msg(e == DOCA_SUCCESS, "error %d: %s", e, err.s);
    return b;
}

static inline size_t mapped_bytes(const struct backing *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n_parts; i++)
        n += b->parts[i].mapped ? b->parts[i].length : 0;
    return n;
}

static inline uint8_t *anonymous(size_t pages)
{
    uint8_t *p =
        mmap(NULL, pages * page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(p, MAP_FAILED);
    memset(p, 'p', pages * page_size());
    return p;
}

static inline bool all_are(const volatile uint8_t *p, size_t n, uint8_t value)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != value)
            return false;
    return true;
}

static inline struct vma mapping_of(const void *address)
{
    struct vma *vmas, vma = {.start = 0};
    size_t n;
    ck_assert_int_eq(vmas_read((uintptr_t)address, (uintptr_t)address + 1, &vmas, &n), 0);
    if (n == 1)
        vma = vmas[0];
    free(vmas);
    return vma;
}

// What an importer sees.
static inline uint8_t file_byte(const struct backing *b, const void *address)
{
    uint8_t byte;
    uint64_t offset = b->parts[0].offset + ((uintptr_t)address - b->parts[0].start);
    ck_assert(b->parts[0].mapped);
    ck_assert_int_eq(pread(b->memfd, &byte, 1, (off_t)offset), 1);
    return byte;
}

typedef void (*child_fn)(void *arg);

// The child may not use ck_assert: it has the test's results in a pipe, and another thread of its
// parent may have had Check's lock. Nor does it return.
#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            _exit((__LINE__ % 200) + 20);                                                          \
    } while (0)

static inline pid_t start_child(child_fn fn, void *arg)
{
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60); // ends a child that hangs
        fn(arg);
        _exit(0);
    }
    ck_assert_int_ge(pid, 0);
    return pid;
}

static inline int status_of(pid_t pid)
{
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

static inline void in_child(child_fn fn, void *arg)
{
    int status = status_of(start_child(fn, arg));
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                  "the child ended with status %#x (line: exit status - 20, modulo 200)", status);
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How bytes are copied. memcpy() is best for small jobs.
//
// From a page on, the processor's own string instruction is as fast if the bytes are in the
// cache, and faster if they are not: memcpy()'s stores wait in the store queue, and other
// stores of a job (rings, buffers, events) wait behind them; the instruction writes whole
// lines past it. It is used if the processor says that it is fast for every length.
//
// Beyond about a quarter of the last-level cache memcpy() reads every destination line into
// the cache only to overwrite it; routines that do not are a quarter to three quarters
// faster.

#ifndef CLIENT_WORK_COPY_H
#define CLIENT_WORK_COPY_H

#include "queue/recent_pages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Set once by copy_init(); until then every copy is memcpy()'s.
extern size_t copy_string_from; // bytes: pieces of this size and more use copy_string()
extern size_t copy_lines_to;    // bytes: again between the same pages, up to this size copy_lines()
extern size_t copy_large_from;  // jobs of this size and more use copy_large()
extern void (*copy_large)(void *dst, const void *src, size_t n);

// Chooses routines for the processor. May be called any number of times, from any thread,
// before the first job.
void copy_init(void);

// The routine that copies a job of `size` bytes: "memcpy", "rep movsb" or "streaming
// stores".
const char *copy_routine_name(size_t size);

struct copy_routine {
    const char *name;
    void (*copy)(void *dst, const void *src, size_t n);
};
#define COPY_ROUTINES_MAX 3

// The routines that this processor can run, best for large jobs first. Returns their
// number.
size_t copy_routines(struct copy_routine out[COPY_ROUTINES_MAX]);

// For ranges that copy_string_suits() and that do not overlap.
void copy_lines(void *dst, const void *src, size_t n);

#if defined(__x86_64__)
// A different position within the cache lines of either side makes it slow.
static inline bool copy_string_suits(const void *dst, const void *src, size_t n)
{
    return n >= copy_string_from && (((uintptr_t)dst ^ (uintptr_t)src) & 63) == 0;
}

static inline void copy_string(void *dst, const void *src, size_t n)
{
    __asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(n) : : "memory");
}
#else
// There is no such instruction. Said here, and not by a size that is never reached: a compiler that
// sees the whole library takes that size for the size of a copy, and warns.
static inline bool copy_string_suits(const void *dst, const void *src, size_t n)
{
    (void)dst, (void)src, (void)n;
    return false;
}

static inline void copy_string(void *dst, const void *src, size_t n)
{
    memcpy(dst, src, n);
}
#endif

// Copies a piece of a job of `job_size` bytes in all. The ranges do not overlap.
static inline void copy_piece(void *dst, const void *src, size_t n, size_t job_size)
{
    if (__builtin_expect(job_size >= copy_large_from, 0))
        copy_large(dst, src, n);
    else if (copy_string_suits(dst, src, n))
        copy_string(dst, src, n);
    else
        memcpy(dst, src, n);
}

// The same for a job of one piece; the ranges may overlap.
static inline void copy_whole(uint8_t *dst, const uint8_t *src, size_t n,
                              struct recent_pages *recent)
{
    if (!copy_string_suits(dst, src, n) || (uintptr_t)dst - (uintptr_t)src < n ||
        (uintptr_t)src - (uintptr_t)dst < n)
        memmove(dst, src, n);
    else if (n <= copy_lines_to && recent_pages_again(recent, dst, src))
        copy_lines(dst, src, n);
    else
        copy_piece(dst, src, n, n);
}

#endif

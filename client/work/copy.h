// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How bytes are copied. Up to about a quarter of the last-level cache nothing beats
// memcpy(). Beyond it memcpy() reads every destination line into the cache only to
// overwrite it; routines that do not are a quarter to three quarters faster, and which
// of them is best depends on the processor.

#ifndef CLIENT_WORK_COPY_H
#define CLIENT_WORK_COPY_H

#include <stddef.h>
#include <string.h>

// Set once by copy_init(); until then every copy is memcpy()'s.
extern size_t copy_large_from; // bytes: jobs of this size and more use copy_large()
extern void (*copy_large)(void *dst, const void *src, size_t n);

// Chooses by processor. Any number of calls, from any thread, before the first job.
void copy_init(void);

// What copies a job of `size` bytes: "memcpy", "rep movsb" or "streaming stores".
const char *copy_routine_name(size_t size);

struct copy_routine {
    const char *name;
    void (*copy)(void *dst, const void *src, size_t n);
};
#define COPY_ROUTINES_MAX 3

// Those that this processor can run, best for large jobs first. Returns how many.
size_t copy_routines(struct copy_routine out[COPY_ROUTINES_MAX]);

// Copies a piece of a job of `job_size` bytes in all. The ranges do not overlap.
static inline void copy_piece(void *dst, const void *src, size_t n, size_t job_size)
{
    if (__builtin_expect(job_size < copy_large_from, 1))
        memcpy(dst, src, n);
    else
        copy_large(dst, src, n);
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How bytes are copied: with memcpy(), which the C library chooses for the processor, and beyond
// about a quarter of the last-level cache with stores that go around the cache. There memcpy()
// reads every destination line into the cache only to overwrite it, and they are a quarter to
// three quarters faster.

#ifndef CLIENT_WORK_COPY_H
#define CLIENT_WORK_COPY_H

#include <stddef.h>
#include <string.h>

// Set once by copy_init(); until then every copy is memcpy()'s.
extern size_t copy_large_from; // bytes: jobs of this size and more use copy_large()
extern void (*copy_large)(void *dst, const void *src, size_t n);

// Chooses the routine for large jobs. May be called any number of times, from any thread, before
// the first job.
void copy_init(void);

// The routine that copies a job of `size` bytes: "memcpy" or "streaming stores".
const char *copy_routine_name(size_t size);

// Copies a piece of a job of `job_size` bytes in all. The ranges do not overlap.
static inline void copy_piece(void *dst, const void *src, size_t n, size_t job_size)
{
    if (__builtin_expect(job_size >= copy_large_from, 0))
        copy_large(dst, src, n);
    else
        memcpy(dst, src, n);
}

#endif

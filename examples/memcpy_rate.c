// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How fast memcpy is here, doing what file_fetch does: large memory read once, in chunks
// that go to a few buffers used again and again.
//
//     memcpy_rate [SIZE [CHUNK [JOBS]]]
//
// Prints the median of five passes in GiB/s.

#include "common/example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define PASSES 5

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *allocate(size_t size)
{
    char *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        fail("no memory for %zu bytes", size);
    memset(memory, 1, size); // pages that were never written to would all be the same one
    return memory;
}

static double pass(const char *from, size_t size, char *to, size_t chunk, size_t jobs)
{
    double before = now();
    for (size_t done = 0, job = 0; done < size; job = (job + 1) % jobs) {
        size_t n = size - done < chunk ? size - done : chunk;
        memcpy(to + job * chunk, from + done, n);
        __asm__ volatile("" : : "r"(to) : "memory"); // nobody reads it: do it all the same
        done += n;
    }
    return now() - before;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    size_t size = argc > 1 ? read_size(argv[1]) : (size_t)256 << 20;
    size_t chunk = argc > 2 ? read_size(argv[2]) : 256 << 10;
    size_t jobs = argc > 3 ? read_size(argv[3]) : 4;
    char *from = allocate(size), *to = allocate(chunk * jobs);
    double seconds[PASSES];
    for (int i = 0; i < PASSES; i++)
        seconds[i] = pass(from, size, to, chunk, jobs);
    qsort(seconds, PASSES, sizeof(*seconds), by_value);
    printf("%.2f\n", (double)size / seconds[PASSES / 2] / 0x1p30);
    munmap(from, size);
    munmap(to, chunk * jobs);
    return EXIT_SUCCESS;
}

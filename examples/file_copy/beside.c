// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "beside.h"

#include "../common/example.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// Makes a memory file, because imported memory is one, too.
static uint8_t *map_file(size_t size)
{
    int fd = memfd_create("memcpy", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
        fail("cannot make a memory file of %zu bytes: %s", size, strerror(errno));
    uint8_t *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (at == MAP_FAILED)
        fail("no memory for %zu bytes", size);
    close(fd);
    memset(at, 1, size);
    return at;
}

void beside_begin(struct beside *b, size_t size, size_t rounds)
{
    *b = (struct beside){.from = map_file(size), .size = size, .max = rounds};
    b->fetched = calloc(rounds, sizeof(double));
    b->copied = calloc(rounds, sizeof(double));
    b->relation = calloc(rounds, sizeof(double));
    if (!b->fetched || !b->copied || !b->relation)
        fail("no memory");
}

void beside_warm(uint8_t *to, size_t size)
{
    memset(to, 0, size);
}

void beside_round(struct beside *b, double seconds, uint8_t *to, size_t offset, size_t size,
                  size_t chunk)
{
    if (b->n == b->max)
        return;
    beside_warm(to, size);
    double before = now();
    for (size_t done = 0; done < size; done += chunk) {
        size_t n = size - done < chunk ? size - done : chunk;
        memcpy(to + done, b->from + offset + done, n);
        __asm__ volatile("" : : "r"(to) : "memory"); // keeps the compiler from dropping the copy
    }
    double copied = now() - before;
    b->fetched[b->n] = (double)size / seconds / 0x1p30;
    b->copied[b->n] = (double)size / copied / 0x1p30;
    b->relation[b->n++] = copied / seconds;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), by_value);
    return values[n / 2];
}

void beside_end(struct beside *b)
{
    if (b->n)
        printf("medians of %zu rounds: %.2f GiB/s, memcpy %.2f GiB/s, ratio %.2f\n", b->n,
               median(b->fetched, b->n), median(b->copied, b->n), median(b->relation, b->n));
    munmap(b->from, b->size);
    free(b->fetched);
    free(b->copied);
    free(b->relation);
}

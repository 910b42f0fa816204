// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two programs that fill and check each other's memory, each on its machine:
//
//     exchange host SIZE     offers pages of a pattern, some that may only be read, and a few
//                            bytes of the heap; checks in the end that the DPU has put its
//                            own pattern there
//     exchange dpu           copies all of it here, checks it, and writes it anew
//     exchange rates ROUNDS  on the DPU: prints how long copies of the pages take
//
// The last byte of the heap's says that the DPU is done.

#include "named.h"

#include "../../../examples/common/example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGES_NAME "exchange-pages"
#define HEAP_NAME  "exchange-heap"
#define FIXED_NAME "exchange-fixed"
#define FIXED_SIZE (2u << 20)
#define HEAP_SIZE  70001 // more than one request moves, and odd
#define CHUNK      (1024u * 1024)
#define WAIT_S     240

static uint8_t pattern(size_t i, unsigned salt)
{
    return (uint8_t)((i * 2654435761u >> 13) + i + salt);
}

static void fill(uint8_t *p, size_t offset, size_t n, unsigned salt)
{
    for (size_t i = 0; i < n; i++)
        p[i] = pattern(offset + i, salt);
}

static void check(const uint8_t *p, size_t offset, size_t n, unsigned salt, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != pattern(offset + i, salt))
            fail("%s: wrong byte at %zu", what, offset + i);
}

// ---- host -------------------------------------------------------------------------------

static uint8_t *get_pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        fail("no memory");
    return p;
}

static int host(size_t size)
{
    uint8_t *pages = get_pages(size), *fixed = get_pages(FIXED_SIZE);
    uint8_t *heap = malloc(HEAP_SIZE);
    if (!heap)
        fail("no memory");
    fill(pages, 0, size, 1);
    fill(heap, 0, HEAP_SIZE, 2);
    fill(fixed, 0, FIXED_SIZE, 5);
    heap[HEAP_SIZE - 1] = 0;
    struct doca_dev *dev = open_device("0b:00.0");
    struct doca_mmap *maps[] = {
        offer(dev, FIXED_NAME, fixed, FIXED_SIZE, DOCA_ACCESS_DPU_READ_ONLY),
        offer(dev, HEAP_NAME, heap, HEAP_SIZE, DOCA_ACCESS_DPU_READ_WRITE),
        offer(dev, PAGES_NAME, pages, size, DOCA_ACCESS_DPU_READ_WRITE)};
    time_t start = time(NULL);
    while (*(volatile uint8_t *)&heap[HEAP_SIZE - 1] != 1) {
        if (time(NULL) - start > WAIT_S)
            fail("the DPU is not done after %d s", WAIT_S);
        usleep(20000);
    }
    check(pages, 0, size, 3, "pages");
    check(heap, 0, HEAP_SIZE - 1, 4, "heap");
    for (int i = 0; i < 3; i++)
        must(doca_mmap_destroy(maps[i]), "destroy");
    must(doca_dev_close(dev), "close");
    printf("host: %zu bytes are the DPU's\n", size + HEAP_SIZE - 1);
    return 0;
}

// ---- DPU --------------------------------------------------------------------------------

static struct dma_setup setup;
static uint8_t *scratch;
static struct doca_mmap *local;

// Reads memory that may only be read.
static void read_fixed(struct doca_mmap *remote, uint8_t *address)
{
    for (size_t at = 0; at < FIXED_SIZE; at += CHUNK) {
        copy(&setup, local, scratch, remote, address + at, CHUNK);
        check(scratch, at, CHUNK, 5, FIXED_NAME);
    }
}

static void turn_round(const char *name, unsigned before, unsigned after, size_t spare)
{
    struct timespec from, to;
    uint8_t *address;
    size_t size;
    struct doca_mmap *remote = find_offered(&setup, name, &address, &size);
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (size_t at = 0; at < size - spare; at += CHUNK) {
        size_t n = size - spare - at < CHUNK ? size - spare - at : CHUNK;
        copy(&setup, local, scratch, remote, address + at, n);
        check(scratch, at, n, before, name);
        fill(scratch, at, n, after);
        copy(&setup, remote, address + at, local, scratch, n);
        memset(scratch, 0, n);
        copy(&setup, local, scratch, remote, address + at, n);
        check(scratch, at, n, after, name);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    printf("dpu: %s: %zu bytes there, back and there in %.2f s: %.1f MB/s\n", name, size, seconds,
           3 * (double)size / seconds / 1e6);
    if (spare) {
        scratch[0] = 1;
        copy(&setup, remote, address + size - spare, local, scratch, spare);
    }
    must(doca_mmap_destroy(remote), "destroy");
}

static int dpu(void)
{
    uint8_t *address;
    size_t size;
    dma_setup(&setup, "03:00.0", 4, 8, false);
    scratch = aligned_alloc(4096, CHUNK);
    if (!scratch)
        fail("no memory");
    local = map_local(&setup, scratch, CHUNK);
    struct doca_mmap *fixed = find_offered(&setup, FIXED_NAME, &address, &size);
    read_fixed(fixed, address);
    turn_round(PAGES_NAME, 1, 3, 0);
    read_fixed(fixed, address);
    must(doca_mmap_destroy(fixed), "destroy");
    turn_round(HEAP_NAME, 2, 4, 1);
    must(doca_mmap_destroy(local), "destroy");
    dma_teardown(&setup);
    free(scratch);
    return 0;
}

// ---- rates ------------------------------------------------------------------------------

#define ROUNDS_MAX 99

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// Seconds of one copy, of some.
static double trial(struct doca_mmap *remote, uint8_t *address, size_t range, size_t n, bool write)
{
    int count = n < CHUNK ? 16 : 4;
    double from = now();
    size_t at = 0;
    for (int i = 0; i < count; i++) {
        if (write)
            copy(&setup, remote, address + at, local, scratch, n);
        else
            copy(&setup, local, scratch, remote, address + at, n);
        at = at + 2 * n <= range ? at + n : 0;
    }
    return (now() - from) / count;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static int rates(int rounds)
{
    static const size_t sizes[] = {8, 4096, 16384, 65536, CHUNK};
    uint8_t *address;
    size_t range;
    dma_setup(&setup, "03:00.0", 4, 8, false);
    scratch = aligned_alloc(4096, CHUNK);
    if (!scratch)
        fail("no memory");
    memset(scratch, 0, CHUNK);
    local = map_local(&setup, scratch, CHUNK);
    struct doca_mmap *remote = find_offered(&setup, PAGES_NAME, &address, &range);
    trial(remote, address, range, CHUNK, false); // may be the first use of that memory
    usleep(500000);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        double seconds[2][ROUNDS_MAX];
        for (int round = 0; round < rounds; round++)
            for (int write = 0; write < 2; write++)
                seconds[write][round] = trial(remote, address, range, sizes[i], write);
        for (int write = 0; write < 2; write++) {
            qsort(seconds[write], (size_t)rounds, sizeof(double), by_size);
            double median = seconds[write][rounds / 2];
            printf("rate: %-5s %6zu bytes: %8.1f us, %7.2f MB/s\n", write ? "write" : "read",
                   sizes[i], median * 1e6, (double)sizes[i] / median / 1e6);
        }
    }
    must(doca_mmap_destroy(remote), "destroy");
    must(doca_mmap_destroy(local), "destroy");
    dma_teardown(&setup);
    free(scratch);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "host") == 0)
        return host(read_size(argv[2]));
    if (argc == 2 && strcmp(argv[1], "dpu") == 0)
        return dpu();
    int rounds = argc == 3 && strcmp(argv[1], "rates") == 0 ? atoi(argv[2]) : 0;
    if (rounds > 0 && rounds <= ROUNDS_MAX)
        return rates(rounds);
    fprintf(stderr, "Usage: %s host SIZE | dpu | rates ROUNDS\n", argv[0]);
    return 2;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Starting a memory map, and the command mmap_start.

#include "registration.h"

#include "clock.h"
#include "commands.h"
#include "device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GIB  (1024.0 * 1024 * 1024)
#define PAGE 4096

static bool start_map(struct doca_mmap *map, struct doca_dev *dev, struct memory *memory,
                      struct start_times *out, struct problem *problem)
{
    DOCA_TRY(problem, doca_mmap_set_permissions, map, DOCA_ACCESS_DPU_READ_WRITE);
    DOCA_TRY(problem, doca_mmap_set_memrange, map, memory->at, memory->size);
    DOCA_TRY(problem, doca_mmap_dev_add, map, dev);
    uint64_t before = ticks_now();
    DOCA_TRY(problem, doca_mmap_start, map);
    out->start = ticks_to_ns(ticks_between(before, ticks_now()));
    return true;
}

static bool holds_pattern(const struct memory *memory, const char *when, struct problem *problem)
{
    size_t wrong = pattern_check(memory->at, memory->size);
    return wrong == memory->size ||
           problem_set(problem, "byte %zu of the memory is wrong after %s", wrong, when);
}

bool registration_start(struct doca_dev *dev, struct memory *memory, struct start_times *out,
                        struct problem *problem)
{
    struct doca_mmap *map;
    DOCA_TRY(problem, doca_mmap_create, NULL, &map);
    bool ok = start_map(map, dev, memory, out, problem) &&
              holds_pattern(memory, "doca_mmap_start", problem);
    uint64_t before = ticks_now();
    doca_error_t result = doca_mmap_destroy(map);
    out->destroy = ticks_to_ns(ticks_between(before, ticks_now()));
    if (ok && result != DOCA_SUCCESS)
        return problem_doca(problem, "doca_mmap_destroy", result);
    return ok && holds_pattern(memory, "doca_mmap_destroy", problem);
}

bool registration_copy(const struct memory *memory, struct copy_times *out, struct problem *problem)
{
    void *to = mmap(NULL, memory->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (to == MAP_FAILED)
        return problem_set(problem, "cannot get %zu bytes: %s", memory->size, strerror(errno));
    uint64_t begin = ticks_now();
    memcpy(to, memory->at, memory->size);
    uint64_t middle = ticks_now();
    __asm__ volatile("" ::"r"(to) : "memory"); // keep both copies
    memcpy(to, memory->at, memory->size);
    uint64_t end = ticks_now();
    __asm__ volatile("" ::"r"(to) : "memory");
    *out = (struct copy_times){
        .fresh = ticks_to_ns(ticks_between(begin, middle)),
        .warm = ticks_to_ns(ticks_between(middle, end)),
    };
    munmap(to, memory->size);
    return true;
}

// ---- the command -----------------------------------------------------------------------------

struct samples {
    double *start, *destroy, *fresh, *warm; // `iters` of each
};

static bool measure(struct doca_dev *dev, const struct options *options, struct samples *samples,
                    struct problem *problem)
{
    bool ok = true;
    for (uint64_t i = 0; ok && i < options->iters; i++) {
        struct memory memory = {0};
        struct start_times start;
        struct copy_times copy;
        ok = memory_open(&memory, MEMORY_MAPPED, options->size, problem);
        if (ok)
            pattern_fill(memory.at, memory.size);
        ok = ok && registration_start(dev, &memory, &start, problem) &&
             registration_copy(&memory, &copy, problem);
        memory_close(&memory);
        if (!ok)
            break;
        samples->start[i] = start.start;
        samples->destroy[i] = start.destroy;
        samples->fresh[i] = copy.fresh;
        samples->warm[i] = copy.warm;
    }
    return ok;
}

static void report(struct run *run, struct samples *samples)
{
    size_t n = run->options->iters;
    double start = median(samples->start, n), fresh = median(samples->fresh, n);
    double warm = median(samples->warm, n), bytes = (double)run->options->size;
    result_add(run->result, "bytes", "#bytes", bytes, 0);
    result_add(run->result, "iterations", "#iterations", (double)n, 0);
    result_add(run->result, "start_usec", "start[usec]", start / 1e3, 1);
    result_add(run->result, "start_min_usec", "min[usec]", samples->start[0] / 1e3, 1);
    result_add(run->result, "destroy_usec", "destroy[usec]", median(samples->destroy, n) / 1e3, 1);
    result_add(run->result, "start_gib_s", "start[GiB/s]", bytes / start * 1e9 / GIB, 3);
    result_add(run->result, "copy_new_usec", "copy to new[usec]", fresh / 1e3, 1);
    result_add(run->result, "copy_warm_usec", "copy again[usec]", warm / 1e3, 1);
    result_add(run->result, "start_to_copy_new", "start/copy to new", start / fresh, 3);
    result_add(run->result, "start_to_copy_warm", "start/copy again", start / warm, 3);
}

bool check_mmap_start(struct options *options, struct problem *problem)
{
    if (options->iters > 1000000)
        return problem_set(problem, "--iters %llu: mmap_start takes at most 1000000",
                           (unsigned long long)options->iters);
    options->size = (options->size + PAGE - 1) / PAGE * PAGE;
    return true;
}

bool run_mmap_start(struct run *run)
{
    const struct options *options = run->options;
    struct problem *problem = &run->result->problem;
    struct doca_dev *dev = NULL;
    double *values = calloc(options->iters, 4 * sizeof(*values));
    if (!values)
        return problem_set(problem, "out of memory");
    struct samples samples = {values, values + options->iters, values + 2 * options->iters,
                              values + 3 * options->iters};
    double cpu = cpu_seconds(0);
    bool ok =
        device_open(&dev, DEVICE_EXPORTS, problem) && measure(dev, options, &samples, problem);
    if (ok) {
        report(run, &samples);
        result_add(run->result, "cpu_seconds", NULL, cpu_seconds(0) - cpu, 3);
        run->result->verified = true;
    }
    if (dev)
        doca_dev_close(dev);
    free(values);
    return ok;
}

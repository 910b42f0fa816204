// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Buffers alone, and the command buf.

#include "pools.h"

#include "clock.h"
#include "commands.h"

#include <stdlib.h>

#define BUFFER_SIZE 4096

bool pool_open(struct pool *pool, uint32_t batch, struct problem *problem)
{
    *pool = (struct pool){.batch = batch};
    pool->taken = calloc(batch, sizeof(struct doca_buf *));
    if (!pool->taken)
        return problem_set(problem, "out of memory");
    if (!memory_open(&pool->memory, MEMORY_MAPPED, BUFFER_SIZE, problem))
        return false;
    DOCA_TRY(problem, doca_mmap_create, NULL, &pool->map);
    DOCA_TRY(problem, doca_mmap_set_memrange, pool->map, pool->memory.at, pool->memory.size);
    DOCA_TRY(problem, doca_mmap_start, pool->map);
    DOCA_TRY(problem, doca_buf_inventory_create, NULL, batch, DOCA_BUF_EXTENSION_NONE,
             &pool->inventory);
    DOCA_TRY(problem, doca_buf_inventory_start, pool->inventory);
    return true;
}

void pool_close(struct pool *pool)
{
    if (pool->inventory)
        doca_buf_inventory_destroy(pool->inventory);
    if (pool->map)
        doca_mmap_destroy(pool->map);
    memory_close(&pool->memory);
    free(pool->taken);
    *pool = (struct pool){0};
}

bool pool_pairs(struct pool *pool, uint64_t n, struct problem *problem)
{
    while (n > 0) {
        uint32_t now = n < pool->batch ? (uint32_t)n : pool->batch;
        for (uint32_t i = 0; i < now; i++)
            DOCA_TRY(problem, doca_buf_inventory_buf_by_addr, pool->inventory, pool->map,
                     pool->memory.at, BUFFER_SIZE, &pool->taken[i]);
        for (uint32_t i = 0; i < now; i++)
            DOCA_TRY(problem, doca_buf_refcount_rm, pool->taken[i], NULL);
        n -= now;
    }
    return true;
}

// The properties of a buffer are those that were requested.
static bool verify(struct pool *pool, struct problem *problem)
{
    struct doca_buf *buf;
    void *head;
    size_t len;
    uint32_t free_ones;
    DOCA_TRY(problem, doca_buf_inventory_buf_by_addr, pool->inventory, pool->map,
             pool->memory.at + 64, 128, &buf);
    doca_error_t a = doca_buf_get_head(buf, &head), b = doca_buf_get_len(buf, &len);
    DOCA_TRY(problem, doca_buf_refcount_rm, buf, NULL);
    DOCA_TRY(problem, doca_buf_inventory_get_num_free_elements, pool->inventory, &free_ones);
    if (a || b || head != pool->memory.at + 64 || len != 128 || free_ones != pool->batch)
        return problem_set(problem, "a buffer is not what it should be");
    return true;
}

bool run_buf(struct run *run)
{
    const struct options *options = run->options;
    struct problem *problem = &run->result->problem;
    struct pool pool;

    bool ok =
        pool_open(&pool, options->batch, problem) && pool_pairs(&pool, options->warmup, problem);
    double cpu = cpu_seconds(0);
    uint64_t before = ticks_now();
    ok = ok && pool_pairs(&pool, options->iters, problem);
    double ns = ticks_to_ns(ticks_now() - before);
    cpu = cpu_seconds(0) - cpu;
    ok = ok && verify(&pool, problem);
    pool_close(&pool);
    if (!ok)
        return false;
    double n = (double)options->iters;
    result_add(run->result, "iterations", "#iterations", n, 0);
    result_add(run->result, "batch", "batch", options->batch, 0);
    result_add(run->result, "ns_per_pair", "get+put[nsec]", ns / n, 2);
    result_add(run->result, "rate_mpps", "rate[M/s]", n / ns * 1e3, 3);
    result_add(run->result, "cpu_ns_per_job", "CPU[ns/pair]", cpu * 1e9 / n, 2);
    return run->result->verified = true;
}

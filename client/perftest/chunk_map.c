// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compiled against the interface of DOCA 1.3 (DOCA_USE_VERSION).

#include "chunk_map.h"

#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include <stdlib.h>
#include <string.h>

#define PAGE 4096

struct chunk_map {
    const struct memory *memory;
    size_t pages, next; // in either half of the memory
    struct doca_dev *dev;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_dma *dma;
    struct doca_workq *workq;
    bool has_device, started, attached;
    uint32_t depth;
    struct pair {
        struct doca_buf *from, *to;
    } * pairs; // `depth` of them
};

static bool open_mmap(struct chunk_map *m, size_t chunks, struct problem *problem)
{
    const uint32_t max = (uint32_t)chunks;
    size_t size = m->memory->size / chunks;

    DOCA_TRY(problem, doca_mmap_create, NULL, &m->mmap);
    DOCA_TRY(problem, doca_mmap_property_set, m->mmap, DOCA_MMAP_MAX_NUM_CHUNKS,
             (const uint8_t *)&max, sizeof(max));
    DOCA_TRY(problem, doca_mmap_start, m->mmap);
    DOCA_TRY(problem, doca_mmap_dev_add, m->mmap, m->dev);
    m->has_device = true;
    for (size_t i = 0; i < chunks; i++)
        DOCA_TRY(problem, doca_mmap_populate, m->mmap, m->memory->at + i * size, size, PAGE, NULL,
                 NULL);
    return true;
}

static bool open_queue(struct chunk_map *m, struct problem *problem)
{
    m->pairs = calloc(m->depth, sizeof(*m->pairs));
    if (!m->pairs)
        return problem_set(problem, "out of memory");
    DOCA_TRY(problem, doca_buf_inventory_create, NULL, 2 * (size_t)m->depth,
             DOCA_BUF_EXTENSION_NONE, &m->inventory);
    DOCA_TRY(problem, doca_buf_inventory_start, m->inventory);
    DOCA_TRY(problem, doca_dma_create, &m->dma);
    DOCA_TRY(problem, doca_ctx_dev_add, doca_dma_as_ctx(m->dma), m->dev);
    DOCA_TRY(problem, doca_ctx_start, doca_dma_as_ctx(m->dma));
    m->started = true;
    DOCA_TRY(problem, doca_workq_create, m->depth, &m->workq);
    DOCA_TRY(problem, doca_ctx_workq_add, doca_dma_as_ctx(m->dma), m->workq);
    m->attached = true;
    return true;
}

bool chunk_map_open(struct chunk_map **out, struct doca_dev *dev, const struct memory *memory,
                    size_t chunks, uint32_t depth, struct problem *problem)
{
    struct chunk_map *m = *out = calloc(1, sizeof(*m));
    if (!m)
        return problem_set(problem, "out of memory");
    m->memory = memory;
    m->pages = memory->size / PAGE / 2;
    m->dev = dev;
    m->depth = depth;
    return open_mmap(m, chunks, problem) && open_queue(m, problem);
}

void chunk_map_close(struct chunk_map *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; m->pairs && i < m->depth; i++) {
        if (m->pairs[i].from)
            doca_buf_refcount_rm(m->pairs[i].from, NULL);
        if (m->pairs[i].to)
            doca_buf_refcount_rm(m->pairs[i].to, NULL);
    }
    if (m->attached)
        doca_ctx_workq_rm(doca_dma_as_ctx(m->dma), m->workq);
    if (m->workq)
        doca_workq_destroy(m->workq);
    if (m->started)
        doca_ctx_stop(doca_dma_as_ctx(m->dma));
    if (m->dma)
        doca_dma_destroy(m->dma);
    if (m->inventory)
        doca_buf_inventory_destroy(m->inventory);
    if (m->has_device)
        doca_mmap_dev_rm(m->mmap, m->dev);
    if (m->mmap)
        doca_mmap_destroy(m->mmap);
    free(m->pairs);
    free(m);
}

// ---- jobs ---------------------------------------------------------------------------------

// Not at the same offset of each page, which would use few sets of a cache.
static size_t place(size_t page, size_t size)
{
    return page * PAGE + page * 64 % (PAGE - size);
}

static bool submit(struct chunk_map *m, uint32_t i, size_t size, struct problem *problem)
{
    struct pair *pair = &m->pairs[i];
    char *from = m->memory->at + place(m->next, size), *to = from + m->pages * PAGE;

    DOCA_TRY(problem, doca_buf_inventory_buf_by_addr, m->inventory, m->mmap, from, size,
             &pair->from);
    DOCA_TRY(problem, doca_buf_inventory_buf_by_addr, m->inventory, m->mmap, to, size, &pair->to);
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = doca_dma_as_ctx(m->dma), .user_data.u64 = i},
        .dst_buff = pair->to,
        .src_buff = pair->from,
        .num_bytes_to_copy = size,
    };
    DOCA_TRY(problem, doca_workq_submit, m->workq, &job.base);
    m->next = m->next + 1 == m->pages ? 0 : m->next + 1;
    return true;
}

static bool retrieve(struct chunk_map *m, struct problem *problem)
{
    struct doca_event event;
    doca_error_t r;

    while ((r = doca_workq_progress_retrieve(m->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE)) ==
           DOCA_ERROR_AGAIN)
        ;
    if (r == DOCA_SUCCESS)
        r = (doca_error_t)event.result.u64;
    if (r != DOCA_SUCCESS)
        return problem_doca(problem, "a job", r);
    struct pair *pair = &m->pairs[event.user_data.u64];
    DOCA_TRY(problem, doca_buf_refcount_rm, pair->from, NULL);
    pair->from = NULL;
    DOCA_TRY(problem, doca_buf_refcount_rm, pair->to, NULL);
    pair->to = NULL;
    return true;
}

bool chunk_map_run(struct chunk_map *m, uint64_t n, size_t size, struct problem *problem)
{
    while (n > 0) {
        uint32_t now = n < m->depth ? (uint32_t)n : m->depth;
        for (uint32_t i = 0; i < now; i++)
            if (!submit(m, i, size, problem))
                return false;
        for (uint32_t i = 0; i < now; i++)
            if (!retrieve(m, problem))
                return false;
        n -= now;
    }
    return true;
}

bool chunk_map_verify(struct chunk_map *m, size_t size, struct problem *problem)
{
    char *half = m->memory->at + m->pages * PAGE;

    memset(half, 0, m->pages * PAGE);
    if (!chunk_map_run(m, m->pages, size, problem))
        return false;
    for (size_t page = 0; page < m->pages; page++)
        if (memcmp(m->memory->at + place(page, size), half + place(page, size), size) != 0)
            return problem_set(problem, "the copy is wrong: page %zu differs", page);
    return true;
}

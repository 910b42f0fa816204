// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "named.h"

#include "../../../examples/common/example.h"

#include <doca_docad.h>

#include <sched.h>
#include <time.h>

#define WAIT_MS        60000
#define OTHER_DOCAD_MS 1000 // at least so long docad waits for another one

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct doca_mmap *offer(struct doca_dev *dev, const char *name, void *memory, size_t size,
                        uint32_t access)
{
    struct doca_mmap *map;
    const void *desc;
    size_t desc_size;
    must(doca_mmap_create(NULL, &map), "create");
    must(doca_mmap_set_memrange(map, memory, size), "set_memrange");
    must(doca_mmap_set_permissions(map, access), "set_permissions");
    must(doca_mmap_dev_add(map, dev), "dev_add");
    must(doca_mmap_start(map), "start");
    must(doca_mmap_export_dpu(map, dev, &desc, &desc_size), "export");
    must(docad_export_publish(name, desc, desc_size), "publish");
    return map;
}

// docad waits some seconds for another one that is away: a busy machine takes longer to restart
// it, and then the import is tried again. What is refused at once is wrong.
struct doca_mmap *find_offered(const struct dma_setup *setup, const char *name, uint8_t **address,
                               size_t *size)
{
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t desc_size = sizeof(desc);
    struct doca_mmap *remote;
    doca_error_t r;
    int64_t begun;
    void *start;
    must(docad_export_lookup(name, WAIT_MS, desc, &desc_size), "lookup %s", name);
    do {
        begun = now_ms();
        r = doca_mmap_create_from_export(NULL, desc, desc_size, setup->dev, &remote);
    } while (r == DOCA_ERROR_DRIVER && now_ms() - begun > OTHER_DOCAD_MS);
    must(r, "import %s", name);
    must(doca_mmap_get_memrange(remote, &start, size), "memrange");
    *address = start;
    return remote;
}

void copy(const struct dma_setup *setup, struct doca_mmap *to, void *to_at, struct doca_mmap *from,
          void *from_at, size_t n)
{
    struct doca_buf *dst, *src;
    struct doca_event event;
    doca_error_t r;
    must(doca_buf_inventory_buf_by_addr(setup->inventory, to, to_at, n, &dst), "buffer");
    must(doca_buf_inventory_buf_by_data(setup->inventory, from, from_at, n, &src), "buffer");
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = setup->ctx}, .dst_buff = dst, .src_buff = src};
    must(doca_workq_submit(setup->workq, &job.base), "submit");
    // The machine has one processor, which docad and the network need, too.
    while ((r = doca_workq_progress_retrieve(setup->workq, &event, 0)) == DOCA_ERROR_AGAIN)
        sched_yield();
    must(r == DOCA_ERROR_IO_FAILED ? (doca_error_t)event.result.u64 : r, "copy");
    must(doca_buf_refcount_rm(dst, NULL), "rm");
    must(doca_buf_refcount_rm(src, NULL), "rm");
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "copies_3.h"

#define BUFFERS 16
#define TASKS   8

static void ended(struct doca_dma_task_memcpy *task, union doca_data task_data,
                  union doca_data data)
{
    struct copies *copies = data.ptr;
    (void)task;
    (void)task_data;
    if (copies->in_callback)
        copies->in_callback(copies);
    copies->done++;
}

static void failed(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data data)
{
    struct copies *copies = data.ptr;
    (void)task_data;
    if (copies->reads_status && doca_task_get_status(doca_dma_task_memcpy_as_task(task)) == 0)
        abort();
    copies->done++;
    copies->failed++;
}

static struct doca_dev *first_device(void)
{
    struct doca_devinfo **infos;
    struct doca_dev *dev;
    uint32_t n;
    must(doca_devinfo_create_list(&infos, &n));
    must(doca_dev_open(infos[0], &dev));
    must(doca_devinfo_destroy_list(infos));
    return dev;
}

void copies_begin(struct copies *copies, size_t size)
{
    union doca_data data = {.ptr = copies};
    *copies = (struct copies){.dev = first_device(), .size = size, .reads_status = true};
    copies->memory = aligned_alloc(PART, size);
    if (!copies->memory)
        abort();
    memset(copies->memory, 'm', size);
    must(doca_mmap_create(&copies->map));
    must(doca_mmap_set_permissions(copies->map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    must(doca_mmap_set_memrange(copies->map, copies->memory, size));
    must(doca_mmap_add_dev(copies->map, copies->dev));
    must(doca_mmap_start(copies->map));
    must(doca_buf_inventory_create(BUFFERS, &copies->inventory));
    must(doca_buf_inventory_start(copies->inventory));
    must(doca_pe_create(&copies->pe));
    for (unsigned i = 0; i < 2; i++) {
        must(doca_dma_create(copies->dev, &copies->dmas[i]));
        struct doca_ctx *ctx = doca_dma_as_ctx(copies->dmas[i]);
        must(doca_dma_task_memcpy_set_conf(copies->dmas[i], ended, failed, TASKS));
        must(doca_ctx_set_user_data(ctx, data));
        must(doca_pe_connect_ctx(copies->pe, ctx));
        must(doca_ctx_start(ctx));
    }
}

void copies_end(struct copies *copies)
{
    for (unsigned i = 0; i < 2; i++) {
        doca_error_t result = doca_ctx_stop(doca_dma_as_ctx(copies->dmas[i]));
        while (result == DOCA_ERROR_IN_PROGRESS && doca_pe_progress(copies->pe))
            ;
        must(doca_dma_destroy(copies->dmas[i]));
    }
    must(doca_pe_destroy(copies->pe));
    must(doca_buf_inventory_destroy(copies->inventory));
    must(doca_mmap_destroy(copies->map));
    must(doca_dev_close(copies->dev));
    free(copies->memory);
}

struct doca_buf *copies_full(struct copies *copies, size_t at, size_t length)
{
    struct doca_buf *buf;
    must(doca_buf_inventory_buf_get_by_data(copies->inventory, copies->map, copies->memory + at,
                                            length, &buf));
    return buf;
}

struct doca_buf *copies_empty(struct copies *copies, size_t at, size_t length)
{
    struct doca_buf *buf;
    must(doca_buf_inventory_buf_get_by_addr(copies->inventory, copies->map, copies->memory + at,
                                            length, &buf));
    return buf;
}

void copies_give_back(struct doca_buf *buf)
{
    must(doca_buf_dec_refcount(buf, NULL));
}

struct doca_dma_task_memcpy *copies_task(struct copies *copies, unsigned context,
                                         struct doca_buf *from, struct doca_buf *to)
{
    struct doca_dma_task_memcpy *task;
    union doca_data none = {0};
    must(doca_dma_task_memcpy_alloc_init(copies->dmas[context], from, to, none, &task));
    return task;
}

void copies_submit(struct doca_dma_task_memcpy *task)
{
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
}

void copies_free(struct doca_dma_task_memcpy *task)
{
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

void copies_await(struct copies *copies, unsigned done)
{
    while (copies->done < done)
        (void)doca_pe_progress(copies->pe);
}

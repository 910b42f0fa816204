// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A file from the host to the DPU, the DPU's part: see file_to_dpu.c, which starts first.
//
//     DOCAD_SOCKET=dpu.sock file_from_host DESCRIPTORS COPY
//
// The bytes are copied in pieces, with a few tasks in flight; the callback gives a task the next
// piece and submits it again.

#include "../common/files.h"
#include "setup.h"

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>
#include <doca_sync_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define N_TASKS 4
#define PIECE   65536u

struct copying {
    struct setup setup; // room for the file
    struct doca_mmap *remote;
    uint8_t *address; // of the file, in the host's process
    size_t begun, done;
};

// Points both buffers of a task at the next piece. False if there is none.
static bool next_piece(struct copying *c, struct doca_buf *from, struct doca_buf *to)
{
    size_t at = c->begun, n = c->setup.size - at < PIECE ? c->setup.size - at : PIECE;
    if (n == 0)
        return false;
    c->begun += n;
    must(doca_buf_set_data(from, c->address + at, n), "cannot set the source");
    must(doca_buf_set_data(to, c->setup.memory + at, 0), "cannot set the destination");
    return true;
}

static void copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct copying *c = ctx_data.ptr;
    struct doca_buf *from = (struct doca_buf *)doca_dma_task_memcpy_get_src(task);
    struct doca_buf *to = doca_dma_task_memcpy_get_dst(task);
    size_t n;

    (void)task_data;
    must(doca_buf_get_data_len(to, &n), "cannot tell how much was copied");
    c->done += n;
    if (next_piece(c, from, to)) {
        must(doca_task_submit(doca_dma_task_memcpy_as_task(task)), "cannot submit a task again");
        return;
    }
    must(doca_buf_dec_refcount(from, NULL), "cannot give a buffer back");
    must(doca_buf_dec_refcount(to, NULL), "cannot give a buffer back");
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void not_copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    must(doca_task_get_status(doca_dma_task_memcpy_as_task(task)),
         "cannot copy; is the host gone?");
}

// Both cover the whole file, so that next_piece() can point them anywhere in it.
static void begin_task(struct copying *c, struct doca_dma *dma)
{
    struct doca_dma_task_memcpy *task;
    struct doca_buf *from, *to;
    union doca_data none = {0};

    if (c->begun == c->setup.size)
        return; // the file is too short for so many
    must(doca_buf_inventory_buf_get_by_addr(c->setup.inventory, c->remote, c->address,
                                            c->setup.size, &from),
         "cannot make a source buffer");
    to = empty_buffer(&c->setup, 0, c->setup.size);
    (void)next_piece(c, from, to);
    must(doca_dma_task_memcpy_alloc_init(dma, from, to, none, &task), "cannot allocate a task");
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)), "cannot submit a task");
}

static void copy(struct copying *c)
{
    union doca_data data = {.ptr = c};
    struct doca_pe *pe;
    struct doca_dma *dma;

    must(doca_pe_create(&pe), "cannot make a progress engine");
    must(doca_dma_create(c->setup.dev, &dma), "cannot make a DMA context");
    struct doca_ctx *ctx = doca_dma_as_ctx(dma);
    must(doca_dma_task_memcpy_set_conf(dma, copied, not_copied, N_TASKS),
         "cannot configure the tasks");
    must(doca_ctx_set_user_data(ctx, data), "cannot set the user data");
    must(doca_pe_connect_ctx(pe, ctx), "cannot connect the context to the engine");
    must(doca_ctx_start(ctx), "cannot start the context");
    for (unsigned i = 0; i < N_TASKS; i++)
        begin_task(c, dma);
    while (c->done < c->setup.size)
        (void)doca_pe_progress(pe);
    must(doca_ctx_stop(ctx), "cannot stop the context");
    must(doca_dma_destroy(dma), "cannot destroy the context");
    must(doca_pe_destroy(pe), "cannot destroy the engine");
}

static void tell_host(struct doca_dev *dev, const struct bytes *desc)
{
    struct doca_sync_event *event;
    must(doca_sync_event_create_from_export(dev, desc->data, desc->size, &event),
         "cannot import the sync event");
    must(doca_sync_event_start(event), "cannot start the sync event");
    must(doca_sync_event_update_set(event, 1), "cannot tell the host");
    must(doca_sync_event_stop(event), "cannot stop the sync event");
    must(doca_sync_event_destroy(event), "cannot destroy the sync event");
}

int main(int argc, char **argv)
{
    struct copying c = {.begun = 0};
    size_t size;

    help_option(argc, argv, "DESCRIPTORS COPY", "Copies the file that file_to_dpu exports.");
    if (argc != 3)
        fail("the arguments are the name of the descriptors, and of the copy");
    struct bytes map = read_file(argv[1], ".map"), event = read_file(argv[1], ".event");
    struct doca_dev *dev = open_device();
    must(doca_mmap_create_from_export(NULL, map.data, map.size, dev, &c.remote),
         "cannot import the memory; file_to_dpu must still run");
    must(doca_mmap_get_memrange(c.remote, (void **)&c.address, &size), "cannot get the range");
    setup_open(&c.setup, size, 2 * N_TASKS);
    copy(&c);
    write_file(argv[2], "", &(struct bytes){c.setup.memory, size});
    tell_host(dev, &event);
    printf("copied %zu bytes\n", size);

    setup_close(&c.setup);
    must(doca_mmap_destroy(c.remote), "cannot destroy the imported map");
    must(doca_dev_close(dev), "cannot close the device");
    free(map.data);
    free(event.data);
    return EXIT_SUCCESS;
}

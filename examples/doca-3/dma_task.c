// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The smallest DMA program of DOCA 3: one task on a progress engine that is polled.
//
//     DOCAD_SOCKET=dpu.sock dma_task [TEXT]
//
// dma_tasks.c goes on from here: several contexts, sleeping, tasks that are submitted again.

#include "setup.h"

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 4096 // for the text, and as much for its copy

// Both callbacks of a task have the same type, so one function may be both.
static void ended(struct doca_dma_task_memcpy *task, union doca_data task_data,
                  union doca_data ctx_data)
{
    bool *done = ctx_data.ptr;
    (void)task_data;
    must(doca_task_get_status(doca_dma_task_memcpy_as_task(task)), "cannot copy");
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    *done = true;
}

static void copy(struct setup *setup, struct doca_dma *dma, struct doca_pe *pe, size_t size)
{
    struct doca_ctx *ctx = doca_dma_as_ctx(dma);
    struct doca_dma_task_memcpy *task;
    union doca_data none = {0}, data;
    bool done = false;

    data.ptr = &done;
    must(doca_dma_task_memcpy_set_conf(dma, ended, ended, 1), "cannot configure the tasks");
    must(doca_ctx_set_user_data(ctx, data), "cannot set the user data");
    must(doca_pe_connect_ctx(pe, ctx), "cannot connect the context to the engine");
    must(doca_ctx_start(ctx), "cannot start the context");
    struct doca_buf *from = full_buffer(setup, 0, size), *to = empty_buffer(setup, ROOM, ROOM);
    must(doca_dma_task_memcpy_alloc_init(dma, from, to, none, &task), "cannot allocate a task");
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)), "cannot submit the task");
    while (!done)
        (void)doca_pe_progress(pe);
    must(doca_buf_dec_refcount(from, NULL), "cannot give a buffer back");
    must(doca_buf_dec_refcount(to, NULL), "cannot give a buffer back");
    must(doca_ctx_stop(ctx), "cannot stop the context");
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : "Hello, tasks!";
    struct setup setup;
    struct doca_pe *pe;
    struct doca_dma *dma;

    help_option(argc, argv, "[TEXT]", "Copies a text by one DMA task.");
    if (argc > 2 || strlen(text) >= ROOM)
        fail("the only argument is a text of fewer than %d bytes", ROOM);
    setup_open(&setup, 2 * ROOM, 2);
    strcpy((char *)setup.memory, text);
    must(doca_pe_create(&pe), "cannot make a progress engine");
    must(doca_dma_create(setup.dev, &dma), "cannot make a DMA context");
    copy(&setup, dma, pe, strlen(text) + 1);
    printf("copied: %s\n", (char *)setup.memory + ROOM);

    must(doca_dma_destroy(dma), "cannot destroy the context");
    must(doca_pe_destroy(pe), "cannot destroy the engine");
    setup_close(&setup);
    return EXIT_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Submits five DMA tasks, prints what becomes of each and of their context, and once the context is
// idle starts it again for one more. test_injected.c makes a task fail. With the argument "long"
// the first has more bytes than a card of 1 MiB can copy; with the name of a signal the program
// sends it to itself. With "keep" there are many tasks, which are freed at the end, and only those
// that succeed are printed.

#include "../../examples/doca-3/setup.h"

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_pe.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS 5
#define SIZE  64
#define LONG  ((size_t)2 << 20)
#define MANY  1026

static struct setup setup;
static struct doca_dma *dma;
static struct doca_task *kept[MANY];
static unsigned tasks = TASKS, over, kept_count;
static bool idle, is_long, keeps;

static void task_over(struct doca_dma_task_memcpy *task, union doca_data number,
                      union doca_data unused)
{
    (void)unused;
    struct doca_task *as_task = doca_dma_task_memcpy_as_task(task);
    doca_error_t status = doca_task_get_status(as_task);
    if (!keeps || status == DOCA_SUCCESS)
        printf("task %llu: %s\n", (unsigned long long)number.u64, doca_error_get_name(status));
    doca_buf_dec_refcount((struct doca_buf *)doca_dma_task_memcpy_get_src(task), NULL);
    doca_buf_dec_refcount(doca_dma_task_memcpy_get_dst(task), NULL);
    if (keeps)
        kept[kept_count++] = as_task;
    else
        doca_task_free(as_task);
    over++;
}

static void state_changed(const union doca_data unused, struct doca_ctx *ctx,
                          enum doca_ctx_states from, enum doca_ctx_states to)
{
    static const char *const names[] = {"IDLE", "STARTING", "RUNNING", "STOPPING"};
    (void)unused, (void)ctx, (void)from;
    printf("context: %s\n", names[to]);
    idle = to == DOCA_CTX_STATE_IDLE;
}

static void submit(unsigned i)
{
    struct doca_dma_task_memcpy *task;
    size_t size = is_long && i == 0 ? LONG : SIZE, at = i * 2 * (keeps ? SIZE : LONG);
    must(doca_dma_task_memcpy_alloc_init(dma, full_buffer(&setup, at, size),
                                         empty_buffer(&setup, at + size, size),
                                         (union doca_data){.u64 = i + 1}, &task),
         "cannot allocate a task");
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)), "cannot submit a task");
}

int main(int argc, char **argv)
{
    struct doca_pe *pe;
    if (argc > 1 && strncmp(argv[1], "SIGUSR", 6) == 0)
        raise(strcmp(argv[1], "SIGUSR2") == 0 ? SIGUSR2 : SIGUSR1);
    is_long = argc > 1 && strcmp(argv[1], "long") == 0;
    keeps = argc > 1 && strcmp(argv[1], "keep") == 0;
    tasks = keeps ? MANY : TASKS;
    setup_open(&setup, 2 * (TASKS + 1) * LONG, 2 * (tasks + 1));
    must(doca_pe_create(&pe), "cannot make an engine");
    must(doca_dma_create(setup.dev, &dma), "cannot make a context");
    struct doca_ctx *ctx = doca_dma_as_ctx(dma);
    must(doca_dma_task_memcpy_set_conf(dma, task_over, task_over, tasks), "cannot set callbacks");
    must(doca_ctx_set_state_changed_cb(ctx, state_changed), "cannot set a callback");
    must(doca_pe_connect_ctx(pe, ctx), "cannot connect the context");
    must(doca_ctx_start(ctx), "cannot start the context");
    for (unsigned i = 0; i < tasks; i++)
        submit(i);
    while (over < tasks)
        doca_pe_progress(pe);
    while (kept_count)
        doca_task_free(kept[--kept_count]);
    if (idle && !keeps) {
        must(doca_ctx_start(ctx), "cannot start the context again");
        submit(TASKS);
        while (over < TASKS + 1)
            doca_pe_progress(pe);
    }
    doca_ctx_stop(ctx);
    while (!idle)
        doca_pe_progress(pe);
    must(doca_dma_destroy(dma), "cannot destroy the context");
    must(doca_pe_destroy(pe), "cannot destroy the engine");
    setup_close(&setup);
    return EXIT_SUCCESS;
}

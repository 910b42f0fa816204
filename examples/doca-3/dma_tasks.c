// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA by tasks of DOCA 3: several contexts on one progress engine, each with one task that its
// callback submits again and again, and a program that sleeps while there is nothing to do.
//
//     DOCAD_SOCKET=dpu.sock dma_tasks [COPIES]
//
// When COPIES are done, the callback stops all contexts while the other tasks are in flight: they
// come back through the error callback, and the contexts become idle within doca_pe_progress().
// The order of the steps: device; engine; for each context its tasks and callbacks, the connection
// to the engine, and the start; buffers and tasks.

#include "setup.h"

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_CONTEXTS 4
#define SIZE       4096

struct program {
    struct setup setup;
    struct doca_pe *pe;
    struct doca_dma *dmas[N_CONTEXTS];
    unsigned long wanted, copied, flushed;
    unsigned running; // contexts that are not idle
};

// ---- callbacks: all of them run in doca_pe_progress(), or in the call that causes them ---------

static void stop_all(struct program *program)
{
    for (unsigned i = 0; i < N_CONTEXTS; i++) {
        doca_error_t result = doca_ctx_stop(doca_dma_as_ctx(program->dmas[i]));
        if (result != DOCA_ERROR_IN_PROGRESS) // idle at once: nothing was in flight
            must(result, "cannot stop a context");
    }
}

static void free_task(struct doca_dma_task_memcpy *task)
{
    must(doca_buf_dec_refcount((struct doca_buf *)doca_dma_task_memcpy_get_src(task), NULL),
         "cannot give a buffer back");
    must(doca_buf_dec_refcount(doca_dma_task_memcpy_get_dst(task), NULL),
         "cannot give a buffer back");
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct program *program = ctx_data.ptr;
    (void)task_data;
    if (++program->copied == program->wanted)
        stop_all(program);
    if (program->copied >= program->wanted) {
        free_task(task);
        return;
    }
    // The task is ours again. Its destination is emptied, since a copy appends.
    doca_buf_reset_data_len(doca_dma_task_memcpy_get_dst(task));
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)), "cannot submit a task again");
}

static void not_copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct program *program = ctx_data.ptr;
    (void)task_data;
    if (program->copied < program->wanted)
        must(doca_task_get_status(doca_dma_task_memcpy_as_task(task)), "a task failed");
    program->flushed++;
    free_task(task);
}

static void state_changed(const union doca_data data, struct doca_ctx *ctx,
                          enum doca_ctx_states prev, enum doca_ctx_states next)
{
    struct program *program = data.ptr;
    (void)ctx;
    (void)prev;
    if (next == DOCA_CTX_STATE_RUNNING)
        program->running++;
    else if (next == DOCA_CTX_STATE_IDLE)
        program->running--;
}

// ---- the program -------------------------------------------------------------------------------

static void start_context(struct program *program, unsigned i)
{
    union doca_data data = {.ptr = program};

    must(doca_dma_create(program->setup.dev, &program->dmas[i]), "cannot make a DMA context");
    struct doca_ctx *ctx = doca_dma_as_ctx(program->dmas[i]);
    must(doca_dma_task_memcpy_set_conf(program->dmas[i], copied, not_copied, 1),
         "cannot configure the tasks");
    must(doca_ctx_set_user_data(ctx, data), "cannot set the user data");
    must(doca_ctx_set_state_changed_cb(ctx, state_changed), "cannot set the callback for states");
    must(doca_pe_connect_ctx(program->pe, ctx), "cannot connect the context to the engine");
    must(doca_ctx_start(ctx), "cannot start the context");
}

static void submit_task(struct program *program, unsigned i)
{
    struct doca_dma_task_memcpy *task;
    union doca_data data = {.u64 = i};
    struct doca_buf *from = full_buffer(&program->setup, 2 * i * SIZE, SIZE);
    struct doca_buf *to = empty_buffer(&program->setup, (2 * i + 1) * SIZE, SIZE);

    memset(program->setup.memory + 2 * i * SIZE, 'a' + (int)i, SIZE);
    must(doca_dma_task_memcpy_alloc_init(program->dmas[i], from, to, data, &task),
         "cannot allocate a task");
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)), "cannot submit a task");
}

// Makes progress until there is nothing to do, then sleeps until there is.
static void run(struct program *program)
{
    struct pollfd handle = {.events = POLLIN};

    must(doca_pe_get_notification_handle(program->pe, &handle.fd), "cannot get the handle");
    while (program->running) {
        while (doca_pe_progress(program->pe))
            ;
        if (!program->running)
            break;
        must(doca_pe_request_notification(program->pe), "cannot request a notification");
        if (poll(&handle, 1, -1) < 0 && errno != EINTR)
            fail("poll: %s", strerror(errno));
        must(doca_pe_clear_notification(program->pe, handle.fd), "cannot clear the notification");
    }
}

static void check(const struct program *program)
{
    const uint8_t *memory = program->setup.memory;
    for (size_t i = 0; i < N_CONTEXTS; i++)
        if (program->wanted >= N_CONTEXTS &&
            memcmp(memory + 2 * i * SIZE, memory + (2 * i + 1) * SIZE, SIZE) != 0)
            fail("the bytes of context %zu differ", i);
}

int main(int argc, char **argv)
{
    struct program program = {0};

    help_option(argc, argv, "[COPIES]",
                "Copies pages by tasks of four DMA contexts on one progress engine, and stops them "
                "under load.");
    program.wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    if (argc > 2 || program.wanted == 0)
        fail("the only argument is a number of copies, 1 or more");

    setup_open(&program.setup, 2 * N_CONTEXTS * SIZE, 2 * N_CONTEXTS);
    must(doca_pe_create(&program.pe), "cannot make a progress engine");
    for (unsigned i = 0; i < N_CONTEXTS; i++)
        start_context(&program, i);
    for (unsigned i = 0; i < N_CONTEXTS; i++)
        submit_task(&program, i);
    run(&program);
    check(&program);
    printf("copied %lu pages; %lu tasks were flushed\n", program.copied, program.flushed);

    for (unsigned i = 0; i < N_CONTEXTS; i++)
        must(doca_dma_destroy(program.dmas[i]), "cannot destroy a context");
    must(doca_pe_destroy(program.pe), "cannot destroy the engine");
    setup_close(&program.setup);
    return EXIT_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Cuts a file into blocks of data, makes blocks of redundancy, and puts the file together again
// from what is left of them, by tasks of DOCA 3.
//
//     DOCAD_SOCKET=dpu.sock spread_file FILE BLOCKS      writes BLOCKS.0 to BLOCKS.11
//     rm BLOCKS.0 BLOCKS.2 BLOCKS.5 BLOCKS.10            any four
//     DOCAD_SOCKET=dpu.sock spread_file -d BLOCKS FILE
//
// Each of these files begins with the length of the whole one. A block that is there must be what
// it was: erasure codes bring back what is missing, and do not find what was changed.

#include "setup.h"

#include "../common/files.h"

#include <doca_ctx.h>
#include <doca_erasure_coding.h>
#include <doca_pe.h>
#include <endian.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_DATA   8u
#define N_RDNC   4u
#define N_BLOCKS (N_DATA + N_RDNC)

// The memory has the blocks of a task's source, N_DATA, and behind them those of its destination.
struct job {
    struct setup setup;
    struct doca_ec *ec;
    struct doca_ec_matrix *coding;
    struct doca_pe *pe;
    uint64_t size; // of the file
    size_t block;
    bool done;
};

static uint8_t *block_at(const struct job *job, uint32_t i)
{
    return job->setup.memory + i * job->block;
}

static void over(struct job *job, struct doca_task *task)
{
    must(doca_task_get_status(task), "the task failed");
    job->done = true;
    doca_task_free(task);
}

static void created(struct doca_ec_task_create *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data;
    over(ctx_data.ptr, doca_ec_task_create_as_task(task));
}

static void recovered(struct doca_ec_task_recover *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    (void)task_data;
    over(ctx_data.ptr, doca_ec_task_recover_as_task(task));
}

static void open_job(struct job *job, uint64_t size)
{
    union doca_data data = {.ptr = job};

    job->size = size;
    job->block = (size + N_DATA - 1) / N_DATA; // the last one is filled up with zeroes
    setup_open(&job->setup, N_BLOCKS * job->block, 2);
    must(doca_pe_create(&job->pe), "cannot make a progress engine");
    must(doca_ec_create(job->setup.dev, &job->ec), "cannot make an erasure coding context");
    must(doca_ec_matrix_create(job->ec, DOCA_EC_MATRIX_TYPE_CAUCHY, N_DATA, N_RDNC, &job->coding),
         "cannot make a matrix");
    must(doca_ec_task_create_set_conf(job->ec, created, created, 1), "cannot configure the tasks");
    must(doca_ec_task_recover_set_conf(job->ec, recovered, recovered, 1),
         "cannot configure the tasks");
    must(doca_ctx_set_user_data(doca_ec_as_ctx(job->ec), data), "cannot set the user data");
    must(doca_pe_connect_ctx(job->pe, doca_ec_as_ctx(job->ec)),
         "cannot connect the context to the engine");
    must(doca_ctx_start(doca_ec_as_ctx(job->ec)), "cannot start the context");
}

static void close_job(struct job *job)
{
    must(doca_ctx_stop(doca_ec_as_ctx(job->ec)), "cannot stop the context");
    must(doca_ec_matrix_destroy(job->coding), "cannot destroy the matrix");
    must(doca_ec_destroy(job->ec), "cannot destroy the context");
    must(doca_pe_destroy(job->pe), "cannot destroy the engine");
    setup_close(&job->setup);
}

// Submits a task, waits for it, and gives its buffers back.
static void run(struct job *job, struct doca_task *task, struct doca_buf *from, struct doca_buf *to)
{
    must(doca_task_submit(task), "cannot submit the task");
    while (!job->done)
        (void)doca_pe_progress(job->pe);
    must(doca_buf_dec_refcount(from, NULL), "cannot give a buffer back");
    must(doca_buf_dec_refcount(to, NULL), "cannot give a buffer back");
}

// ---- there --------------------------------------------------------------------------------------

static void write_block(const struct job *job, const char *name, uint32_t i)
{
    uint64_t size = htole64(job->size);
    struct bytes file = {.size = sizeof(size) + job->block};
    char suffix[16];

    file.data = malloc(file.size);
    if (!file.data)
        fail("no memory");
    memcpy(file.data, &size, sizeof(size));
    memcpy((uint8_t *)file.data + sizeof(size), block_at(job, i), job->block);
    snprintf(suffix, sizeof(suffix), ".%u", i);
    write_file(name, suffix, &file);
    free(file.data);
}

static void spread(struct job *job, const char *from, const char *name)
{
    struct bytes file = read_file(from, "");
    struct doca_ec_task_create *task;

    if (!file.size)
        fail("%s is empty", from);
    open_job(job, file.size);
    memcpy(job->setup.memory, file.data, file.size);
    free(file.data);
    struct doca_buf *data = full_buffer(&job->setup, 0, N_DATA * job->block);
    struct doca_buf *rdnc = empty_buffer(&job->setup, N_DATA * job->block, N_RDNC * job->block);
    must(doca_ec_task_create_allocate_init(job->ec, job->coding, data, rdnc, (union doca_data){0},
                                           &task),
         "cannot allocate a task");
    run(job, doca_ec_task_create_as_task(task), data, rdnc);
    for (uint32_t i = 0; i < N_BLOCKS; i++)
        write_block(job, name, i);
    printf("%u blocks of %zu bytes; any %u of them are enough\n", N_BLOCKS, job->block, N_DATA);
}

// ---- and back -----------------------------------------------------------------------------------

struct blocks {
    struct bytes files[N_BLOCKS]; // without data: the block is missing
    uint32_t missing[N_BLOCKS];
    unsigned n_missing;
    uint64_t size; // of the file
};

static void read_blocks(struct blocks *blocks, const char *name)
{
    uint64_t size = 0;
    char path[4096], suffix[16];

    *blocks = (struct blocks){.size = 0};
    for (uint32_t i = 0; i < N_BLOCKS; i++) {
        snprintf(suffix, sizeof(suffix), ".%u", i);
        snprintf(path, sizeof(path), "%s%s", name, suffix);
        if (access(path, F_OK) != 0) {
            blocks->missing[blocks->n_missing++] = i;
            continue;
        }
        blocks->files[i] = read_file(name, suffix);
        if (blocks->files[i].size > sizeof(size))
            memcpy(&size, blocks->files[i].data, sizeof(size));
        blocks->size = blocks->size ? blocks->size : le64toh(size);
        if (le64toh(size) != blocks->size ||
            (blocks->size + N_DATA - 1) / N_DATA != blocks->files[i].size - sizeof(size))
            fail("%s is not a block of the same file as those before it", path);
    }
    if (blocks->n_missing > N_RDNC)
        fail("%u blocks of %s are missing; no more than %u may be", blocks->n_missing, name,
             N_RDNC);
}

// Fills in the files of missing blocks.
static void recover(struct job *job, struct blocks *blocks)
{
    struct doca_ec_matrix *matrix;
    struct doca_ec_task_recover *task;
    uint32_t n = 0;

    for (uint32_t i = 0; n < N_DATA; i++) // the first that are left
        if (blocks->files[i].data)
            memcpy(block_at(job, n++), (uint8_t *)blocks->files[i].data + sizeof(uint64_t),
                   job->block);
    struct doca_buf *left = full_buffer(&job->setup, 0, N_DATA * job->block);
    struct doca_buf *lost =
        empty_buffer(&job->setup, N_DATA * job->block, blocks->n_missing * job->block);
    must(doca_ec_matrix_create_recover(job->ec, job->coding, blocks->missing, blocks->n_missing,
                                       &matrix),
         "cannot make a matrix");
    must(doca_ec_task_recover_allocate_init(job->ec, matrix, left, lost, (union doca_data){0},
                                            &task),
         "cannot allocate a task");
    run(job, doca_ec_task_recover_as_task(task), left, lost);
    must(doca_ec_matrix_destroy(matrix), "cannot destroy the matrix");
}

// The bytes of data block i, read or recovered.
static const uint8_t *find_block(const struct job *job, const struct blocks *blocks, uint32_t i)
{
    uint32_t n = 0;

    if (blocks->files[i].data)
        return (const uint8_t *)blocks->files[i].data + sizeof(uint64_t);
    while (blocks->missing[n] != i)
        n++;
    return block_at(job, N_DATA + n);
}

static void put_together(struct job *job, const char *name, const char *to)
{
    struct blocks blocks;

    read_blocks(&blocks, name);
    open_job(job, blocks.size);
    if (blocks.n_missing)
        recover(job, &blocks);
    struct bytes file = {.data = calloc(N_DATA, job->block), .size = blocks.size};
    if (!file.data)
        fail("no memory");
    for (uint32_t i = 0; i < N_DATA; i++)
        memcpy((uint8_t *)file.data + i * job->block, find_block(job, &blocks, i), job->block);
    write_file(to, "", &file);
    printf("%u blocks were missing\n", blocks.n_missing);
    free(file.data);
    for (uint32_t i = 0; i < N_BLOCKS; i++)
        free(blocks.files[i].data);
}

int main(int argc, char **argv)
{
    bool back = argc > 1 && strcmp(argv[1], "-d") == 0;
    struct job job = {.done = false};

    help_option(
        argc, argv, "FILE BLOCKS | -d BLOCKS FILE",
        "Cuts a file into blocks, BLOCKS.0 and so on, of which some may be lost; -d: puts it "
        "together again.");
    if (argc != (back ? 4 : 3))
        fail("the arguments are the names of a file and of its blocks; see --help");
    if (back)
        put_together(&job, argv[2], argv[3]);
    else
        spread(&job, argv[1], argv[2]);
    close_job(&job);
    return EXIT_SUCCESS;
}

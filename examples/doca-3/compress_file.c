// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compresses a file to a gzip file, and decompresses one, by a task of DOCA 3.
//
//     DOCAD_SOCKET=dpu.sock compress_file FILE FILE.gz
//     DOCAD_SOCKET=dpu.sock compress_file -d FILE.gz FILE
//
// The task makes raw deflate; the header and trailer of gzip are the program's.

#include "setup.h"

#include "../common/files.h"
#include "../common/gzip.h"

#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct setup setup;
    struct doca_compress *compress;
    struct doca_pe *pe;
    struct doca_buf *from, *to;
    bool done;
    uint32_t crc32;
};

static void compressed(struct doca_compress_task_compress_deflate *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct job *job = ctx_data.ptr;
    struct doca_task *base = doca_compress_task_compress_deflate_as_task(task);
    (void)task_data;
    must(doca_task_get_status(base), "cannot compress");
    job->crc32 = doca_compress_task_compress_deflate_get_crc_cs(task);
    job->done = true;
    doca_task_free(base);
}

static void decompressed(struct doca_compress_task_decompress_deflate *task,
                         union doca_data task_data, union doca_data ctx_data)
{
    struct job *job = ctx_data.ptr;
    struct doca_task *base = doca_compress_task_decompress_deflate_as_task(task);
    (void)task_data;
    must(doca_task_get_status(base), "cannot decompress");
    job->crc32 = doca_compress_task_decompress_deflate_get_crc_cs(task);
    job->done = true;
    doca_task_free(base);
}

static struct doca_task *make_task(struct job *job, bool back)
{
    struct doca_compress_task_decompress_deflate *inflate;
    struct doca_compress_task_compress_deflate *deflate;
    union doca_data none = {0};

    if (back) {
        must(doca_compress_task_decompress_deflate_alloc_init(job->compress, job->from, job->to,
                                                              none, &inflate),
             "cannot allocate a task");
        return doca_compress_task_decompress_deflate_as_task(inflate);
    }
    must(doca_compress_task_compress_deflate_alloc_init(job->compress, job->from, job->to, none,
                                                        &deflate),
         "cannot allocate a task");
    return doca_compress_task_compress_deflate_as_task(deflate);
}

// Returns the length of the result.
static size_t run(struct job *job, bool back)
{
    struct doca_ctx *ctx = doca_compress_as_ctx(job->compress);
    union doca_data data;
    size_t size;

    data.ptr = job;
    must(doca_compress_task_compress_deflate_set_conf(job->compress, compressed, compressed, 1),
         "cannot configure the tasks");
    must(doca_compress_task_decompress_deflate_set_conf(job->compress, decompressed, decompressed,
                                                        1),
         "cannot configure the tasks");
    must(doca_ctx_set_user_data(ctx, data), "cannot set the user data");
    must(doca_pe_connect_ctx(job->pe, ctx), "cannot connect the context to the engine");
    must(doca_ctx_start(ctx), "cannot start the context");
    must(doca_task_submit(make_task(job, back)), "cannot submit the task");
    while (!job->done)
        (void)doca_pe_progress(job->pe);
    must(doca_buf_get_data_len(job->to, &size), "cannot find the length of the result");
    must(doca_buf_dec_refcount(job->from, NULL), "cannot give a buffer back");
    must(doca_buf_dec_refcount(job->to, NULL), "cannot give a buffer back");
    must(doca_ctx_stop(ctx), "cannot stop the context");
    return size;
}

int main(int argc, char **argv)
{
    struct job job = {.done = false};
    struct gzip plain = {0};
    bool back = argc > 1 && strcmp(argv[1], "-d") == 0;

    help_option(argc, argv, "[-d] FROM TO", "Compresses a file to a gzip file; -d: decompresses.");
    if (argc != (back ? 4 : 3))
        fail("the arguments are the names of two files; -d before them decompresses");
    struct bytes file = read_file(argv[argc - 2], ""), result;
    if (!file.size)
        fail("%s is empty", argv[argc - 2]);
    if (back)
        plain = gzip_look(file.data, file.size);
    size_t around = back ? GZIP_BEFORE + GZIP_AFTER : 0;
    size_t room = back ? plain.size : file.size + file.size / 8 + 64;
    setup_open(&job.setup, file.size + room, 2);
    memcpy(job.setup.memory, file.data, file.size);
    must(doca_pe_create(&job.pe), "cannot make a progress engine");
    must(doca_compress_create(job.setup.dev, &job.compress), "cannot make a compression context");
    job.from = full_buffer(&job.setup, back ? GZIP_BEFORE : 0, file.size - around);
    job.to = empty_buffer(&job.setup, file.size, room);
    result = (struct bytes){.data = job.setup.memory + file.size, .size = run(&job, back)};
    if (back && (result.size != plain.size || job.crc32 != plain.crc32))
        fail("the file is damaged: its checksum is another one");
    if (back)
        write_file(argv[argc - 1], "", &result);
    else
        gzip_write(argv[argc - 1], result.data, result.size,
                   (struct gzip){.crc32 = job.crc32, .size = (uint32_t)file.size});
    printf("%zu bytes made %zu\n", file.size, result.size);

    must(doca_compress_destroy(job.compress), "cannot destroy the context");
    must(doca_pe_destroy(job.pe), "cannot destroy the engine");
    setup_close(&job.setup);
    free(file.data);
    return EXIT_SUCCESS;
}

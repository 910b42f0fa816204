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

#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <endian.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}; // no name, no time

struct trailer {
    uint32_t crc32, size; // of the plain data, little-endian
};

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

static uint8_t *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    uint8_t *bytes;
    long end;

    if (!file || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) <= 0)
        fail("cannot read %s, or it is empty", name);
    rewind(file);
    bytes = malloc((size_t)end);
    if (!bytes || fread(bytes, 1, (size_t)end, file) != (size_t)end)
        fail("cannot read %s", name);
    fclose(file);
    *size = (size_t)end;
    return bytes;
}

static void put(FILE *file, const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, file) != size)
        fail("cannot write the file");
}

// The size of the plain data, of a file that begins and ends as ours do.
static size_t check_gzip(const uint8_t *bytes, size_t size, struct trailer *trailer)
{
    if (size < sizeof(header) + sizeof(*trailer) || memcmp(bytes, header, 4) != 0)
        fail("that is no gzip file, or one with a name in it (gzip -n leaves it out)");
    memcpy(trailer, bytes + size - sizeof(*trailer), sizeof(*trailer));
    return le32toh(trailer->size);
}

static void write_result(const struct job *job, const char *name, bool back, size_t at, size_t size,
                         struct trailer trailer)
{
    FILE *file = fopen(name, "wb");

    if (!file)
        fail("cannot write %s", name);
    if (!back)
        put(file, header, sizeof(header));
    put(file, job->setup.memory + at, size);
    if (!back)
        put(file, &trailer, sizeof(trailer));
    if (fclose(file) != 0)
        fail("cannot write %s", name);
}

int main(int argc, char **argv)
{
    struct job job = {.done = false};
    struct trailer trailer = {0};
    bool back = argc > 1 && strcmp(argv[1], "-d") == 0;
    size_t size, room, around = back ? sizeof(header) : 0;

    help_option(argc, argv, "[-d] FROM TO", "Compresses a file to a gzip file; -d: decompresses.");
    if (argc != (back ? 4 : 3))
        fail("the arguments are the names of two files; -d before them decompresses");
    uint8_t *bytes = read_file(argv[argc - 2], &size);
    room = back ? check_gzip(bytes, size, &trailer) : size + size / 8 + 64;
    setup_open(&job.setup, size + room, 2);
    memcpy(job.setup.memory, bytes, size);
    must(doca_pe_create(&job.pe), "cannot make a progress engine");
    must(doca_compress_create(job.setup.dev, &job.compress), "cannot make a compression context");
    job.from = full_buffer(&job.setup, around, size - around);
    job.to = empty_buffer(&job.setup, size, room);
    size_t result = run(&job, back);
    if (back && (result != room || job.crc32 != le32toh(trailer.crc32)))
        fail("the file is damaged: its checksum is another one");
    trailer = (struct trailer){.crc32 = htole32(job.crc32), .size = htole32((uint32_t)size)};
    write_result(&job, argv[argc - 1], back, size, result, trailer);
    printf("%zu bytes made %zu\n", size, result);

    must(doca_compress_destroy(job.compress), "cannot destroy the context");
    must(doca_pe_destroy(job.pe), "cannot destroy the engine");
    setup_close(&job.setup);
    free(bytes);
    return EXIT_SUCCESS;
}

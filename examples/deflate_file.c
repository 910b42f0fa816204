// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Compresses a file to a gzip file, and decompresses one, by one job.
//
//     DOCAD_SOCKET=dpu.sock deflate_file [-p DEVICE] FILE FILE.gz
//     DOCAD_SOCKET=dpu.sock deflate_file [-p DEVICE] -d FILE.gz FILE

#include "common/example.h"
#include "common/files.h"
#include "common/gzip.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *device, *from, *to;
    bool back;
};

// What a compression program has: a device, a context on it, a work queue for its jobs, memory
// for the source followed by the destination, and buffers on both.
struct squeezer {
    struct doca_dev *dev;
    struct doca_compress *compress;
    struct doca_workq *workq;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map;
    uint8_t *memory;
    struct doca_buf *source, *destination;
};

static void start_context(struct squeezer *s, const struct options *options)
{
    s->dev = open_device(options->device);
    must(doca_compress_job_get_supported(doca_dev_as_devinfo(s->dev),
                                         options->back ? DOCA_DECOMPRESS_DEFLATE_JOB
                                                       : DOCA_COMPRESS_DEFLATE_JOB),
         "the device cannot do it");
    must(doca_compress_create(&s->compress), "cannot make a compression context");
    struct doca_ctx *ctx = doca_compress_as_ctx(s->compress);
    must(doca_ctx_dev_add(ctx, s->dev), "cannot add the device");
    must(doca_ctx_start(ctx), "cannot start the context");
    must(doca_workq_create(1, &s->workq), "cannot make a work queue");
    must(doca_ctx_workq_add(ctx, s->workq), "cannot add the work queue");
}

static void map_memory(struct squeezer *s, const uint8_t *bytes, size_t size, size_t room)
{
    s->memory = malloc(size + room);
    if (!s->memory)
        fail("no memory");
    memcpy(s->memory, bytes, size);
    must(doca_mmap_create(NULL, &s->map), "cannot make a memory map");
    must(doca_mmap_set_memrange(s->map, s->memory, size + room), "cannot set the memory range");
    must(doca_mmap_dev_add(s->map, s->dev), "cannot add the device to the map");
    must(doca_mmap_start(s->map), "cannot start the memory map");
    must(doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &s->inventory),
         "cannot make an inventory");
    must(doca_buf_inventory_start(s->inventory), "cannot start the inventory");
    must(doca_buf_inventory_buf_by_data(s->inventory, s->map, s->memory, size, &s->source),
         "cannot make the source buffer");
    must(doca_buf_inventory_buf_by_addr(s->inventory, s->map, s->memory + size, room,
                                        &s->destination),
         "cannot make the destination buffer");
}

static void stop(struct squeezer *s)
{
    struct doca_ctx *ctx = doca_compress_as_ctx(s->compress);
    must(doca_buf_refcount_rm(s->source, NULL), "cannot give a buffer back");
    must(doca_buf_refcount_rm(s->destination, NULL), "cannot give a buffer back");
    must(doca_buf_inventory_destroy(s->inventory), "cannot destroy the inventory");
    must(doca_mmap_destroy(s->map), "cannot destroy the memory map");
    must(doca_ctx_workq_rm(ctx, s->workq), "cannot remove the work queue");
    must(doca_workq_destroy(s->workq), "cannot destroy the work queue");
    must(doca_ctx_stop(ctx), "cannot stop the context");
    must(doca_compress_destroy(s->compress), "cannot destroy the context");
    must(doca_dev_close(s->dev), "cannot close the device");
    free(s->memory);
}

// Returns the CRC-32 of the plain bytes, and where the result is.
static uint32_t run(struct squeezer *s, bool back, struct bytes *result)
{
    uint64_t checksums; // CRC-32 below Adler-32
    const struct doca_compress_deflate_job job = {
        .base = {.type = back ? DOCA_DECOMPRESS_DEFLATE_JOB : DOCA_COMPRESS_DEFLATE_JOB,
                 .ctx = doca_compress_as_ctx(s->compress)},
        .src_buff = s->source,
        .dst_buff = s->destination,
        .output_chksum = &checksums,
    };

    run_job(s->workq, &job.base);
    must(doca_buf_get_data(s->destination, &result->data), "cannot find the result");
    must(doca_buf_get_data_len(s->destination, &result->size), "cannot find its length");
    return (uint32_t)checksums;
}

static void compress(struct squeezer *s, const struct options *options, const struct bytes *file)
{
    struct bytes result;

    map_memory(s, file->data, file->size, file->size + file->size / 8 + 64);
    struct gzip plain = {.crc32 = run(s, false, &result), .size = (uint32_t)file->size};
    gzip_write(options->to, result.data, result.size, plain);
    printf("%zu bytes made %zu\n", file->size, result.size);
}

static void decompress(struct squeezer *s, const struct options *options, const struct bytes *file)
{
    struct gzip plain = gzip_look(file->data, file->size);
    struct bytes result;

    map_memory(s, (uint8_t *)file->data + GZIP_BEFORE, file->size - GZIP_BEFORE - GZIP_AFTER,
               plain.size);
    if (run(s, true, &result) != plain.crc32 || result.size != plain.size)
        fail("the file is damaged: its checksum is another one");
    write_file(options->to, "", &result);
    printf("%zu bytes made %zu\n", file->size, result.size);
}

static void read_options(struct options *options, int argc, char **argv)
{
    int c;

    *options = (struct options){.back = false};
    help_option(argc, argv, "[-p DEVICE] [-d] FROM TO",
                "Compresses a file to a gzip file by one job; -d: decompresses. -p names a device "
                "by its PCI address, interface or InfiniBand device.");
    while ((c = getopt(argc, argv, "p:d")) != -1) {
        if (c == 'p')
            options->device = optarg;
        else if (c == 'd')
            options->back = true;
        else
            exit(2);
    }
    if (optind != argc - 2)
        fail("name two files");
    options->from = argv[optind];
    options->to = argv[optind + 1];
}

int main(int argc, char **argv)
{
    struct squeezer squeezer = {.memory = NULL};
    struct options options;

    read_options(&options, argc, argv);
    struct bytes file = read_file(options.from, "");
    if (!file.size)
        fail("%s is empty", options.from);
    start_context(&squeezer, &options);
    if (options.back)
        decompress(&squeezer, &options, &file);
    else
        compress(&squeezer, &options, &file);
    stop(&squeezer);
    free(file.data);
    return EXIT_SUCCESS;
}

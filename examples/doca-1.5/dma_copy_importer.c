// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The other half of a remote copy, as programs of DOCA 1.5 do it: reads the files of a
// dma_copy_exporter, copies its text here again and again with one job, and prints it. It submits
// more copies than the work queue is deep before it looks for the first event. In the end it
// writes an exclamation mark over the text's first byte.
//
//     DOCAD_SOCKET=host.sock dma_copy_importer [-p 0b:00.0] [-n COPIES] DESCRIPTOR BUFFER

#include "setup.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH          32
#define DESC_ROOM      1024
#define COPIES_AT_ONCE 1024 // submitted before the first event is retrieved

struct dma {
    struct doca_dev *dev;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_workq *workq;
    struct doca_buf_inventory *inventory;
};

static void dma_open(struct dma *d, const char *device)
{
    d->dev = open_device(device);
    must(doca_dma_create(&d->dma), "cannot make a DMA context");
    d->ctx = doca_dma_as_ctx(d->dma);
    must(doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &d->inventory),
         "cannot make an inventory");
    must(doca_buf_inventory_start(d->inventory), "cannot start the inventory");
    must(doca_ctx_dev_add(d->ctx, d->dev), "the device cannot do DMA");
    must(doca_ctx_start(d->ctx), "cannot start the DMA context");
    must(doca_workq_create(DEPTH, &d->workq), "cannot make a work queue");
    must(doca_ctx_workq_add(d->ctx, d->workq), "cannot add the work queue");
}

static void dma_close(struct dma *d)
{
    must(doca_ctx_workq_rm(d->ctx, d->workq), "cannot remove the work queue");
    must(doca_workq_destroy(d->workq), "cannot destroy the work queue");
    must(doca_buf_inventory_destroy(d->inventory), "cannot destroy the inventory");
    must(doca_ctx_stop(d->ctx), "cannot stop the DMA context");
    must(doca_ctx_dev_rm(d->ctx, d->dev), "cannot remove the device from the context");
    must(doca_dev_close(d->dev), "cannot close the device");
    must(doca_dma_destroy(d->dma), "cannot destroy the DMA context");
}

static void submit(const struct dma *d, struct doca_buf *from, struct doca_buf *to)
{
    const struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .flags = DOCA_JOB_FLAGS_NONE, .ctx = d->ctx},
        .dst_buff = to,
        .src_buff = from};
    must(doca_workq_submit(d->workq, &job.base), "cannot submit the job");
}

static void retrieve(const struct dma *d)
{
    struct doca_event event = {0};
    doca_error_t result;
    while ((result = doca_workq_progress_retrieve(
                d->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE)) == DOCA_ERROR_AGAIN)
        ;
    must(result, "the job failed");
}

// Copies n times from `from` to `to`. Each copy overwrites the destination, so the buffer need
// not be changed in between.
static void copy(const struct dma *d, struct doca_buf *from, struct doca_buf *to, unsigned n)
{
    for (unsigned done = 0; done < n;) {
        unsigned many = n - done < COPIES_AT_ONCE ? n - done : COPIES_AT_ONCE;
        for (unsigned i = 0; i < many; i++)
            submit(d, from, to);
        for (unsigned i = 0; i < many; i++)
            retrieve(d);
        done += many;
    }
}

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        fail("cannot open %s: %s; start dma_copy_exporter on the other side first", path,
             strerror(errno));
    return file;
}

static size_t read_descriptor(const char *path, char desc[DESC_ROOM])
{
    FILE *file = open_file(path);
    size_t size = fread(desc, 1, DESC_ROOM, file);
    fclose(file);
    return size;
}

static void read_buffer(const char *path, char **address, size_t *size)
{
    FILE *file = open_file(path);
    uint64_t where;
    if (fscanf(file, "%" SCNu64 "%zu", &where, size) != 2 || *size == 0)
        fail("%s does not say where the memory is", path);
    fclose(file);
    *address = (char *)(uintptr_t)where;
}

static void usage(FILE *file, const char *program)
{
    fprintf(file, "Usage: %s [-p DEVICE] [-n COPIES] DESCRIPTOR BUFFER\n", program);
}

int main(int argc, char **argv)
{
    const char *device = NULL;
    unsigned long copies = 5000;
    char desc[DESC_ROOM], *address, *text;
    size_t size, desc_size;
    struct dma dma;
    int c;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage(stdout, argv[0]);
        return EXIT_SUCCESS;
    }
    while ((c = getopt(argc, argv, "p:n:")) != -1) {
        if (c == 'p')
            device = optarg;
        else if (c == 'n')
            copies = strtoul(optarg, NULL, 10);
        else
            return 2;
    }
    if (argc - optind != 2 || copies == 0 || copies > 1000000000) {
        usage(stderr, argv[0]);
        return 2;
    }
    desc_size = read_descriptor(argv[optind], desc);
    read_buffer(argv[optind + 1], &address, &size);
    dma_open(&dma, device);
    text = calloc(1, size);
    if (!text)
        fail("no memory for %zu bytes", size);
    struct doca_mmap *local = open_map(dma.dev, text, size), *remote;
    must(doca_mmap_create_from_export(NULL, desc, desc_size, dma.dev, &remote),
         "cannot import the memory");

    struct doca_buf *theirs, *mine;
    must(doca_buf_inventory_buf_by_addr(dma.inventory, remote, address, size, &theirs),
         "cannot make a buffer of the imported memory");
    must(doca_buf_inventory_buf_by_addr(dma.inventory, local, text, size, &mine),
         "cannot make a buffer");
    must(doca_buf_set_data(theirs, address, size), "cannot say what to copy");
    copy(&dma, theirs, mine, (unsigned)copies);
    text[size - 1] = '\0';
    printf("copied %lu times: %s\n", copies, text);

    // The same buffers in the opposite direction.
    text[0] = '!';
    must(doca_buf_set_data(mine, text, 1), "cannot say what to copy");
    must(doca_buf_set_data(theirs, address, 0), "cannot say where to write");
    copy(&dma, mine, theirs, 1);

    must(doca_buf_refcount_rm(theirs, NULL), "cannot give a buffer back");
    must(doca_buf_refcount_rm(mine, NULL), "cannot give a buffer back");
    must(doca_mmap_destroy(remote), "cannot destroy the imported map");
    must(doca_mmap_dev_rm(local, dma.dev), "cannot remove the device from the map");
    must(doca_mmap_destroy(local), "cannot destroy the memory map");
    dma_close(&dma);
    free(text);
    return EXIT_SUCCESS;
}

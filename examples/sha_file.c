// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Prints the digest of a file as sha256sum does. One job computes it from the whole file, or a
// session computes it segment by segment, which needs no more memory than a segment.
//
//     DOCAD_SOCKET=dpu.sock sha_file [-p DEVICE] [-a sha1|sha256|sha512]
//                                    [--partial[=SEGMENT]] FILE

#include "common/example.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_sha.h>

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct algorithm {
    const char *name;
    enum doca_sha_job_type whole, partial;
    size_t block; // all segments except the last are multiples of it
};

static const struct algorithm algorithms[] = {
    {"sha1", DOCA_SHA_JOB_SHA1, DOCA_SHA_JOB_SHA1_PARTIAL, 64},
    {"sha256", DOCA_SHA_JOB_SHA256, DOCA_SHA_JOB_SHA256_PARTIAL, 64},
    {"sha512", DOCA_SHA_JOB_SHA512, DOCA_SHA_JOB_SHA512_PARTIAL, 128},
};

struct options {
    const char *device, *file;
    const struct algorithm *algorithm;
    size_t segment; // 0: the file as a whole
};

// What a SHA program has: a device, a context on it, a work queue for its jobs, memory for the
// file (or a segment of it) followed by room for the digest, and buffers on both.
struct hasher {
    const struct algorithm *algorithm;
    struct doca_dev *dev;
    struct doca_sha *sha;
    struct doca_workq *workq;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map;
    unsigned char *memory;
    size_t room;
    struct doca_buf *source, *response;
};

static void start(struct hasher *h, const struct options *options, size_t room)
{
    *h = (struct hasher){.algorithm = options->algorithm, .room = room};
    h->dev = open_device(options->device);
    struct doca_devinfo *info = doca_dev_as_devinfo(h->dev);
    uint64_t most;
    must(doca_sha_job_get_supported(info, h->algorithm->whole), "the device cannot do it");
    must(doca_sha_get_max_src_buffer_size(info, &most), "cannot ask the device");
    if (room > most)
        fail("the device hashes %llu bytes at once; use --partial", (unsigned long long)most);

    must(doca_sha_create(&h->sha), "cannot make a SHA context");
    struct doca_ctx *ctx = doca_sha_as_ctx(h->sha);
    must(doca_ctx_dev_add(ctx, h->dev), "cannot add the device");
    must(doca_ctx_start(ctx), "cannot start the SHA context");
    must(doca_workq_create(1, &h->workq), "cannot make a work queue");
    must(doca_ctx_workq_add(ctx, h->workq), "cannot add the work queue");

    h->memory = malloc(room + DOCA_SHA512_BYTE_COUNT);
    if (!h->memory)
        fail("no memory for %zu bytes; use --partial", room);
    must(doca_mmap_create(NULL, &h->map), "cannot make a memory map");
    must(doca_mmap_set_memrange(h->map, h->memory, room + DOCA_SHA512_BYTE_COUNT),
         "cannot set the memory range");
    must(doca_mmap_dev_add(h->map, h->dev), "cannot add the device to the map");
    must(doca_mmap_start(h->map), "cannot start the memory map");
    must(doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &h->inventory),
         "cannot make an inventory");
    must(doca_buf_inventory_start(h->inventory), "cannot start the inventory");
    must(doca_buf_inventory_buf_by_addr(h->inventory, h->map, h->memory, room, &h->source),
         "cannot make the source buffer");
    must(doca_buf_inventory_buf_by_addr(h->inventory, h->map, h->memory + room,
                                        DOCA_SHA512_BYTE_COUNT, &h->response),
         "cannot make the response buffer");
}

static void stop(struct hasher *h)
{
    struct doca_ctx *ctx = doca_sha_as_ctx(h->sha);
    must(doca_buf_refcount_rm(h->source, NULL), "cannot give a buffer back");
    must(doca_buf_refcount_rm(h->response, NULL), "cannot give a buffer back");
    must(doca_buf_inventory_destroy(h->inventory), "cannot destroy the inventory");
    must(doca_mmap_destroy(h->map), "cannot destroy the memory map");
    must(doca_ctx_workq_rm(ctx, h->workq), "cannot remove the work queue");
    must(doca_workq_destroy(h->workq), "cannot destroy the work queue");
    must(doca_ctx_stop(ctx), "cannot stop the SHA context");
    must(doca_sha_destroy(h->sha), "cannot destroy the SHA context");
    must(doca_dev_close(h->dev), "cannot close the device");
    free(h->memory);
}

// Reads as much as there is room for. Returns how much there was.
static size_t read_some(struct hasher *h, FILE *file)
{
    size_t n = fread(h->memory, 1, h->room, file);
    if (ferror(file))
        fail("cannot read the file: %s", strerror(errno));
    must(doca_buf_set_data(h->source, h->memory, n), "cannot set the source's data");
    return n;
}

static struct doca_sha_job describe(const struct hasher *h, enum doca_sha_job_type type)
{
    return (struct doca_sha_job){
        .base = {.type = (int)type, .ctx = doca_sha_as_ctx(h->sha)},
        .req_buf = h->source,
        .resp_buf = h->response,
        .flags = DOCA_SHA_JOB_FLAGS_NONE,
    };
}

static void hash_whole(struct hasher *h, FILE *file)
{
    struct doca_sha_job job = describe(h, h->algorithm->whole);
    read_some(h, file);
    run_job(h->workq, &job.base);
}

// The last segment must be marked as the last when it is submitted, so the next one is read
// ahead.
static void hash_segments(struct hasher *h, FILE *file)
{
    struct doca_sha_partial_job job = {.sha_job = describe(h, h->algorithm->partial)};
    must(doca_sha_partial_session_create(h->sha, h->workq, &job.session), "cannot make a session");
    do {
        read_some(h, file);
        int next = getc(file);
        if (next != EOF)
            ungetc(next, file);
        else
            job.sha_job.flags = DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL;
        run_job(h->workq, &job.sha_job.base);
    } while (job.sha_job.flags != DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL);
    must(doca_sha_partial_session_destroy(h->sha, h->workq, job.session),
         "cannot destroy the session");
}

static void print_digest(const struct hasher *h, const char *name)
{
    unsigned char *digest;
    size_t size;
    must(doca_buf_get_data(h->response, (void **)&digest), "cannot get the digest");
    must(doca_buf_get_data_len(h->response, &size), "cannot get the digest's length");
    for (size_t i = 0; i < size; i++)
        printf("%02x", digest[i]);
    printf("  %s\n", name);
}

static const struct algorithm *find_algorithm(const char *name)
{
    for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++)
        if (strcmp(algorithms[i].name, name) == 0)
            return &algorithms[i];
    fail("'%s' is none of sha1, sha256, sha512", name);
}

static void read_options(struct options *options, int argc, char **argv)
{
    static const struct option names[] = {{"partial", optional_argument, NULL, 's'}, {0}};
    int c;
    *options = (struct options){.algorithm = find_algorithm("sha256")};
    help_option(argc, argv, "[-p DEVICE] [-a sha1|sha256|sha512] [--partial[=SIZE]] FILE",
                "Prints the digest of a file, by one job or segment by segment. -p names a device "
                "by its PCI address, interface or InfiniBand device.");
    while ((c = getopt_long(argc, argv, "p:a:", names, NULL)) != -1) {
        if (c == 'p')
            options->device = optarg;
        else if (c == 'a')
            options->algorithm = find_algorithm(optarg);
        else if (c == 's')
            options->segment = optarg ? read_size(optarg) : 65536;
        else
            exit(2);
    }
    if (optind != argc - 1)
        fail("name one file");
    options->file = argv[optind];
    if (options->segment % options->algorithm->block)
        fail("segments must be a multiple of %zu bytes", options->algorithm->block);
}

int main(int argc, char **argv)
{
    struct options options;
    struct hasher hasher;
    struct stat st;
    read_options(&options, argc, argv);
    FILE *file = fopen(options.file, "re");
    if (!file || fstat(fileno(file), &st) < 0)
        fail("cannot open %s: %s", options.file, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        fail("%s is not a file with contents: there is nothing to hash", options.file);

    start(&hasher, &options, options.segment ? options.segment : (size_t)st.st_size);
    if (options.segment)
        hash_segments(&hasher, file);
    else
        hash_whole(&hasher, file);
    print_digest(&hasher, options.file);
    stop(&hasher);
    fclose(file);
    return EXIT_SUCCESS;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program for test-bytes.py: one job of each kind of DOCA 2.2, whose source has as many bytes as
// no other one's. With the argument "equal": jobs that are equal, many in flight; with "small":
// jobs whose destinations are too small.

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_erasure_coding.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_rdma.h>
#include <doca_sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE ((size_t)1 << 20)
#define ROOM 4096 // of each buffer
#define ALL                                                                                        \
    (DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE |               \
     DOCA_ACCESS_RDMA_ATOMIC)

static unsigned line; // of the call

static void check(doca_error_t result)
{
    if (result == DOCA_SUCCESS)
        return;
    fprintf(stderr, "jobs_2: line %u: %s\n", line, doca_get_error_name(result));
    exit(1);
}

#define must(call) (line = __LINE__, check(call))

static struct doca_dev *dev;
static struct doca_mmap *map;
static struct doca_buf_inventory *inventory;
static struct doca_workq *workq;
static unsigned char *memory;
static size_t used;

static void begin(void)
{
    struct doca_devinfo **infos;
    uint32_t n;
    must(doca_devinfo_list_create(&infos, &n));
    must(doca_dev_open(infos[0], &dev));
    must(doca_devinfo_list_destroy(infos));
    memory = aligned_alloc(ROOM, SIZE);
    if (!memory)
        abort();
    memset(memory, 'j', SIZE);
    must(doca_mmap_create(NULL, &map));
    must(doca_mmap_dev_add(map, dev));
    must(doca_mmap_set_permissions(map, ALL));
    must(doca_mmap_set_memrange(map, memory, SIZE));
    must(doca_mmap_start(map));
    must(doca_buf_inventory_create(NULL, 64, DOCA_BUF_EXTENSION_NONE, &inventory));
    must(doca_buf_inventory_start(inventory));
    must(doca_workq_create(16, &workq));
}

static struct doca_buf *some_of(struct doca_mmap *of, size_t length)
{
    struct doca_buf *buf;
    must(doca_buf_inventory_buf_by_addr(inventory, of, memory + used, ROOM, &buf));
    must(doca_buf_set_data(buf, memory + used, length));
    used += ROOM;
    return buf;
}

static struct doca_buf *full(size_t length)
{
    return some_of(map, length);
}

static struct doca_buf *empty(void)
{
    return some_of(map, 0);
}

static void start_ctx(struct doca_ctx *ctx)
{
    must(doca_ctx_start(ctx));
    must(doca_ctx_workq_add(ctx, workq));
}

static void open_ctx(struct doca_ctx *ctx)
{
    must(doca_ctx_dev_add(ctx, dev));
    start_ctx(ctx);
}

static void close_ctx(struct doca_ctx *ctx)
{
    must(doca_ctx_workq_rm(ctx, workq));
    must(doca_ctx_stop(ctx));
    must(doca_ctx_dev_rm(ctx, dev));
}

static void submit(const struct doca_job *job)
{
    must(doca_workq_submit(workq, job));
}

static void await(unsigned jobs)
{
    struct doca_event event;
    while (jobs) {
        event.result.u64 = 0;
        doca_error_t result = doca_workq_progress_retrieve(workq, &event, 0);
        if (result != DOCA_ERROR_AGAIN)
            must(result);
        jobs -= result == DOCA_SUCCESS;
    }
}

static void run(const struct doca_job *job)
{
    submit(job);
    await(1);
}

// A copy of a list, and one of what it has written.
static void copy(void)
{
    struct doca_dma *dma;
    struct doca_buf *from = full(10), *to = empty();
    must(doca_dma_create(&dma));
    struct doca_ctx *ctx = doca_dma_as_ctx(dma);
    open_ctx(ctx);
    must(doca_buf_list_chain(from, full(1)));
    must(doca_buf_list_chain(from, full(2)));
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx}, .src_buff = from, .dst_buff = to};
    run(&job.base);
    job.src_buff = to;
    job.dst_buff = empty();
    run(&job.base);
    close_ctx(ctx);
    must(doca_dma_destroy(dma));
}

#define EQUAL_JOBS 10 // in flight
#define ROUNDS     5

// The same job again and again, with the same user data: their events are equal, too.
static void copy_equal(void)
{
    struct doca_dma *dma;
    struct doca_buf *from[EQUAL_JOBS], *to[EQUAL_JOBS];
    must(doca_dma_create(&dma));
    struct doca_ctx *ctx = doca_dma_as_ctx(dma);
    open_ctx(ctx);
    for (unsigned i = 0; i < EQUAL_JOBS; i++) {
        from[i] = full(100 + i);
        to[i] = empty();
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < EQUAL_JOBS; i++) {
            struct doca_dma_job_memcpy job = {.base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx},
                                              .src_buff = from[i],
                                              .dst_buff = to[i]};
            submit(&job.base);
        }
        await(EQUAL_JOBS);
        for (unsigned i = 0; i < EQUAL_JOBS; i++)
            must(doca_buf_reset_data_len(to[i]));
    }
    close_ctx(ctx);
    must(doca_dma_destroy(dma));
}

// Destinations with room for 16, 32 and 48 bytes only.
static void copy_into_small(void)
{
    struct doca_dma *dma;
    struct doca_event event;
    must(doca_dma_create(&dma));
    struct doca_ctx *ctx = doca_dma_as_ctx(dma);
    open_ctx(ctx);
    for (unsigned i = 1; i <= 3; i++) {
        struct doca_buf *to = empty();
        must(doca_buf_set_data(to, memory + used - (size_t)16 * i, 0));
        struct doca_dma_job_memcpy job = {.base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx},
                                          .src_buff = full(100),
                                          .dst_buff = to};
        submit(&job.base);
    }
    for (unsigned jobs = 3; jobs;)
        jobs -= doca_workq_progress_retrieve(workq, &event, 0) == DOCA_ERROR_IO_FAILED;
    close_ctx(ctx);
    must(doca_dma_destroy(dma));
}

static void hash(void)
{
    struct doca_sha *sha;
    struct doca_sha_partial_session *session;
    must(doca_sha_create(&sha));
    struct doca_ctx *ctx = doca_sha_as_ctx(sha);
    open_ctx(ctx);
    struct doca_sha_job whole = {.base = {.type = DOCA_SHA_JOB_SHA256, .ctx = ctx},
                                 .req_buf = full(103),
                                 .resp_buf = empty()};
    run(&whole.base);
    must(doca_sha_partial_session_create(sha, workq, &session));
    struct doca_sha_partial_job part = {
        .sha_job = {.base = {.type = DOCA_SHA_JOB_SHA512_PARTIAL, .ctx = ctx},
                    .req_buf = full(128),
                    .resp_buf = empty()},
        .session = session};
    run(&part.sha_job.base);
    part.sha_job.req_buf = full(5);
    part.sha_job.flags = DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL;
    run(&part.sha_job.base);
    must(doca_sha_partial_session_destroy(sha, workq, session));
    close_ctx(ctx);
    must(doca_sha_destroy(sha));
}

// Prints the length of what was compressed, which depends on the library that does it.
static void compress(void)
{
    struct doca_compress *compress;
    struct doca_buf *small = empty();
    size_t length;
    must(doca_compress_create(&compress));
    struct doca_ctx *ctx = doca_compress_as_ctx(compress);
    open_ctx(ctx);
    struct doca_compress_deflate_job job = {
        .base = {.type = DOCA_COMPRESS_DEFLATE_JOB, .ctx = ctx},
        .dst_buff = small,
        .src_buff = full(1009),
    };
    run(&job.base);
    must(doca_buf_get_data_len(small, &length));
    printf("%zu\n", length);
    job.base.type = DOCA_DECOMPRESS_DEFLATE_JOB;
    job.src_buff = small;
    job.dst_buff = empty();
    run(&job.base);
    close_ctx(ctx);
    must(doca_compress_destroy(compress));
}

static void spread(void)
{
    struct doca_ec *ec;
    struct doca_matrix *matrix;
    must(doca_ec_create(&ec));
    struct doca_ctx *ctx = doca_ec_as_ctx(ec);
    open_ctx(ctx);
    must(doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_VANDERMONDE, 2, 1, &matrix));
    struct doca_ec_job_create job = {.base = {.type = DOCA_EC_JOB_CREATE, .ctx = ctx},
                                     .create_matrix = matrix,
                                     .src_original_data_buff = full(256),
                                     .dst_rdnc_buff = empty()};
    run(&job.base);
    must(doca_ec_matrix_destroy(matrix));
    close_ctx(ctx);
    must(doca_ec_destroy(ec));
}

// ---- RDMA, from one context to another one

static struct doca_rdma *rdmas[2];

static struct doca_ctx *rdma_ctx(unsigned i)
{
    return doca_rdma_as_ctx(rdmas[i]);
}

static void connect_both(void)
{
    const void *details[2];
    size_t sizes[2];
    for (unsigned i = 0; i < 2; i++) {
        must(doca_rdma_create(&rdmas[i]));
        must(doca_ctx_dev_add(rdma_ctx(i), dev));
        must(doca_rdma_set_permissions(rdmas[i], ALL));
        start_ctx(rdma_ctx(i));
        must(doca_rdma_export(rdmas[i], &details[i], &sizes[i]));
    }
    for (unsigned i = 0; i < 2; i++)
        must(doca_rdma_connect(rdmas[i], details[1 - i], sizes[1 - i]));
}

static void send_message(void)
{
    struct doca_rdma_job_recv receive = {.base = {.type = DOCA_RDMA_JOB_RECV, .ctx = rdma_ctx(1)},
                                         .dst_buff = empty()};
    struct doca_rdma_job_send send = {.base = {.type = DOCA_RDMA_JOB_SEND, .ctx = rdma_ctx(0)},
                                      .src_buff = full(31)};
    submit(&receive.base);
    submit(&send.base);
    await(2);
}

static void use_remote(struct doca_mmap *remote)
{
    struct doca_rdma_job_read_write job = {
        .base = {.type = DOCA_RDMA_JOB_WRITE, .ctx = rdma_ctx(0)},
        .dst_buff = some_of(remote, 0),
        .src_buff = full(47),
    };
    run(&job.base);
    job.base.type = DOCA_RDMA_JOB_READ;
    job.dst_buff = empty();
    job.src_buff = some_of(remote, 59);
    run(&job.base);
    struct doca_rdma_job_atomic atomic = {
        .base = {.type = DOCA_RDMA_JOB_ATOMIC_FETCH_ADD, .ctx = rdma_ctx(0)},
        .cmp_or_add_dest_buff = some_of(remote, 8),
        .result_buff = full(8),
        .swap_or_add_data = 1,
    };
    run(&atomic.base);
}

static void move(void)
{
    struct doca_mmap *remote;
    const void *descriptor;
    size_t size;
    connect_both();
    must(doca_mmap_export_rdma(map, dev, &descriptor, &size));
    must(doca_mmap_create_from_export(NULL, descriptor, size, dev, &remote));
    send_message();
    use_remote(remote);
    for (unsigned i = 0; i < 2; i++) {
        close_ctx(rdma_ctx(i));
        must(doca_rdma_destroy(rdmas[i]));
    }
}

int main(int argc, char **argv)
{
    begin();
    if (argc > 1 && strcmp(argv[1], "equal") == 0) {
        copy_equal();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "small") == 0) {
        copy_into_small();
        return 0;
    }
    copy();
    hash();
    compress();
    spread();
    move();
    return 0;
}

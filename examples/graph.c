// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A graph: a digest of a text is computed and the text is copied, both at a time; when both
// are done, a callback compares the copy and prints the digest.
//
//     DOCAD_SOCKET=dpu.sock graph [-p DEVICE] [-n INSTANCES] [TEXT]
//
//          +- SHA-256 -+
//     text-+           +- compare
//          +- copy ----+
//
// The graph is described once. Any number of instances of it, each with memory and jobs of
// its own, are under way in one work queue.

#include "common/dma_setup.h"
#include "common/example.h"

#include <doca_graph.h>
#include <doca_sha.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct nodes {
    struct doca_graph *graph;
    struct doca_graph_node *sha, *copy, *compare;
};

// One run of the graph. Its jobs live as long as the instance: it refers to them.
struct run {
    int number;
    const char *text;
    size_t size;
    unsigned char *copy, *digest;
    struct doca_mmap *text_map, *copy_map, *digest_map;
    struct doca_buf *text_buf, *copy_buf, *digest_buf;
    struct doca_sha_job sha_job;
    struct doca_dma_job_memcpy copy_job;
    struct doca_graph_instance *instance;
};

// doca_workq_progress_retrieve() calls this. The value it returns is the result of its node.
static doca_error_t compare(void *cookie, struct doca_event *event)
{
    struct run *run = cookie;
    (void)event;
    if (memcmp(run->copy, run->text, run->size) != 0)
        return DOCA_ERROR_UNEXPECTED;
    printf("%d: copy is the same, SHA-256 ", run->number);
    for (size_t i = 0; i < DOCA_SHA256_BYTE_COUNT; i++)
        printf("%02x", run->digest[i]);
    putchar('\n');
    return DOCA_SUCCESS;
}

static void describe(struct nodes *n, struct dma_setup *setup, struct doca_ctx *sha)
{
    must(doca_graph_create(&n->graph), "cannot make a graph");
    must(doca_graph_ctx_node_create(n->graph, DOCA_SHA_JOB_SHA256, sha, &n->sha),
         "cannot make the digest's node");
    must(doca_graph_ctx_node_create(n->graph, DOCA_DMA_JOB_MEMCPY, setup->ctx, &n->copy),
         "cannot make the copy's node");
    must(doca_graph_user_node_create(n->graph, compare, &n->compare),
         "cannot make the callback's node");
    must(doca_graph_add_dependency(n->graph, n->sha, n->compare), "cannot add a dependency");
    must(doca_graph_add_dependency(n->graph, n->copy, n->compare), "cannot add a dependency");
    must(doca_graph_start(n->graph), "cannot start the graph");
    must(doca_graph_workq_add(n->graph, setup->workq), "cannot add the graph to the work queue");
}

static void make_buffers(struct run *run, struct dma_setup *setup)
{
    run->text_map = map_local(setup, (void *)run->text, run->size);
    run->copy_map = map_local(setup, run->copy, run->size);
    run->digest_map = map_local(setup, run->digest, DOCA_SHA256_BYTE_COUNT);
    must(doca_buf_inventory_buf_by_data(setup->inventory, run->text_map, (void *)run->text,
                                        run->size, &run->text_buf),
         "cannot make the text's buffer");
    must(doca_buf_inventory_buf_by_addr(setup->inventory, run->copy_map, run->copy, run->size,
                                        &run->copy_buf),
         "cannot make the copy's buffer");
    must(doca_buf_inventory_buf_by_addr(setup->inventory, run->digest_map, run->digest,
                                        DOCA_SHA256_BYTE_COUNT, &run->digest_buf),
         "cannot make the digest's buffer");
}

static void prepare(struct run *run, const struct nodes *n, struct dma_setup *setup,
                    struct doca_ctx *sha, const char *text)
{
    run->text = text;
    run->size = strlen(text) + 1;
    run->copy = calloc(1, run->size);
    run->digest = calloc(1, DOCA_SHA256_BYTE_COUNT);
    if (!run->copy || !run->digest)
        fail("no memory");
    make_buffers(run, setup);
    run->sha_job = (struct doca_sha_job){
        .base = {.type = DOCA_SHA_JOB_SHA256, .ctx = sha},
        .req_buf = run->text_buf,
        .resp_buf = run->digest_buf,
    };
    run->copy_job = (struct doca_dma_job_memcpy){
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = setup->ctx},
        .dst_buff = run->copy_buf,
        .src_buff = run->text_buf,
    };
    must(doca_graph_instance_create(n->graph, &run->instance), "cannot make an instance");
    must(doca_graph_instance_set_ctx_node_data(run->instance, n->sha, &run->sha_job.base, NULL),
         "cannot set the digest's job");
    must(doca_graph_instance_set_ctx_node_data(run->instance, n->copy, &run->copy_job.base, NULL),
         "cannot set the copy's job");
    must(doca_graph_instance_set_user_node_data(run->instance, n->compare, run, NULL),
         "cannot set the callback's cookie");
}

// Retrieving returns DOCA_ERROR_AGAIN for single nodes that are done; only a whole instance has
// an event.
static void wait_for_one(struct doca_workq *workq)
{
    struct doca_event event;
    doca_error_t result;
    do {
        result = doca_workq_progress_retrieve(workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
    } while (result == DOCA_ERROR_AGAIN);
    must(result, "cannot retrieve an instance's event");
    if (event.type != DOCA_GRAPH_JOB)
        fail("an event of type %d, which is nobody's", event.type);
    must((doca_error_t)event.result.u64, "instance %llu failed",
         (unsigned long long)event.user_data.u64);
}

static void clean_up(struct run *run)
{
    must(doca_graph_instance_destroy(run->instance), "cannot destroy an instance");
    must(doca_buf_refcount_rm(run->text_buf, NULL), "cannot give a buffer back");
    must(doca_buf_refcount_rm(run->copy_buf, NULL), "cannot give a buffer back");
    must(doca_buf_refcount_rm(run->digest_buf, NULL), "cannot give a buffer back");
    must(doca_mmap_destroy(run->text_map), "cannot destroy a memory map");
    must(doca_mmap_destroy(run->copy_map), "cannot destroy a memory map");
    must(doca_mmap_destroy(run->digest_map), "cannot destroy a memory map");
    free(run->copy);
    free(run->digest);
}

int main(int argc, char **argv)
{
    const char *device = NULL;
    int c, instances = 3;
    help_option(argc, argv, "[-p DEVICE] [-n INSTANCES] [TEXT]",
                "Hashes and copies a text at a time, then calls back. -p names a device by its PCI "
                "address, interface or InfiniBand device.");
    while ((c = getopt(argc, argv, "p:n:")) != -1) {
        if (c == 'p')
            device = optarg;
        else if (c == 'n')
            instances = atoi(optarg);
        else
            return 2;
    }
    if (instances < 1 || instances > 1000)
        fail("1 to 1000 instances, please");
    struct run *runs = calloc((size_t)instances, sizeof(*runs));
    char *text = strdup(optind < argc ? argv[optind] : "Hello, graph!");
    if (!runs || !text)
        fail("no memory");

    // An instance takes a place in the work queue for each of its jobs, and one more.
    struct dma_setup setup;
    struct doca_sha *sha;
    dma_setup(&setup, device, 3 * (uint32_t)instances, 3 * (size_t)instances, false);
    must(doca_sha_create(&sha), "cannot make a SHA context");
    struct doca_ctx *sha_ctx = doca_sha_as_ctx(sha);
    must(doca_ctx_dev_add(sha_ctx, setup.dev), "the device cannot do SHA");
    must(doca_ctx_start(sha_ctx), "cannot start the SHA context");
    must(doca_ctx_workq_add(sha_ctx, setup.workq), "cannot add the work queue");

    struct nodes nodes;
    describe(&nodes, &setup, sha_ctx);
    for (int i = 0; i < instances; i++) {
        runs[i].number = i;
        prepare(&runs[i], &nodes, &setup, sha_ctx, text);
        must(doca_workq_graph_submit(setup.workq, runs[i].instance,
                                     (union doca_data){.u64 = (uint64_t)i}),
             "cannot submit instance %d", i);
    }
    for (int i = 0; i < instances; i++)
        wait_for_one(setup.workq);

    for (int i = 0; i < instances; i++)
        clean_up(&runs[i]);
    must(doca_graph_workq_rm(nodes.graph, setup.workq), "cannot remove the graph");
    must(doca_graph_destroy(nodes.graph), "cannot destroy the graph");
    must(doca_ctx_workq_rm(sha_ctx, setup.workq), "cannot remove the work queue");
    must(doca_ctx_stop(sha_ctx), "cannot stop the SHA context");
    must(doca_sha_destroy(sha), "cannot destroy the SHA context");
    dma_teardown(&setup);
    free(runs);
    free(text);
    return EXIT_SUCCESS;
}

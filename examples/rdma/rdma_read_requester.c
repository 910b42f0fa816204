// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Reads what is in the memory of rdma_read_responder, which takes no part in that, and increments
// a word there.
//
//     rdma_read_requester [-p DEVICE] OWN-FILE OTHER-FILE

#include "../common/example.h"
#include "../common/rdma_setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SIZE 256

static void read_text(struct rdma_setup *setup)
{
    struct doca_buf *src, *dst;

    must(doca_buf_inventory_buf_by_data(setup->inventory, setup->remote, setup->remote_memory, SIZE,
                                        &src),
         "no source");
    must(doca_buf_inventory_buf_by_addr(setup->inventory, setup->map, setup->memory, SIZE, &dst),
         "no destination");
    struct doca_rdma_job_read_write job = {
        .base = {.type = DOCA_RDMA_JOB_READ, .ctx = setup->ctx}, .dst_buff = dst, .src_buff = src};
    struct doca_rdma_result result = rdma_run(setup, &job.base);
    printf("read %u bytes: %.*s\n", result.length, SIZE, setup->memory);
    must(doca_buf_refcount_rm(src, NULL), "cannot give the source back");
    must(doca_buf_refcount_rm(dst, NULL), "cannot give the destination back");
}

static void count(struct rdma_setup *setup)
{
    struct doca_buf *word, *out;
    uint64_t before;

    must(doca_buf_inventory_buf_by_data(setup->inventory, setup->remote,
                                        setup->remote_memory + RDMA_MEMORY - 8, 8, &word),
         "no word");
    must(doca_buf_inventory_buf_by_data(setup->inventory, setup->map, setup->memory, 8, &out),
         "no result");
    struct doca_rdma_job_atomic job = {
        .base = {.type = DOCA_RDMA_JOB_ATOMIC_FETCH_ADD, .ctx = setup->ctx},
        .cmp_or_add_dest_buff = word,
        .result_buff = out,
        .swap_or_add_data = 1};
    rdma_run(setup, &job.base);
    memcpy(&before, setup->memory, sizeof(before));
    printf("the word was %" PRIu64 "\n", before);
    must(doca_buf_refcount_rm(word, NULL), "cannot give the word back");
    must(doca_buf_refcount_rm(out, NULL), "cannot give the result back");
}

int main(int argc, char **argv)
{
    struct rdma_setup setup;

    rdma_setup(&setup, argc, argv, 0, NULL);
    read_text(&setup);
    count(&setup);
    rdma_tell(&setup);
    rdma_teardown(&setup);
    return 0;
}

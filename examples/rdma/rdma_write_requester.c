// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Writes a text into the memory of rdma_write_responder, which takes no part in that.
//
//     rdma_write_requester [-p DEVICE] OWN-FILE OTHER-FILE [TEXT]

#include "../common/example.h"
#include "../common/rdma_setup.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct rdma_setup setup;
    struct doca_buf *src, *dst;
    const char *text = rdma_setup(&setup, argc, argv, 0, "Hi DOCA RDMA!");
    size_t size = strlen(text) + 1;

    must(doca_buf_inventory_buf_by_data(setup.inventory, setup.map, setup.memory, size, &src),
         "no source");
    must(doca_buf_inventory_buf_by_addr(setup.inventory, setup.remote, setup.remote_memory, size,
                                        &dst),
         "no destination");
    struct doca_rdma_job_read_write job = {
        .base = {.type = DOCA_RDMA_JOB_WRITE, .ctx = setup.ctx}, .dst_buff = dst, .src_buff = src};
    struct doca_rdma_result result = rdma_run(&setup, &job.base);
    printf("wrote %u bytes: %s\n", result.length, text);
    rdma_tell(&setup);
    must(doca_buf_refcount_rm(src, NULL), "cannot give the source back");
    must(doca_buf_refcount_rm(dst, NULL), "cannot give the destination back");
    rdma_teardown(&setup);
    return 0;
}

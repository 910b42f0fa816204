// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sends a text with immediate data to rdma_receive_immediate.
//
//     rdma_send_immediate [-p DEVICE] OWN-FILE OTHER-FILE [TEXT]

#include "../common/example.h"
#include "../common/rdma_setup.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct rdma_setup setup;
    struct doca_buf *src;
    const char *text = rdma_setup(&setup, argc, argv, 0, "Hi DOCA RDMA!");
    size_t size = strlen(text) + 1;

    must(doca_buf_inventory_buf_by_data(setup.inventory, setup.map, setup.memory, size, &src),
         "no source");
    struct doca_rdma_job_send job = {.base = {.type = DOCA_RDMA_JOB_SEND_IMM, .ctx = setup.ctx},
                                     .src_buff = src,
                                     .immediate_data = htonl(0xABCD)};
    struct doca_rdma_result result = rdma_run(&setup, &job.base);
    printf("sent %u bytes: %s\n", result.length, text);
    must(doca_buf_refcount_rm(src, NULL), "cannot give the source back");
    rdma_teardown(&setup);
    return 0;
}

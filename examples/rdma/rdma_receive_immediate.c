// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Receives what rdma_send_immediate sends.
//
//     rdma_receive_immediate [-p DEVICE] OWN-FILE OTHER-FILE

#include "../common/example.h"
#include "../common/rdma_setup.h"

#include <arpa/inet.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct rdma_setup setup;
    struct doca_buf *dst;

    rdma_setup(&setup, argc, argv, 0, NULL);
    must(
        doca_buf_inventory_buf_by_addr(setup.inventory, setup.map, setup.memory, RDMA_MEMORY, &dst),
        "no destination");
    struct doca_rdma_job_recv job = {.base = {.type = DOCA_RDMA_JOB_RECV, .ctx = setup.ctx},
                                     .dst_buff = dst};
    struct doca_rdma_result result = rdma_run(&setup, &job.base);
    if (result.opcode != DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM)
        fail("a message without immediate data came");
    printf("received %u bytes: %.*s, immediate 0x%X\n", result.length, RDMA_MEMORY, setup.memory,
           (unsigned)ntohl(result.immediate_data));
    must(doca_buf_refcount_rm(dst, NULL), "cannot give the destination back");
    rdma_teardown(&setup);
    return 0;
}

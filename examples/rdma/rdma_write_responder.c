// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lets rdma_write_requester write into its memory, and prints what is there afterwards.
//
//     rdma_write_responder [-p DEVICE] OWN-FILE OTHER-FILE

#include "../common/rdma_setup.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct rdma_setup setup;

    rdma_setup(&setup, argc, argv, DOCA_ACCESS_RDMA_WRITE, NULL);
    rdma_await(&setup);
    printf("found: %.*s\n", RDMA_MEMORY, setup.memory);
    rdma_teardown(&setup);
    return 0;
}

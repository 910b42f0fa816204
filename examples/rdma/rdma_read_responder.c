// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lets rdma_read_requester read a text from its memory and increment a word there.
//
//     rdma_read_responder [-p DEVICE] OWN-FILE OTHER-FILE [TEXT]

#include "../common/rdma_setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct rdma_setup setup;
    uint64_t word;

    // The text is in the memory before the other side can reach it.
    rdma_setup(&setup, argc, argv, DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_ATOMIC,
               "Hi DOCA RDMA!");
    rdma_await(&setup);
    memcpy(&word, setup.memory + RDMA_MEMORY - 8, sizeof(word));
    printf("the word is %" PRIu64 "\n", word);
    rdma_teardown(&setup);
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two queue pairs of rdma-core in one process, connected to each other: the smallest form of a
// program that posts its own work requests.

#ifndef EXAMPLES_COMMON_LOOPBACK_H
#define EXAMPLES_COMMON_LOOPBACK_H

#include <infiniband/verbs.h>

#include <stdint.h>

struct loopback {
    struct ibv_cq *cq;
    struct ibv_qp *sender, *receiver;
};

// Makes the pair on port 1 of the protection domain's device. Fails the program if that does not
// work.
void loopback_open(struct loopback *loopback, struct ibv_pd *pd);
void loopback_close(struct loopback *loopback);

// Sends the bytes from one place to the other, each with its key, and waits until they have
// arrived.
void loopback_send(struct loopback *loopback, const void *from, uint32_t from_key, void *to,
                   uint32_t to_key, uint32_t size);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Fault injection into an instance of DOCA 1.5 and 2.2.

#ifndef CLIENT_RDMA_INSTANCE_H
#define CLIENT_RDMA_INSTANCE_H

#include <stdbool.h>

struct doca_workq;

// Breaks the connection whose event was retrieved last from the work queue: rdma_lose_peer().
bool rdma_instance_lose_peer(struct doca_workq *workq);

#endif

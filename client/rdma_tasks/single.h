// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An RDMA context as DOCA 2.5 and 2.6 have it: it has one connection, which no program sees, and
// it is STARTING until that has been connected out of band.

#ifndef CLIENT_RDMA_TASKS_SINGLE_H
#define CLIENT_RDMA_TASKS_SINGLE_H

#include "rdma_context.h"

// As doca_rdma_create(), _export() and _connect() of those releases; errors are reported by
// these functions.
doca_error_t rdma_single_create(struct doca_dev *dev, struct doca_rdma **out);
doca_error_t rdma_single_export(struct doca_rdma *rdma, const void **details, size_t *size);
doca_error_t rdma_single_connect(struct doca_rdma *rdma, const void *details, size_t size);

// Returns the connection, or NULL while there is none: for the functions that take one since 2.7.
static inline struct doca_rdma_connection *rdma_single_connection(const struct doca_rdma *rdma)
{
    return rdma && rdma->single ? rdma->single->connection : NULL;
}

#endif

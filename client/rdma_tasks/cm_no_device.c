// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections by address on ibverbs devices, where the library was built without librdmacm.

#include "rdma_context.h"

static doca_error_t open_channel(struct doca_rdma *rdma, struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                       "%s is an ibverbs device, and this library was built without librdmacm; "
                       "make the connection with doca_rdma_export() and doca_rdma_connect()",
                       dev_name(rdma->ctx.device));
}

const struct cm_ops cm_by_device = {.open = open_channel};

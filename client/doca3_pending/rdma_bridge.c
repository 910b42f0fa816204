// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_rdma_bridge.h of DOCA 3 has and the library does not do yet: whoever implements a
// function deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_rdma_bridge_get_dev_pd)
PENDING(doca_rdma_bridge_open_dev_from_pd)
PENDING(doca_rdma_bridge_get_buf_mkey)
PENDING(doca_rdma_bridge_get_mmap_mkey_from_pd)

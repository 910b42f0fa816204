// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An event of another process that RDMA tasks change and read: an imported event without a context.
// Its owner exported it for RDMA.

#ifndef CLIENT_SE_REMOTE_NET_H
#define CLIENT_SE_REMOTE_NET_H

#include "core/alive.h"
#include "sync_event.h"

struct doca_sync_event_remote_net {
    struct doca_sync_event event;
    struct alive alive;
};

#endif

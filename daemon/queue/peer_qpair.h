// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Queue pairs that linked nodes ask for, for their sessions: which way they go, and the
// answer. To another machine they go by RDMA, and where that cannot be, over the link.

#ifndef DAEMON_PEER_QPAIR_H
#define DAEMON_PEER_QPAIR_H

#include "message.h"

struct peer;

// PeerQueuePairCreate: answered now or later.
void peer_qpair_create(struct peer *peer, const Docad__Message *message, struct fd_list *fds);

// PeerQueuePairDestroy.
void peer_qpair_end(struct peer *peer, const Docad__Message *message, struct fd_list *fds);

#endif

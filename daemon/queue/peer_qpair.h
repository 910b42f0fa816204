// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Queue pairs that linked nodes request for their sessions: how they are connected, and the
// answer. To another machine they use RDMA, and if that is not possible, the link.

#ifndef DAEMON_PEER_QPAIR_H
#define DAEMON_PEER_QPAIR_H

#include "message.h"

struct peer;

// Handles PeerQueuePairCreate: answers now or later.
void peer_qpair_create(struct peer *peer, const Docad__Message *message);

// Handles PeerQueuePairDestroy.
void peer_qpair_end(struct peer *peer, const Docad__Message *message);

#endif

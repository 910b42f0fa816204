// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A PeerQueuePairData as bytes. Nearly all of it is data, which is not copied between message and
// packet: the message is packed around data that is written directly into the packet, and is
// recognized before its data has arrived.

#ifndef DAEMON_PIECE_H
#define DAEMON_PIECE_H

#include "message.h"

#define PIECE_HEAD_MAX 64  // bytes before the data, of this version
#define PIECE_TAIL_MAX 256 // and behind it

struct piece {
    uint64_t queue;
    uint32_t offset, length; // of the data
};

// The size of a message that has this body and nothing else.
size_t piece_size(const Docad__PeerQueuePairData *m);

// Packs all but the bytes of its data, and returns their address. `out` has piece_size() bytes.
uint8_t *piece_pack(const Docad__PeerQueuePairData *m, uint8_t *out);

// Unpacks the first `have` bytes of a packet of `size`, and returns how many come before the data.
// 0: it is not such a message, or too few bytes are available.
size_t piece_begins(const uint8_t *packet, size_t have, size_t size, struct piece *piece);

// The message without its data, of `size` bytes behind that. 0, -ENOMEM, -EPROTO.
int piece_end(const struct piece *piece, const uint8_t *tail, size_t size,
              Docad__Message **message);

#endif

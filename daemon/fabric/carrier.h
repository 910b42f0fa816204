// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The transport of one queue pair between the daemons of two machines: a reliable connection of
// ibverbs (rc_queue.h), or the daemons' link (link_queue.h). Each side has a data area
// (queue_pair.h) of the same layout. A message is a header of a few bytes; its data is taken from
// the sender's data area, and is at the same offset of the receiver's when the header arrives. Both
// machines are little-endian.

#ifndef DAEMON_CARRIER_H
#define DAEMON_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CARRIER_HEADER_MAX 64u

struct carrier;

// All are called from the loop, and all may free the carrier.
struct carrier_owner {
    // A header has arrived. Returns false if the owner has freed the carrier.
    bool (*received)(void *arg, const void *header, size_t size);
    // The other side has broken the protocol between nodes.
    void (*misled)(void *arg, const char *why);
    // Called once when it is no longer connected, perhaps before connected().
    void (*cut)(void *arg, const char *why);

    // For link queues only: reads `size` bytes, from offset `at`, of a message that was sent with
    // link_queue_send_unread(). Returns false: the message is dropped, and the owner copes with
    // that.
    bool (*read)(void *arg, const void *header, uint32_t at, uint32_t size, void *to);

    // For reliable connections only:
    // Connecting has ended: `why` is NULL, or the reason why RDMA does not reach the other node.
    void (*connected)(void *arg, const char *why);
    // The send or fetch with `context` (not NULL) has ended: its memory is no longer used. Returns
    // false if the owner has freed the carrier.
    bool (*over)(void *arg, void *context);
};

struct carrier_ops {
    bool (*send)(struct carrier *carrier, const void *header, size_t size, uint32_t offset,
                 uint32_t length);
};

struct carrier {
    const struct carrier_ops *ops;
    const struct carrier_owner *owner;
    void *arg;
};

// Sends `length` bytes of the data area at `offset`, then a header. The bytes must not change until
// the other side has answered. Returns false if the carrier does not accept it: too many messages
// are in flight, or it has been cut.
static inline bool carrier_send(struct carrier *carrier, const void *header, size_t size,
                                uint32_t offset, uint32_t length)
{
    return carrier->ops->send(carrier, header, size, offset, length);
}

#endif

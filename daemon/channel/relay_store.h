// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The state of a relay (channel_relay.h), in docad's own memory file: the messages in flight in
// either direction, and their progress. A docad that maps the file after the earlier one has
// died continues with it (restart.h): no message is lost or duplicated.
//
// To achieve that, one system call moves a message: recvmmsg(2) from the process's socket into
// the file, or sendmmsg(2) the other way round. The kernel itself records in the file that it
// has done so, before the caller can be killed.

#ifndef DAEMON_RELAY_STORE_H
#define DAEMON_RELAY_STORE_H

#include "channel_page.h"
#include "packet.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>

#define RELAY_WINDOW 32u // messages in flight between the daemons, in each direction

struct relay_slot {
    struct mmsghdr call; // msg_len: RELAY_NOTHING until the kernel has moved the message
    struct iovec part;
    uint32_t size;
    uint8_t data[CHANNEL_PACKET_SIZE];
};

#define RELAY_NOTHING UINT32_MAX

struct relay_store {
    uint32_t magic, max_message;
    _Atomic uint64_t sent;                  // taken from the process
    uint64_t sent_delivered, sent_received; // how many of those were delivered and received there
    _Atomic uint64_t arrived;               // from the linked node
    _Atomic uint64_t delivered;             // how many of those were delivered to the process
    _Atomic bool deaf;                      // the process is gone: messages for it are dropped
    _Atomic bool left, orderly;             // the process has left
    _Atomic bool left_there, orderly_there; // the process on the other side has left
    _Atomic bool done;                      // the process sends nothing more, but reads to the end
    _Atomic bool done_there;                // the same of the process on the other side
    struct relay_slot out[RELAY_WINDOW], in[RELAY_WINDOW];
};

// *fd becomes the file. 0 or -errno.
int relay_store_new(struct relay_store **out, int *fd, uint32_t max_message);

// Opens the file of an earlier docad and repairs it.
int relay_store_open(struct relay_store **out, int fd);

void relay_store_close(struct relay_store *store); // takes NULL

// Receives the process's next message, if fewer than RELAY_WINDOW are in flight; it becomes the
// last one in `out`. Otherwise like packet_recv_plain().
ssize_t relay_store_take(struct relay_store *store, int sock);

// Returns message number `i` of those in flight to the linked node.
static inline struct relay_slot *relay_store_sent(struct relay_store *store, uint64_t i)
{
    return &store->out[i % RELAY_WINDOW];
}

static inline bool relay_store_is_full(const struct relay_store *store)
{
    return store->sent - store->sent_delivered >= RELAY_WINDOW;
}

// Stores a message from the linked node. Returns false if this message must not come.
bool relay_store_arrive(struct relay_store *store, const void *data, size_t size);

// Delivers arrived messages, as far as the process's socket accepts them. Returns true if all were
// delivered.
bool relay_store_deliver(struct relay_store *store, int sock);

#endif

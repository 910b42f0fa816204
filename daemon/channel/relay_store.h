// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a relay (channel_relay.h) holds of its channel, in a memory file of docad's own: the
// messages on their way in either direction, and how far they are. Whoever maps the file
// after docad has died goes on with it (restart.h): no message is lost or doubled.
//
// For that, a message changes hands in one system call: recvmmsg(2) takes it out of the
// process's socket and into the file, or sendmmsg(2) the other way round, and the kernel
// itself writes there that it has done so, before the caller can be killed.

#ifndef DAEMON_RELAY_STORE_H
#define DAEMON_RELAY_STORE_H

#include "channel_page.h"
#include "packet.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>

#define RELAY_WINDOW 32u // messages on their way between the daemons, each way

struct relay_slot {
    struct mmsghdr call; // msg_len: RELAY_NOTHING until the kernel has moved the message
    struct iovec part;
    uint32_t size;
    uint8_t data[CHANNEL_MESSAGE_MAX];
};

#define RELAY_NOTHING UINT32_MAX

struct relay_store {
    uint32_t magic, max_message;
    _Atomic uint64_t sent;                  // taken from the process
    uint64_t sent_delivered, sent_received; // of these, there
    _Atomic uint64_t arrived;               // from the linked node
    _Atomic uint64_t delivered;             // of these, handed over to the process
    _Atomic bool deaf;                      // the process has gone: what comes for it is dropped
    _Atomic bool left, orderly;             // it has said its last word
    _Atomic bool left_there, orderly_there; // and so has the other side
    struct relay_slot out[RELAY_WINDOW], in[RELAY_WINDOW];
};

// *fd is the file. 0 or -errno.
int relay_store_new(struct relay_store **out, int *fd, uint32_t max_message);

// That of an earlier docad, put right.
int relay_store_open(struct relay_store **out, int fd);

void relay_store_close(struct relay_store *store); // takes NULL

// Takes the process's next message, if less than RELAY_WINDOW are on their way: it is the
// last one in `out`. Otherwise as packet_recv().
ssize_t relay_store_take(struct relay_store *store, int sock, struct fd_list *fds);

// Message number `i` of those that are on their way to the linked node.
static inline struct relay_slot *relay_store_sent(struct relay_store *store, uint64_t i)
{
    return &store->out[i % RELAY_WINDOW];
}

static inline bool relay_store_is_full(const struct relay_store *store)
{
    return store->sent - store->sent_delivered >= RELAY_WINDOW;
}

// A message of the linked node's. False if it is none that may come.
bool relay_store_arrive(struct relay_store *store, const void *data, size_t size);

// Hands over what has arrived, as far as the process's socket takes it: true if that is all.
bool relay_store_deliver(struct relay_store *store, int sock);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Keeps any number of descriptors open in a few sockets, which the next process gets.
//
// A descriptor that is sent to a Unix socket and not yet received stays open in the socket's queue.
// There are two levels of sockets, each connected to itself. The queue of a slot has packets of a
// few descriptors, each with a key. The queue of a store socket has slots. So a process that has
// the store sockets has everything in them, and only they are handed on.
//
// Only the first packet of a queue can be received. To take a packet out from behind others, docad
// sends those once more, behind the last, and then receives them: if the process is killed in
// between, a packet is in its slot twice, but never missing. A slot has few packets, so that this
// takes little time, and it is done later, so that one pass takes out many packets.

#ifndef DAEMON_FD_STORE_SOCKET_H
#define DAEMON_FD_STORE_SOCKET_H

#include "list.h"
#include "packet.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// With the kernel's default limits for buffers, a store socket has room for 70,000 packets.
#define FD_STORE_SOCKETS_MAX 8
#define SLOT_PACKETS         32

struct fd_store_slot;

struct fd_store_sockets {
    int fds[FD_STORE_SOCKETS_MAX]; // -1: none
    size_t n_sockets, filling;     // new slots go into fds[filling], or a later one
    struct fd_store_slot **slots;
    size_t n_slots;
    struct list with_room, to_clean;
};

// Without any socket.
void fd_store_sockets_init(struct fd_store_sockets *sockets);
void fd_store_sockets_close(struct fd_store_sockets *sockets);

// Makes `n` sockets, FD_STORE_SOCKETS_MAX at most. 0 or -errno.
int fd_store_sockets_new(struct fd_store_sockets *sockets, size_t n);

// Adds a socket that an earlier process has filled, and takes over its descriptor. Returns 0, or an
// error without taking it: -E2BIG if there are too many, -EPROTO if it is not a store socket, and
// -ENOMEM, after which some of its slots have been added.
int fd_store_sockets_add(struct fd_store_sockets *sockets, int fd);

// Calls found() for each packet, with copies of its descriptors, which found() may take. If found()
// returns false, the packet is dropped.
void fd_store_sockets_read(struct fd_store_sockets *sockets,
                           bool (*found)(void *arg, uint64_t key, uint32_t slot,
                                         struct fd_list *fds),
                           void *arg);

// Puts copies of the descriptors into a slot, whose number it sets. 0 or -errno: -ETOOMANYREFS if
// docad's user has more descriptors in the queues of sockets than RLIMIT_NOFILE.
int fd_store_sockets_put(struct fd_store_sockets *sockets, uint64_t key, const int *fds,
                         size_t n_fds, uint32_t *slot);

// Marks the packet with this key for removal by fd_store_sockets_clean(), which also closes its
// descriptors. A process of this uid has sent them.
void fd_store_sockets_drop(struct fd_store_sockets *sockets, uint32_t slot, uint64_t key,
                           uid_t uid);

// Removes dropped packets from at most `slots` slots. Returns true if there is more to remove.
bool fd_store_sockets_clean(struct fd_store_sockets *sockets, unsigned slots);

#endif

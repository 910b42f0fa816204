// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Holds any number of descriptors open in a few sockets, which the next process gets.
//
// A descriptor that is sent to a Unix socket and not yet received stays open in the socket's
// queue. A box is a socket that is connected to itself: what is put into it are packets of a few
// descriptors, each with a key. A shelf is such a socket, too; its packets are the boxes. Whoever
// holds the shelves therefore holds everything in them, and only the shelves have to be handed on.
//
// A queue gives back its first packet only. To take a packet out from behind others, those are
// sent once more, behind the last, before they are received: whenever the process is killed, a
// packet is in its box once or twice, never not at all. A box has few packets, so that this is
// short; and it is left for later, so that many packets are taken out in one go.

#ifndef DAEMON_FD_SHELF_H
#define DAEMON_FD_SHELF_H

#include "list.h"
#include "packet.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// With the buffers that the kernel allows by default a shelf has room for 70,000 packets.
#define FD_SHELVES  8
#define BOX_PACKETS 32

struct fd_box;

struct fd_shelf {
    int shelves[FD_SHELVES];   // -1: none
    size_t n_shelves, filling; // new boxes go to the shelf `filling` or a later one
    struct fd_box **boxes;
    size_t n_boxes;
    struct list with_room, to_clean;
};

// Without a shelf.
void fd_shelf_init(struct fd_shelf *shelf);
void fd_shelf_close(struct fd_shelf *shelf);

// Makes `n` shelves, FD_SHELVES at most. 0 or -errno.
int fd_shelf_new(struct fd_shelf *shelf, size_t n);

// Takes up one that an earlier process has filled. Takes the descriptor, unless it fails: -E2BIG if
// there are too many, -EPROTO if it is not a shelf, -ENOMEM: some of what is in it is taken up.
int fd_shelf_add(struct fd_shelf *shelf, int fd);

// Calls found() for each packet that is there, with copies of its descriptors, which found() may
// take. It answers whether the packet is wanted; others are dropped.
void fd_shelf_read(struct fd_shelf *shelf,
                   bool (*found)(void *arg, uint64_t key, uint32_t box, struct fd_list *fds),
                   void *arg);

// Puts copies of the descriptors into a box, and tells which. 0 or -errno: -ETOOMANYREFS if the
// user has more of them in sockets than the limit of open files.
int fd_shelf_put(struct fd_shelf *shelf, uint64_t key, const int *fds, size_t n_fds, uint32_t *box);

// Takes the packet with this key out of its box, soon: the descriptors, which a process of this uid
// has sent, are closed then.
void fd_shelf_drop(struct fd_shelf *shelf, uint32_t box, uint64_t key, uid_t uid);

// Takes out what was dropped, from so many boxes at most. True if something is left to do.
bool fd_shelf_clean(struct fd_shelf *shelf, unsigned boxes);

#endif

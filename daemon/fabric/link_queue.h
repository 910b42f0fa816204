// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What an rc_queue does, without RDMA devices: messages and bytes of one client's queue pair
// go over the daemons' link, in messages of theirs. They are told apart by an id that the
// receiver has given.
//
// Bytes stay in the data area until the link has room, and go straight into the other data
// area: what waits on either side is a few headers. The queues of a link take turns, a piece
// each: one user after the other, and the queues of each. One piece at a time waits among what
// else is to go over the link.

#ifndef DAEMON_LINK_QUEUE_H
#define DAEMON_LINK_QUEUE_H

#include "docad.pb-c.h"
#include "errtext.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define LINK_HEADER_MAX 64u

struct fd_list;
struct link_queue;
struct peer;

struct link_queue_owner {
    // A header has come, and all bytes that were sent before it. Returns false if the owner
    // has freed the queue.
    bool (*received)(void *owner, const void *header, size_t size);
    // The other side sends what makes no sense. The owner may free the queue.
    void (*misled)(void *owner, const char *why);
    // The link is down: it is not connected any more. The owner may free the queue.
    void (*cut)(void *owner, const char *why);
};

// Of a process of this uid, here or there. `data` is our data area (queue_pair.h).
doca_error_t link_queue_new(struct link_queue **out, struct peer *peer, uid_t uid, void *data,
                            const struct link_queue_owner *ops, void *owner, struct errtext *err);
struct link_queue *link_queue_free(struct link_queue *queue); // takes NULL, returns NULL

// What the other side calls it.
uint64_t link_queue_id(const struct link_queue *queue);

// What it calls its own. From now on messages go, and come.
void link_queue_connect(struct link_queue *queue, uint64_t there);

// Sends a header, after `length` bytes of the data area at `offset`, which stay what they are
// until the other side has answered. False if more are on their way than can be.
bool link_queue_send(struct link_queue *queue, const void *header, size_t size, uint32_t offset,
                     uint32_t length);

// A message for one of the peer's queues.
void link_queue_message(struct peer *peer, const Docad__Message *message, struct fd_list *fds);

// The link has room again.
void link_queues_go_on(struct peer *peer);

// The link is down. What was on its way may be lost, even if it comes back: those that were
// connected are no more.
void link_queues_end(struct peer *peer);

// It is back, as another peer (peer_resume.h).
void link_queues_adopt(struct peer *to, struct peer *from);

#endif

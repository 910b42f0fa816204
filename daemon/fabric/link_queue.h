// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A carrier over the daemons' link, in the daemons' messages. The receiver assigns an id to each
// queue.
//
// Bytes stay in the data area until the link has room, and are received directly into the other
// data area: only a few headers wait on either side. The queues of a link take turns, a piece each:
// users take turns, and so do the queues of each user. Only one piece at a time waits in the link's
// output.
// take turns, and the queues of each user. Only one piece at a time waits in the link's output.

#ifndef DAEMON_LINK_QUEUE_H
#define DAEMON_LINK_QUEUE_H

#include "carrier.h"
#include "docad.pb-c.h"
#include "errtext.h"

#include <sys/types.h>

struct fd_list;
struct link_queue;
struct peer;
struct piece;

// Makes a queue for a process of this uid, here or on the other node. `data` is our data area
// (queue_pair.h).
doca_error_t link_queue_new(struct link_queue **out, struct peer *peer, uid_t uid, void *data,
                            const struct carrier_owner *owner, void *arg, struct errtext *err);
struct link_queue *link_queue_free(struct link_queue *queue); // takes NULL, returns NULL

// The id by which the other side names this queue.
uint64_t link_queue_id(const struct link_queue *queue);

// Connects the queue; `there` is the id of the other side's queue. Messages are sent and
// received from now on, by the carrier that is returned, which lives as long as the queue.
struct carrier *link_queue_connect(struct link_queue *queue, uint64_t there);

// Like carrier_send(), for bytes that are not in the data area and are never copied there:
// owner->read() reads them directly into the link's output when the link has room for them.
bool link_queue_send_unread(struct link_queue *queue, const void *header, size_t size,
                            uint32_t offset, uint32_t length);

// Returns where to write the rest of a piece's data. NULL: it is dropped.
void *link_queue_place(struct peer *peer, const struct piece *rest);

// Handles a message for one of the peer's queues.
void link_queue_message(struct peer *peer, const Docad__Message *message);

// Called when the link has room again.
void link_queues_go_on(struct peer *peer);

// Called when the link is down. Messages in flight may be lost even if the link comes back, so
// connected queues are disconnected.
void link_queues_end(struct peer *peer);

// The link is back, represented by another peer (peer_resume.h).
void link_queues_adopt(struct peer *to, struct peer *from);

#endif

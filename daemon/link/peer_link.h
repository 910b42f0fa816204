// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How links come up and go down: what the files of this room share.

#ifndef DAEMON_PEER_LINK_H
#define DAEMON_PEER_LINK_H

#include "peer.h"

// ---- peer_end.c ------------------------------------------------------------------------

// Dials after a while; 0: soon.
void peer_dial_later(struct peer *peer, unsigned ms);
void peer_dial_failed(struct peer *peer, const char *why);
// Its link has ended. Soon, but ever later if links end as soon as they are up.
void peer_dial_again(struct peer *peer);

// The connection and everything over it ends. Safe on a peer that is not connected, not
// from within a message of this very peer.
void peer_unlink(struct peer *peer, const char *why);

// What goes over the link ends: the node has gone, or does not come back.
void peer_forget(struct peer *peer, const char *why);

// The link is down, or was an earlier docad's: what goes over it waits for its return.
void peer_wait_for_return(struct peer *peer);
void peer_on_grace(int fd, short what, void *arg);

// ---- peer_identity.c -------------------------------------------------------------------

// What both kinds of hello say of a node.
struct peer_identity {
    const ProtobufCBinaryData *node;
    const char *name, *role;
    Docad__Function *const *functions;
    size_t n_functions;
    const ProtobufCBinaryData *run;
    bool resumable, resumes_apart, rdma;
};

bool peer_uid_is_trusted(const struct node *node, uid_t uid);
doca_error_t peer_take_identity(struct peer *peer, const struct peer_identity *hello,
                                struct errtext *err);

// ---- peer_dial.c -----------------------------------------------------------------------

void peer_dial_answered(struct peer *peer, const Docad__Message *message);
void peer_on_timer(int fd, short what, void *arg);

// ---- peer_link.c -----------------------------------------------------------------------

void peer_own_connection(struct peer *peer);

// May `peer`, which has just said who it is, take the place of a link that is there? If
// so, that one has been ended.
bool peer_displace_others(struct peer *peer);

void peer_link_up(struct peer *peer);

// ---- peer_dispatch.c -------------------------------------------------------------------

// A message of a linked peer.
void peer_dispatch(struct peer *peer, const Docad__Message *message, struct fd_list *fds);

#endif

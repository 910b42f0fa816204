// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How links come up and go down: shared by the files of this directory.

#ifndef DAEMON_PEER_LINK_H
#define DAEMON_PEER_LINK_H

#include "peer.h"

// ---- peer_end.c ------------------------------------------------------------------------

// Dials after a while; 0: soon.
void peer_dial_later(struct peer *peer, unsigned ms);
void peer_dial_failed(struct peer *peer, const char *why);
// Dials again after its link has ended: soon, but later and later if links end as soon as they
// are up.
void peer_dial_again(struct peer *peer);

// Ends the connection and everything that uses it. May be called for a peer that is not
// connected, but not while handling a message of this very peer.
void peer_unlink(struct peer *peer, const char *why);

// Ends the objects that use the link: the node has ended, or does not come back.
void peer_end_objects(struct peer *peer, const char *why);

// Called when the link is down, or was an earlier docad's: objects that use it wait until it is up
// again.
void peer_wait_for_return(struct peer *peer);
void peer_on_grace(int fd, short what, void *arg);

// ---- peer_fault.c ----------------------------------------------------------------------

#define LINK_DOWN_CHECK_MS 1000 // a link that is down is checked again after this

// Counts a message of a linked node that has been handled, and ends all links of this node if a
// configured fault is due.
void peer_count_message(struct peer *peer);

// How long links of this node stay down because of a fault, in milliseconds until the next check;
// 0: they do not.
unsigned peer_down_ms(const struct node *node);

// ---- peer_identity.c -------------------------------------------------------------------

// The description of a node in both kinds of hello.
struct peer_identity {
    const ProtobufCBinaryData *node;
    const char *name, *role;
    Docad__Function *const *functions;
    size_t n_functions;
    const ProtobufCBinaryData *run;
    bool resumable, resumes_apart, rdma, by_uid;
};

// PeerHello and PeerHelloReply have the same fields for it, but are different types.
#define PEER_IDENTITY_OF(m)                                                                        \
    ((struct peer_identity){.node = &(m)->node,                                                    \
                            .name = (m)->name,                                                     \
                            .role = (m)->role,                                                     \
                            .functions = (m)->functions,                                           \
                            .n_functions = (m)->n_functions,                                       \
                            .run = &(m)->run,                                                      \
                            .resumable = (m)->resumable,                                           \
                            .resumes_apart = (m)->resumes_apart,                                   \
                            .rdma = (m)->rdma,                                                     \
                            .by_uid = (m)->by_uid})

// Describes this node. `room` is a struct function_messages that lives as long as `m`.
#define PEER_IDENTITY_FILL(m, self, room)                                                          \
    do {                                                                                           \
        (m)->n_functions =                                                                         \
            functions_to_messages((self)->functions, (self)->n_functions, false, room);            \
        (m)->functions = (room)->list;                                                             \
        (m)->node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)(self)->id};                    \
        (m)->name = (char *)(self)->config->name;                                                  \
        (m)->role = (char *)role_name((self)->config->role);                                       \
        (m)->run = (ProtobufCBinaryData){NODE_RUN_SIZE, (uint8_t *)(self)->run};                   \
        (m)->resumable = fdstore_is_on();                                                          \
        (m)->resumes_apart = true;                                                                 \
        (m)->rdma = node_has_rdma(self);                                                           \
        (m)->by_uid = true;                                                                        \
    } while (0)

bool peer_uid_is_trusted(const struct node *node, uid_t uid);
doca_error_t peer_take_identity(struct peer *peer, const struct peer_identity *hello,
                                struct errtext *err);

// ---- peer_dial.c -----------------------------------------------------------------------

void peer_dial_answered(struct peer *peer, const Docad__Message *message);
void peer_on_timer(int fd, short what, void *arg);

// ---- peer_link.c -----------------------------------------------------------------------

void peer_own_connection(struct peer *peer);

// Returns whether `peer`, which has just identified itself, may replace an existing link. If so,
// that link has been ended.
bool peer_displace_others(struct peer *peer);

void peer_link_up(struct peer *peer);

// ---- peer_dispatch.c -------------------------------------------------------------------

// Handles a message of a linked peer.
void peer_dispatch(struct peer *peer, const Docad__Message *message, struct fd_list *fds);

#endif

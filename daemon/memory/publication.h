// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The directory: export descriptors under names, which were published on this node or announced
// by linked nodes.
//
// Names belong to a uid: no user can take another user's name, and a lookup names the uid. A name
// is hidden from users to whom it is not offered. A name ends when its export ends, on this node or
// a linked one.

#ifndef DAEMON_PUBLICATION_H
#define DAEMON_PUBLICATION_H

#include "audience.h"
#include "export_desc.h"
#include "fdstore.h"
#include "idmap.h"
#include "list.h"
#include "message.h"

#include <string.h>

struct limits;
struct name_source;
struct node;
struct object_kind;
struct peer;
struct session;
struct user;

#define PUBLICATION_NAME_SIZE 256

struct publication {
    struct list in_node;
    struct idmap_node id;
    struct idmap_node own; // unless a linked node published it: node->own_publications
    struct tree_node by_name, by_export;
    struct tree_node by_source; // node->own_names, or those of the linked node
    struct tree_node listed;    // publication_listed.h
    bool for_others;            // others may see it in lists
    struct list in_source;      // of a linked node's
    struct list in_session;     // of the session that published it here, as long as that exists
    char name[PUBLICATION_NAME_SIZE];
    struct export_desc desc;
    uint8_t descriptor[EXPORT_DESC_SIZE_MAX];
    size_t descriptor_size;
    struct name_source *source; // the linked node where it was published; NULL: this node
    struct user *user;          // the user who published it, of this node or of the linked one
    uid_t uid;                  // uid of the publisher, on its node
    struct audience to;         // the other users who may look it up
    bool first;                 // published here, when no other user of this node had the name
    uint64_t round;             // of its source, in which it was announced: ended_names.h
    uint64_t session_id;        // the session that published it here
    struct stored stored;
};

// The key by which a name is found.
struct publication_key {
    const char *name;
    uid_t uid; // of the publisher
};

static inline int publication_key_order(const struct publication_key *a,
                                        const struct publication_key *b)
{
    int order = strcmp(a->name, b->name);
    return order ? order : (a->uid > b->uid) - (a->uid < b->uid);
}

// As a temporary of the caller's block.
#define PUBLICATION_KEY(p) (&(const struct publication_key){(p)->name, (p)->uid})

// Returns whether it is of an export of a node that was never linked. No message would report the
// end of such an export, so its names end with their session.
bool publication_is_of_unlinked(const struct node *node, const struct export_desc *desc);

// Publishes on this node and notifies the linked ones. Returns DOCA_ERROR_ALREADY_EXIST if the user
// has published the name, and DOCA_ERROR_NOT_CONNECTED if it must be persistent but could not be.
doca_error_t publication_new(struct session *session, const Docad__Publish *request,
                             struct errtext *err);

// Withdraws a name of this node for a client: "NAME", or another user's "UID/NAME".
doca_error_t publication_remove(struct session *session, const char *name, struct errtext *err);

// Called when the owner has refused the descriptor. If the reason was that the export has ended,
// the names published here for it end too.
void publication_refused(struct node *node, const struct export_desc *desc, doca_error_t code);

// ---- linked nodes ----------------------------------------------------------------------

void publication_from_peer(struct node *node, struct peer *peer, const Docad__PeerPublish *m);
// Handles a withdrawn name. The peer also sends it when one of its exports that was published
// here has ended.
void publication_gone_at_peer(struct node *node, struct peer *peer, const Docad__PeerUnpublish *m);

// Withdraws the name if it is one of many that are ending (ended_names.h), or if the owner of its
// export has ended and only the export's end is still to come.
void publications_withdraw_ended(struct node *node, const struct publication_key *key);

// Notifies the nodes that have the name, then frees the publication.
void publication_withdraw(struct node *node, struct publication *publication);
void publication_free(struct node *node, struct publication *publication);
void publications_free_all(struct node *node);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind publication_kind;

// Stores the publication's record.
doca_error_t publication_keep(struct publication *publication, struct errtext *err);

// Checks that a name is permitted.
doca_error_t publication_check_name(const struct node *node, const char *name, struct errtext *err);

// Reads "NAME", which is the session's own, or "UID/NAME". Points into `text`.
doca_error_t publication_read_name(const struct session *session, const char *text,
                                   struct publication_key *out, struct errtext *err);

// The user who publishes a name, and the audience of the name.
struct publisher {
    struct name_source *source; // a linked node; NULL: this node
    struct user *user;          // of this node, or of the linked one
    uid_t uid;
    struct audience to;
};

// Makes only the structure, with a reference to the user; NULL if memory runs out.
struct publication *publication_make(const char *name, const ProtobufCBinaryData *descriptor,
                                     const struct export_desc *desc,
                                     const struct publisher *publisher);

doca_error_t publication_enter(struct publication *publication, struct node *node, uint64_t id,
                               const struct limits *limits, struct errtext *err);

// ---- finding ---------------------------------------------------------------------------

// Finds a name, first among those published here. Returns NULL if there is none.
struct publication *publication_find(const struct node *node, const struct publication_key *key);

// Returns the same user's next one with the same name, by another node. Returns NULL if there is
// none.
struct publication *publication_next(const struct node *node,
                                     const struct publication *publication);

// Returns the next name under which this export was published, or NULL; the first, if `pub` is
// NULL.
struct publication *publication_of_export(const struct node *node, const uint8_t *owner,
                                          uint64_t export_id, const struct publication *after);

// Finds a name that was published here with this export and token; NULL if there is none.
struct publication *publication_of_descriptor(const struct node *node,
                                              const struct export_desc *desc);

// The linked node where it was published; NULL: this node, or a linked node that has ended.
struct peer *publication_origin(const struct publication *publication);

// Returns whether the session may look it up: its publisher, the export's owner, its audience, root
// and docad's own user may.
bool publication_is_offered(const struct publication *publication, const struct session *session);

#endif
